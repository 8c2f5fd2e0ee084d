/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code of a function in the optimised binary: all of its fragments, and which of them holds which code of the input. */
#ifndef FIGURES_CODE_PARTS_H
#define FIGURES_CODE_PARTS_H

#include "src/base/vec.h"
#include "src/elf/binary.h"
#include "src/elf/fragments_by_function.h"

/* Fragments by function.  The binary must outlive them. */
struct code_parts {
	const struct binary *binary;
	struct fragments_by_function fragments;
};

/* false: out of memory */
BC_MUST_USE bool code_parts_init(struct code_parts *parts, const struct binary *binary);
void code_parts_free(struct code_parts *parts);

/* Did BOLT move the function?  Else its code has the offsets of the input. */
bool code_parts_moved(const struct code_parts *parts, const struct function *function);

/* Code from `input` on, an offset in the input function, `size` bytes, at an address of the optimised binary. */
struct code_piece {
	uint32_t input;
	uint32_t size;
	uint64_t address;
	bool cold;
};
DEFINE_VEC(code_piece_vec, struct code_piece);

/* The fragments of a function, the one that it begins with first, as pieces of input offset 0.  One that BOLT did not
 * move has one.  *out keeps its memory.  false: out of memory */
BC_MUST_USE bool code_parts_whole(const struct code_parts *parts, const struct function *function, struct code_piece_vec *out);

/* What of its code has a place, by input offset.  false: out of memory */
BC_MUST_USE bool code_parts_pieces(const struct code_parts *parts, const struct function *function,
				  struct code_piece_vec *out);

/* The piece that holds the code of an input offset, or NULL. */
const struct code_piece *code_piece_at(const struct code_piece_vec *pieces, uint64_t input);

#endif
