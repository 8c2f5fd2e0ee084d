/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of a binary that conversions and checks read. */
#ifndef ELF_REWRITE_H
#define ELF_REWRITE_H

#include "src/base/sparse.h"
#include "src/elf/image.h"

/* The parts of a binary that conversions and checks read. */

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

/* Another content for one section of a file. */

struct replacement {
	uint64_t header_at; /* file offset of the section's header ...        */
	uint8_t header[64]; /* ... and what stands there from now on          */
	uint64_t at;        /* file offset of the content                     */
	uint64_t capacity;      /* bytes there that are the section's so far      */
	uint64_t size;      /* of the content                                 */
	uint64_t file_size; /* of the file afterwards                         */
};

/* Plan to replace the content of a section that no segment holds: in its place if
 * it fits, else behind everything else, where 16 divides the offset.  Nothing but
 * the header's offset and size, and the content, changes; libelf would write the
 * whole file anew and not keep the bytes between sections.
 *
 * BC_UNSUPPORTED  the section is in a segment */
BC_MUST_USE bool replacement_plan(const struct image *image, const struct section *section,
				  uint64_t size, struct replacement *out, struct bc_error *err);

/* Write `file` with the content in its place to `copy`, file_size bytes. */
void replacement_apply(const struct replacement *plan, struct bytes file, struct bytes content,
		       uint8_t *copy);

#endif
