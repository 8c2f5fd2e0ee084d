/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files with code in a map, and where each was loaded. */
#ifndef CLI_MAPPED_IMAGES_H
#define CLI_MAPPED_IMAGES_H

#include "src/addrspace/loads.h"
#include "src/cli/mapped_programs.h"

struct mapped_image {
	uint32_t number; /* of the file, of its first mapping with code */
	bool opened; /* the file is there, and is what was mapped */
	const char *why_not;
	struct image image; /* borrowed */
	struct loads loads;
};

/* Calls show() for each distinct file with executable mappings, in their order.
 * *agree becomes false if the bases of one disagree.  Returns false when out of memory. */
BC_MUST_USE bool mapped_images_each(const struct maps *maps, struct mapped_programs *programs, bool *agree,
				    void (*show)(void *ctx, const struct mapped_image *m), void *ctx);

/* The build-ids that were recorded for the map, else those of the file; empty: not known. */
struct text mapped_image_gnu_id(const struct mapped_image *m, const struct mapped_files *files);
struct text mapped_image_go_id(const struct mapped_image *m, const struct mapped_files *files);

/* False: the ids are those of the file that is here. */
bool mapped_image_id_recorded(const struct mapped_image *m, const struct mapped_files *files);

#endif
