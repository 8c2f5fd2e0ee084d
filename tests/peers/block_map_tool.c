/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What elf/block_map.h reads of a binary, for block-map.sh: of each function "function FEATURES
 * ENTRIES", of its ranges "range ADDRESS", after each its blocks, "block ID ADDRESS SIZE IS
 * FREQUENCY ID:PROBABILITY...".
 */
#include <inttypes.h>
#include <stdio.h>

#include "src/base/file.h"
#include "src/elf/block_map.h"

static void print_function(const struct map_function *f)
{
	printf("function %u %" PRIu64 "\n", f->features, f->entry_count);
	for (size_t i = 0; i < f->ranges.len; i++) {
		const struct map_range *range = &f->ranges.at[i];
		printf("range %" PRIu64 "\n", range->address);
		for (uint32_t k = 0; k < range->count; k++) {
			const struct map_block *block = &f->blocks.at[range->first + k];
			printf("block %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu64,
			       block->id, block->address, block->size, block->is, block->frequency);
			for (uint32_t n = 0; n < block->successors; n++) {
				const struct map_successor *to =
					&f->successors.at[block->first_successor + n];
				printf(" %" PRIu32 ":%" PRIu32, to->id, to->probability);
			}
			putchar('\n');
		}
	}
}

static bool print_section(const struct image *image, const struct section *section,
			  struct bc_error *err)
{
	struct map_function function = {0};
	struct block_map map;
	bool ok = block_map_open(image, section, &map, err);

	while (ok && block_map_next(&map, &function))
		print_function(&function);
	map_function_free(&function);
	return ok && block_map_check(&map, err);
}

int main(int argc, char **argv)
{
	struct file_map file = {0};
	struct image image = {0};
	struct bc_error err = {0};
	bool ok =
		argc == 2 && file_map(argv[1], &file, &err) && image_open_map(&file, &image, &err);
	const struct section *section = ok ? block_map_section(&image, NULL) : NULL;

	for (; ok && section; section = block_map_section(&image, section))
		ok = print_section(&image, section, &err);
	if (!ok)
		fprintf(stderr, "%s\n", argc == 2 ? err.text : "usage: block_map_tool BINARY");
	image_close(&image);
	file_unmap(&file);
	return !ok;
}
