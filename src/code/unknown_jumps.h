/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Indirect jumps of which BOLT cannot tell where they lead.  It attaches a profile to
 * their functions all the same, and then leaves these out of what it says of it, and
 * of what it optimises.
 */
#ifndef CODE_UNKNOWN_JUMPS_H
#define CODE_UNKNOWN_JUMPS_H

#include "src/code/graph.h"

struct jumps_search {
	const struct image *image;
	const struct function *function;
	const struct insn_vec *insns; /* of the whole function */
	const struct block *blocks;
	uint32_t block_count;
	const uint8_t *marks; /* per instruction: bits, of which */
	uint8_t table;        /* this one is for jumps that use a table that was found */
};

/* Is there an indirect jump that surely uses no table, and that is no tail call? */
bool has_unknown_jumps(const struct jumps_search *search);

#endif
