/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Another content for one section of a file. */
#ifndef ELF_REPLACE_H
#define ELF_REPLACE_H

#include "src/elf/image.h"

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
