/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions whose profile changes in a layout that keeps only one entry for each output offset. */
#ifndef CHECK_FALLTHROUGH_CHANGES_H
#define CHECK_FALLTHROUGH_CHANGES_H

#include "src/base/vec.h"
#include "src/elf/binary.h"

struct changed_function {
	const char *name; /* of the input function, as long as the binary is open; NULL: not known */
	uint64_t address; /* of its hot fragment */
};
DEFINE_VEC(changed_vec, struct changed_function);

/* The functions in which traces can run through a block that the
 * layout does not keep: BOLT made it empty, so that it shares its output offset with the
 * block behind it, and `a -> empty -> b` becomes `a -> b`.  All else means the same.  Only
 * hashed tables have such blocks.  Of a section alone nobody knows where a fragment ends:
 * blocks that BOLT deleted, which stand there and do not matter, are among them.
 *
 * Returns false when out of memory. */
BC_MUST_USE bool fallthrough_changes(const struct binary *binary, enum bat_layout layout,
				     struct changed_vec *out);

#endif
