/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "src/quality/heat_write.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

/* The cells of a picture, which are what stands behind the address of a line, without colors. */
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
		struct heat_picture how = {&sections, 1 + (unsigned)prng_below(&prng, 40), false, false};
		uint64_t at = 0, runs = prng_below(&prng, 8);
		char *picture = NULL;
		size_t size = 0;
		for (uint64_t i = 0; i < runs; i++) {
			struct heat_run run = {at + prng_below(&prng, gaps[prng_below(&prng, 4)]), 1 + prng_below(&prng, 100), 1 + i};
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
		assert_int_equal(heat.buckets, sizes[i] == 1 ? 8191 : 8192 / sizes[i]); /* the bucket 2^64 - 1 has no end */
		assert_int_equal(heat.hits, 5 * heat.buckets);
		heat_edge_vec_free(&edges);
		heat_free(&heat);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_those_of_the_picture),
		cmocka_unit_test(ranges_end_with_the_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
