/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps of a process, put together mapping by mapping. */
#ifndef TESTS_SUPPORT_BUILD_MAPS_H
#define TESTS_SUPPORT_BUILD_MAPS_H

#include "src/samples/map_set.h"
#include "src/samples/snapshots.h"

/* Maps [start, end) of a file, readable; the second also executable. */
void put_region(struct map_set **set, uint64_t start, uint64_t end, uint64_t offset, uint32_t file);
void put_code_region(struct map_set **set, uint64_t start, uint64_t end, uint64_t offset,
		     uint32_t file);

/* The mappings as an array, for maps_free(). */
struct maps list_regions(const struct map_set *set);

/* The number of the file of a path, which is new or not. */
uint32_t number_of_file(struct mapped_files *files, const char *path);

#endif
