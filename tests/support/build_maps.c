/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/build_maps.h"

#include "tests/support/cmocka.h"

void put_region(struct map_set **set, uint64_t start, uint64_t end, uint64_t offset, uint32_t file)
{
	const struct mapping m = {start, end, offset, file, MAPPING_READ};

	assert_true(map_set_replace(set, start, end, &m));
}

void put_code_region(struct map_set **set, uint64_t start, uint64_t end, uint64_t offset,
		     uint32_t file)
{
	const struct mapping m = {start, end, offset, file, MAPPING_READ | MAPPING_EXEC};

	assert_true(map_set_replace(set, start, end, &m));
}

struct maps list_regions(const struct map_set *set)
{
	struct maps maps;

	assert_true(maps_of(set, &maps));
	return maps;
}

uint32_t number_of_file(struct mapped_files *files, const char *path)
{
	struct mapped_file file = {0};
	uint32_t number;

	assert_true(strings_intern(&files->texts, text_of(path), &file.path));
	assert_true(mapped_files_intern(files, &file, &number));
	return number;
}
