/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which section each address belongs to, for image_section_at(). */
#ifndef ELF_SECTION_PARTS_H
#define ELF_SECTION_PARTS_H

#include "src/elf/image.h"

/* Fill image->parts from its sections.  Where several lie over each other the first in
 * header order counts.  O(n log n).  False when out of memory. */
BC_MUST_USE bool section_parts_find(struct image *image);

#endif
