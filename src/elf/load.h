/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where an image was loaded: from what is mapped in a process to the base,
 *
 *   base = run-time address - vaddr
 *
 * the same for all addresses of one load.  There are two ways to it.
 *
 * By any mapping: the mapping is part of a segment, widened to whole pages (or
 * holds a whole one), and the segment shows the vaddr of its first byte:
 *
 *   base = start - (p_vaddr - p_offset + file offset of start)
 *
 * By the lowest segment: the lowest mapping begins in the page of its p_vaddr:
 *
 *   base = lowest start - p_vaddr rounded down to a page
 *
 * The page is the one of the kernel (4 KiB; AArch64 up to 64 KiB), not p_align:
 * a loader can map a segment of p_align 2 MiB at any page, and then rounding
 * both down to p_align, as the ELF specification has it for its maximum page
 * size, gives a wrong base.
 */
#ifndef ELF_LOAD_H
#define ELF_LOAD_H

#include <elf.h>

#include "src/elf/image.h"

/* The program header of a number.  False: there are no more. */
bool image_program_header(const struct image *image, size_t number, Elf64_Phdr *out);

/* Where it begins to run; 0: nowhere (a library). */
struct vaddr image_entry(const struct image *image);

/* The dynamic section says that it is a position-independent executable
 * (DF_1_PIE); without it an ET_DYN file is a shared library. */
bool image_is_pie(const struct image *image);

/* What BOLT takes for a shared library: an ET_DYN file without PT_INTERP. */
bool image_is_library(const struct image *image);

/* A mapping of the image's file. */
struct load_mapping {
	struct run_addr start;
	uint64_t size;
	struct file_off offset; /* of `start` */
	bool executable;
};

/* The largest page that the mapping can be made of. */
uint64_t load_page(const struct image *image, const struct load_mapping *mapping);

/* The base by a mapping, as part of this segment.  False: it is none, or the image is static and
 * would not be at base 0. */
bool load_base_by(const struct image *image, const struct segment *segment,
		  const struct load_mapping *mapping, uint64_t *base);

/* The bases by any mapping, at most LOAD_BASES: mostly one, two where two
 * segments share a page of the file.  Executable mappings are held to executable
 * segments and others to the others, unless none of its own kind fits.  A static
 * image has only base 0.  0: the mapping is no part of a load. */
#define LOAD_BASES 4
size_t load_bases(const struct image *image, const struct load_mapping *mapping,
		  uint64_t out[LOAD_BASES]);

/* The base by the lowest segment, of which `mapping` is the lowest mapping.
 * False: the image has no segments, or the mapping does not begin where the
 * lowest segment (executable: the lowest executable one) does in the file, or
 * only one of both is executable: two segments can begin in one page. */
bool load_base_lowest(const struct image *image, const struct load_mapping *mapping,
		      bool executable, uint64_t *out);

/* Will a loader take the segment?  p_align is a power of two or 0 or 1, and p_vaddr
 * and p_offset agree modulo it; BY_PAGES: modulo the page size, which is enough for
 * the image (segment_agrees()). */
enum alignment { NOT_ALIGNED, ALIGNED, ALIGNED_BY_PAGES };
enum alignment segment_alignment(const struct image *image, const struct segment *segment);

#endif
