/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Instructions whose offsets llvm-bolt keeps as it does those of branches: the table has branch
 * entries on them.
 *
 * Where functions, blocks and inlined calls begin and end by debug information.  From release 24
 * on, llvm-bolt -update-debug-sections keeps those of these instructions (#207291).
 */
#ifndef VERIFY_KEPT_OFFSETS_H
#define VERIFY_KEPT_OFFSETS_H

#include "src/base/vec.h"
#include "src/elf/image.h"

DEFINE_VEC(bound_vec, uint64_t);

struct scope_bounds {
	struct bound_vec at; /* ascending */
	bool unread; /* there is debug information, and libdw is missing or cannot read it: any
			address can be one */
};

/* Those of an image; none without debug information.  False: no memory */
BC_MUST_USE bool scope_bounds_read(const struct image *image, struct scope_bounds *out);
void scope_bounds_free(struct scope_bounds *bounds);

bool scope_bounds_have(const struct scope_bounds *bounds, uint64_t address);

/*
 * SystemTap's probes (sys/sdt.h): places in code, each a nop, that the notes of
 * .note.stapsdt name.  BOLT keeps these nops, moves the notes with them, and keeps
 * their offsets as it does those of branches.
 */

struct probes {
	uint64_t *at; /* vaddrs, ascending */
	size_t count;
};

/* False: no memory. */
BC_MUST_USE bool probes_read(const struct image *image, struct probes *out);
void probes_free(struct probes *probes);

bool probes_has(const struct probes *probes, uint64_t at);

#endif
