/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of a binary that conversions and checks read. */
#ifndef ELF_SIDE_FILE_H
#define ELF_SIDE_FILE_H

#include "src/base/sparse.h"
#include "src/elf/image.h"

struct side_parts {
	struct sparse_part *at; /* ascending, apart from each other */
	size_t count;
};

/* Headers, executable segments, what is loaded from the file, symbols, notes and the
 * relocations of code; so all but debug information and the like.  BC_NOMEM */
BC_MUST_USE bool side_parts_choose(const struct image *image, struct side_parts *out,
				   struct bc_error *err);

/* Write what hash_source_open() reads of an image: headers, symbols and notes.  Its segments are empty then, so that
 * nobody takes zeros for code.  BC_NOMEM; errors of `out` are ferror()'s to tell. */
BC_MUST_USE bool side_file_write_hashes(const struct image *image, FILE *out, struct bc_error *err);
void side_parts_free(struct side_parts *parts);

#endif
