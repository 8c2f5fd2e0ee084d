/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/heat.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

/* The cells of a heat map, which are what is after the address of a line, without colors. */
static uint64_t count_cells(const char *picture)
{
	uint64_t cells = 0;

	for (const char *line = picture; line; line = strchr(line, '\n')) {
		while (*line == '\n')
			line++;
		const char *at = line;
		for (; *at == '\033'; at = strchr(at, 'm') + 1)
			;
		if (strncmp(at, "0x", 2) != 0)
			continue;
		for (at = strchr(at, ' ') + 1; *at != '\n'; at++) {
			if (*at == '\033')
				at = strchr(at, 'm');
			else
				cells++;
		}
	}
	return cells;
}

/* Random runs, next to each other, in one line, with few and many empty lines between them. */
static void cells_are_those_of_the_picture(void **state)
{
	struct prng prng = {1};

	(void)state;
	for (unsigned round = 0; round < 500; round++) {
		static const uint64_t gaps[] = {2, 30, 400, 3000};
		struct heat heat = {.bucket = 64};
		struct heat_sections sections = {0};
		struct heat_picture how = {&sections, 1 + (unsigned)prng_below(&prng, 40), false,
					   false};
		uint64_t at = 0, runs = prng_below(&prng, 8);
		char *picture = NULL;
		size_t size = 0;
		for (uint64_t i = 0; i < runs; i++) {
			struct heat_run run = {at + prng_below(&prng, gaps[prng_below(&prng, 4)]),
					       1 + prng_below(&prng, 100), 1 + i};
			assert_true(heat_run_vec_push(&heat.runs, run));
			at = run.first + run.count;
		}
		FILE *out = open_memstream(&picture, &size);
		heat_write_picture(&heat, &how, out);
		fclose(out);
		assert_int_equal(heat_picture_cells(&heat, how.line), count_cells(picture));
		free(picture);
		heat_free(&heat);
	}
}

/* The last address there is has a bucket, of whatever size, and ranges end there. */
static void ranges_end_with_the_addresses(void **state)
{
	static const uint64_t sizes[] = {1, 2, 64, 4096};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct heat_edge_vec edges = {0};
		struct heat heat;
		assert_true(heat_add(&edges, sizes[i], UINT64_MAX - 8191, UINT64_MAX, 5));
		assert_true(heat_of_edges(&edges, sizes[i], &heat));
		assert_int_equal(heat.runs.len, 1);
		assert_int_equal(heat.buckets,
				 sizes[i] == 1 ?
					 8191 :
					 8192 / sizes[i]); /* the bucket 2^64 - 1 has no end */
		assert_int_equal(heat.hits, 5 * heat.buckets);
		heat_edge_vec_free(&edges);
		heat_free(&heat);
	}
}

static void assert_section(const struct heat_section *section, const char *name, uint64_t touched,
			   uint64_t hits)
{
	assert_true(text_is(section->name, name));
	assert_int_equal(section->touched, touched);
	assert_int_equal(section->hits, hits);
}

/* Buckets of 16 bytes, and sections that are not by address in the file: .a has the buckets
 * 0x10 to 0x12, .b 0x20 to 0x23, and each the one in front that ends where it begins.  The hot code
 * has all of 0x11 after its first bytes in 0x10. */
static void sections_by_address(void **state)
{
	static struct section sections[] = {
		{.name = {".b", 2},
		 .flags = SHF_ALLOC | SHF_EXECINSTR,
		 .addr = 0x200,
		 .size = 0x40},
		{.name = {".empty", 6}, .flags = SHF_ALLOC | SHF_EXECINSTR, .addr = 0xd0},
		{.name = {".data", 5}, .flags = SHF_ALLOC, .addr = 0xd0, .size = 0x100},
		{.name = {".debug", 6}, .flags = SHF_EXECINSTR, .addr = 0xd0, .size = 0x100},
		{.name = {".a", 2},
		 .flags = SHF_ALLOC | SHF_EXECINSTR,
		 .addr = 0x100,
		 .size = 0x28},
		{.name = {".beyond", 7},
		 .flags = SHF_ALLOC | SHF_EXECINSTR,
		 .addr = UINT64_MAX,
		 .size = 1},
	};
	struct function_table table = {
		.image = {.sections = sections, .section_count = BC_COUNT(sections)},
		.symbols = {.hot_start = 0x108, .hot_end = 0x118}};
	static struct heat_run runs[] = {{0xd, 8, 1}, {0x1e, 3, 10}, {0x23, 2, 100}};
	struct heat heat = {.bucket = 16, .runs = {.at = runs, .len = BC_COUNT(runs)}};
	struct heat_sections found;

	(void)state;
	assert_true(heat_sections_take(&heat, &table, &found));
	assert_int_equal(found.at.len, 2);
	assert_section(&found.at.at[0], ".a", 4, 4);
	assert_section(&found.at.at[1], ".b", 3, 20 + 100);
	assert_section(&found.hot, "[hot text]", 1, 1);
	assert_int_equal(found.unmapped, 2 + 2 + 10 + 100);
	assert_int_equal(heat_section_buckets(&heat, &found.at.at[0]), 3);
	assert_int_equal(heat_section_buckets(&heat, &found.hot), 2);
	heat_sections_free(&found);

	table.symbols.hot_end = table.symbols.hot_start; /* no hot code */
	assert_true(heat_sections_take(&heat, &table, &found));
	assert_int_equal(found.hot.end, 0);
	heat_sections_free(&found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_those_of_the_picture),
		cmocka_unit_test(ranges_end_with_the_addresses),
		cmocka_unit_test(sections_by_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
