/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The files that maps name, each opened once, however many maps have it; and of one map,
 * which of its mappings are of which file.
 */
#ifndef CLI_MAPPED_PROGRAMS_H
#define CLI_MAPPED_PROGRAMS_H

#include "src/samples/map_set.h"
#include "src/samples/mapped_files.h"
#include "src/base/file.h"
#include "src/elf/image.h"

struct opened_program {
	const char *why_not; /* it is not there, or is not what was mapped; NULL: it is open */
	struct file_map file;
	struct image image;
	bool known; /* it was looked for */
};

/* Zeroed but for `files` means empty. */
struct mapped_programs {
	const struct mapped_files *files; /* borrowed */
	bool elsewhere; /* the maps are of another machine: a file here is the same file if its build-id says so */
	struct opened_program *at;        /* by the number of the file */
	size_t open;                      /* of them: as many as the system lets be mapped, and fewer */
	uint32_t *seen;                   /* by path: the last map that it was seen in */
	uint32_t map;                     /* the number of the map at hand, from 1 on */
};

void mapped_programs_free(struct mapped_programs *programs);

/* The file of a number.  Valid until the next call.  NULL when out of memory. */
const struct opened_program *mapped_programs_open(struct mapped_programs *programs, uint32_t number);

/* The mappings of a map by path, those of one path in their order. */
struct mappings_by_path {
	struct mapping *at;
	size_t len;
	const struct mapped_files *files;
};

/* Begin with the next map.  False when out of memory. */
BC_MUST_USE bool mapped_programs_next_map(struct mapped_programs *programs, const struct maps *maps,
					  struct mappings_by_path *out);
void mappings_by_path_free(struct mappings_by_path *mappings);

/* Is it the first time that the map has this path? */
bool mapped_programs_is_new(struct mapped_programs *programs, uint32_t path);

/* All mappings of a path. */
struct maps mappings_of_path(const struct mappings_by_path *mappings, uint32_t path);

#endif
