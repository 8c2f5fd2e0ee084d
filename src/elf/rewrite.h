/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files made of parts of a binary: what conversions and checks read, and the binary with another
 * section. */
#ifndef ELF_REWRITE_H
#define ELF_REWRITE_H

#include <stdio.h>

#include "src/elf/image.h"

/* Writes a side file: headers, executable segments, what is loaded from the file, symbols, notes
 * and the relocations of code; so all but debug information and the like.  digest: of the code.
 * BC_NOMEM; errors of `out` are ferror()'s to report. */
BC_MUST_USE bool side_file_write(const struct image *image, struct build_id digest, FILE *out,
				 struct bc_error *err);

/* Writes what hash_source_open() reads of an image: headers, symbols and notes.  Its segments are
 * empty then, so that nobody takes zeros for code. */
BC_MUST_USE bool side_file_write_hashes(const struct image *image, FILE *out, struct bc_error *err);

/* Another content for one section of a file. */

struct replacement {
	uint64_t header_at; /* file offset of the section's header ...        */
	uint8_t header[64]; /* ... and what is there from now on          */
	uint64_t at;        /* file offset of the content                     */
	uint64_t capacity;  /* bytes there that are the section's so far      */
	uint64_t size;      /* of the content                                 */
	uint64_t file_size; /* of the file afterwards                         */
};

/* Plan to replace the content of a section that no segment holds: where it was if
 * it fits, else after everything else, where 16 divides the offset.  Nothing but
 * the header's offset and size, and the content, changes; libelf would write the
 * whole file again and not keep the bytes between sections.
 *
 * BC_UNSUPPORTED  the section is in a segment */
BC_MUST_USE bool replacement_plan(const struct image *image, const struct section *section,
				  uint64_t size, struct replacement *out, struct bc_error *err);

/* Write `file` with the new content to `copy`, file_size bytes. */
void replacement_apply(const struct replacement *plan, struct bytes file, struct bytes content,
		       uint8_t *copy);

#endif
