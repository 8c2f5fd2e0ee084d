/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Damaged files: every truncation and every changed byte of small real shared
 * libraries, one per machine.  check_elf() says what must still hold; sanitizers
 * watch the rest.
 */
#include <stdio.h>
#include <stdlib.h>

#include "src/base/file.h"
#include "src/base/sort.h"
#include "tests/support/check_elf.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

static const char *const files[] = {"x86.so", "aarch64.so", "riscv.so", "ibt.so", "stripped.so"};

static struct file_map open_seed(const char *name)
{
	char path[4096];
	struct file_map map;
	struct bc_error err = {0};

	snprintf(path, sizeof(path), "%s/tests/hostile/fuzz/corpus/elf/%s", BATCONV_SOURCE_DIR,
		 name);
	if (!file_map(path, &map, &err))
		fail_msg("%s", err.text);
	return map;
}

/* A copy of exactly this size, so that a step beyond its end is seen. */
static bool check_copy(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, data, size);
	bool done = check_elf((struct bytes){copy, size});
	free(copy);
	return done;
}

static void test_seeds(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(files); i++) {
		struct file_map map = open_seed(files[i]);
		assert_true(check_copy(map.data, map.size));
		file_unmap(&map);
	}
}

/* The section headers are at the end: without them there is no file. */
static void test_truncations(void **state)
{
	(void)state;
	for (size_t i = 0; i < BC_COUNT(files); i++) {
		struct file_map map = open_seed(files[i]);
		for (size_t size = 0; size < map.size; size++)
			assert_false(check_copy(map.data, size));
		file_unmap(&map);
	}
}

static void test_changed_bytes(void **state)
{
	static const uint8_t changes[] = {0x01, 0x80, 0xff};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(files); i++) {
		struct file_map map = open_seed(files[i]);
		uint8_t *copy = malloc(map.size);
		assert_non_null(copy);
		memcpy(copy, map.data, map.size);
		for (size_t at = 0; at < map.size; at++)
			for (size_t c = 0; c < BC_COUNT(changes); c++) {
				copy[at] ^= changes[c];
				(void)check_elf((struct bytes){copy, map.size});
				copy[at] = map.data[at];
			}
		free(copy);
		file_unmap(&map);
	}
}

/* The sort that everything here depends on, against the simplest one. */
static void test_sort(void **state)
{
	struct prng random = {7};
	struct keyed items[300];

	(void)state;
	for (int round = 0; round < 200; round++) {
		size_t count = prng_below(&random, BC_COUNT(items) + 1);
		uint64_t mask = UINT64_MAX >> prng_below(&random, 64);
		for (size_t i = 0; i < count; i++)
			items[i] = (struct keyed){prng_next(&random) & mask, i};
		assert_true(sort_keyed(items, count));
		for (size_t i = 1; i < count; i++)
			assert_true(items[i - 1].key < items[i].key ||
				    (items[i - 1].key == items[i].key &&
				     items[i - 1].index < items[i].index));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seeds),
		cmocka_unit_test(test_truncations),
		cmocka_unit_test(test_changed_bytes),
		cmocka_unit_test(test_sort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
