/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where functions, blocks and inlined calls begin and end by debug information.  From release 24 on, llvm-bolt -update-debug-sections keeps the
 * offsets of these instructions, too: the table has branch entries on instructions that are no branches (#207291).
 */
#ifndef VERIFY_SCOPE_BOUNDS_H
#define VERIFY_SCOPE_BOUNDS_H

#include "src/base/vec.h"
#include "src/elf/image.h"

DEFINE_VEC(bound_vec, uint64_t);

struct scope_bounds {
	struct bound_vec at; /* ascending */
	bool unread; /* there is debug information, and libdw is missing or cannot read it: any address can be one */
};

/* Those of an image; none without debug information.  False: no memory */
BC_MUST_USE bool scope_bounds_read(const struct image *image, struct scope_bounds *out);
void scope_bounds_free(struct scope_bounds *bounds);

bool scope_bounds_have(const struct scope_bounds *bounds, uint64_t address);

#endif
