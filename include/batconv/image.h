/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A binary: segments, functions and, if BOLT wrote it with a BAT, the way back to
 * the binary that BOLT read.  Nothing changes an image: any number of threads can use one.
 */
#ifndef BATCONV_IMAGE_H
#define BATCONV_IMAGE_H

#include "batconv/maps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct batconv_image;

/* Open an ELF file (64 bits, little-endian; x86-64, AArch64 or RISC-V) and check it:
 * no offset or count in it is trusted.
 *
 * BATCONV_ERROR_IO           it cannot be opened or is no regular file
 * BATCONV_ERROR_FORMAT       damaged, or executable segments whose p_vaddr and p_offset
 *                      differ modulo p_align, at fixed addresses modulo the page size
 * BATCONV_ERROR_UNSUPPORTED  another kind of file
 * BATCONV_ERROR_NOMEM */
BATCONV_API BATCONV_MUST_USE bool batconv_image_open(const char *path, struct batconv_image **out,
						     struct batconv_error *err);
BATCONV_API void batconv_image_close(struct batconv_image *image);

struct batconv_segment {
	struct batconv_vaddr vaddr; /* p_... */
	struct batconv_file_off offset;
	uint64_t memsz, filesz, align; /* bytes */
	bool executable;
	bool aligned; /* p_vaddr % p_align == p_offset % p_align; at fixed addresses modulo 4096
			 will do */
	uint64_t reserved[2]; /* 0 */
};

/* The loadable segments, by ascending vaddr.  False: there are no more. */
BATCONV_API bool batconv_image_segment(const struct batconv_image *image, size_t number,
				       struct batconv_segment *out);

/* A PIE or a shared library. */
BATCONV_API bool batconv_image_is_position_independent(const struct batconv_image *image);

/* BOLT wrote it, with a translation table. */
BATCONV_API bool batconv_image_has_bat(const struct batconv_image *image);

/* The GNU build-id, and how many bytes it has; NULL and 0 if there is none.  Valid as long as the
 * image. */
BATCONV_API const uint8_t *batconv_image_build_id(const struct batconv_image *image, size_t *size);

/* Go's build-id, in addition to which there can be a GNU one; NULL if there is none.  Valid as long
 * as the image. */
BATCONV_API const char *batconv_image_go_build_id(const struct batconv_image *image);

/* The base (run-time address - vaddr, modulo 2^64) by any mapping of the image: of the segment
 * that it is part of.  False: it is part of none. */
BATCONV_API bool batconv_image_base(const struct batconv_image *image,
				    const struct batconv_region *region, uint64_t *base);

/* The base by the lowest loadable segment, of which `region` is the lowest mapping; where
 * only executable regions are known, by the lowest executable one.  Equal to the one above
 * for every mapping of the same load, or they do not match.  False: the region
 * does not begin where such a segment does in the file. */
BATCONV_API bool batconv_image_base_lowest(const struct batconv_image *image,
					   const struct batconv_region *region, uint64_t *base);

/* By the segment that holds it.  False: in none, or not in the file. */
BATCONV_API bool batconv_image_to_offset(const struct batconv_image *image, struct batconv_vaddr at,
					 struct batconv_file_off *out);
BATCONV_API bool batconv_image_to_vaddr(const struct batconv_image *image,
					struct batconv_file_off at, struct batconv_vaddr *out);

/* The function of this binary that holds a vaddr, and the offset in it.  False: none.  The
 * name lives as long as the image. */
BATCONV_API bool batconv_image_function(const struct batconv_image *image, struct batconv_vaddr at,
					const char **name, uint64_t *offset);

/* Where a vaddr's code was in the binary that BOLT read; without BAT: the function
 * itself.  False: in no function, or in a cold fragment of unknown parent. */
BATCONV_API bool batconv_image_to_input(const struct batconv_image *image, struct batconv_vaddr at,
					struct batconv_input_addr *out);

/* Every vaddr that code of an input address has now, in the order of the fragments: BOLT can have
 * copied it.  For a binary without BAT: that of the function and offset in itself.
 *
 * out   gets the first `most` of them; can be NULL if most is 0
 *
 * Returns how many there are, which can be more than `most`; 0: there is no such function, or the
 * code was removed. */
BATCONV_API size_t batconv_image_from_input(const struct batconv_image *image,
					    const struct batconv_input_addr *at,
					    struct batconv_vaddr *out, size_t most);

#ifdef __cplusplus
}
#endif

#endif
