/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The code ranges that .eh_frame describes: one per FDE.
 *
 * The section is a sequence of entries
 *
 *   u32 length (0: the end; ffffffff: a u64 length follows)
 *   u32 id     0: a CIE; else an FDE, whose CIE begins that many bytes before
 *              this field
 *
 * A CIE's augmentation string says how its FDEs write addresses ("R"); an FDE
 * begins with the address and the length of the code it describes.
 */
#ifndef ELF_EH_FRAME_H
#define ELF_EH_FRAME_H

#include "src/elf/image.h"

struct code_range {
	uint64_t address, size;
};

struct code_ranges {
	struct code_range *at; /* by ascending address, one per address */
	size_t count;
};

/* The ranges of the section .eh_frame; none if there is no such section.  Of
 * several FDEs at one address the first that is not empty counts.
 *
 * BC_FORMAT  a damaged entry, or a pointer encoding that no linked file has
 * BC_NOMEM */
BC_MUST_USE bool eh_frame_ranges(const struct image *image, struct code_ranges *out,
				 struct bc_error *err);
void code_ranges_free(struct code_ranges *ranges);

#endif
