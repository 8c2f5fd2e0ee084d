/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Blocks that llvm-bolt put into a function: comparisons before a call that it promoted, or
 * before a jump through a table.  They stand in the table without a hash, at an offset in the
 * middle of an input block.  What leads there is no edge of the input; what leaves it comes out of the
 * same input block and is kept, so nothing is lost but the way within that block.
 *
 * Only the layout `hashed` tells them.
 */
#ifndef FLOW_MADE_BLOCKS_H
#define FLOW_MADE_BLOCKS_H

#include "src/base/vec.h"
#include "src/elf/binary.h"

/* A place in the input, of a hot fragment or its cold ones. */
struct made_place {
	uint32_t fragment, offset; /* the hot one */
};
DEFINE_VEC(made_place_vec, struct made_place);

/* Zeroed: there are none. */
struct made_blocks {
	const struct binary *binary;
	struct made_place_vec made;   /* where they begin and no block of the input does; sorted */
	struct made_place_vec blocks; /* of fragments that have some: where blocks of the input begin; sorted */
};

/* The hashes are read from the table's bytes if the binary was not opened with blocks.  BC_NOMEM */
BC_MUST_USE bool made_blocks_open(const struct binary *binary, struct made_blocks *out, struct bc_error *err);
void made_blocks_close(struct made_blocks *made);

/* Is a way within a function one to such a block, out of the input block that this lies in? */
bool made_blocks_lead(const struct made_blocks *made, const struct function *function, uint32_t from, uint32_t to);

#endif
