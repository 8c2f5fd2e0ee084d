/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The code that a report shows: the fragments of a function in the optimized binary, and which of
 * them holds which code of the input; and its source lines, of the optimized binary's debug
 * information, else of the input's.
 */
#ifndef FIGURES_SHOWN_CODE_H
#define FIGURES_SHOWN_CODE_H

#include "src/address/debug_lines.h"
#include "src/base/strings.h"
#include "src/base/vec.h"
#include "src/elf/binary.h"

/* ---- where it is ---- */

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

/* Code from `input` on, an offset in the input function, `size` bytes, at an address of the
 * optimized binary. */
struct code_piece {
	uint32_t input;
	uint32_t size;
	uint64_t address;
	bool cold;
};
DEFINE_VEC(code_piece_vec, struct code_piece);

/* The fragments of a function, the one that it begins with first, as parts of input offset 0.  One
 * that BOLT did not move has one.  *out keeps its memory.  false: out of memory */
BC_MUST_USE bool code_parts_whole(const struct code_parts *parts, const struct function *function,
				  struct code_piece_vec *out);

/* What of its code has a location, by input offset.  false: out of memory */
BC_MUST_USE bool code_parts_pieces(const struct code_parts *parts, const struct function *function,
				   struct code_piece_vec *out);

/* The part that holds the code of an input offset, or NULL. */
const struct code_piece *code_piece_at(const struct code_piece_vec *pieces, uint64_t input);

/* ---- its lines ---- */

struct source_lines {
	struct debug_lines *optimized, *input; /* NULL: it has none */
	bool of_moved; /* those of the optimized binary are right for code that BOLT moved, too */
	struct strings files; /* that were met; numbers begin at 1 */
	size_t file_bytes;    /* how long their names are, as a page has them at most */
};

/* Opens what there is.  path: of the optimized binary; input: NULL if it was not given.  BC_NOMEM
 */
BC_MUST_USE bool source_lines_open(const struct binary *optimized, const char *path,
				   const char *input, const struct debug_dirs *dirs,
				   struct source_lines *out, struct bc_error *err);
void source_lines_close(struct source_lines *lines);

/* A line, of code at an address of the optimized binary and of the input; 0: it has none there.
 * *file: the number of its file, 0 if no line is known.  false: out of memory */
BC_MUST_USE bool source_lines_find(struct source_lines *lines, uint64_t optimized, uint64_t input,
				   uint32_t *file, uint32_t *line);

#endif
