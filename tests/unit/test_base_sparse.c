/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the head of a side file claims, before anything is unpacked. */
#include "src/base/sparse.h"

#include <string.h>

#include "tests/support/cmocka.h"

/* A file of this size, of which `count` parts hold something, of which there is no table. */
static size_t put_head(uint8_t *out, uint64_t large, uint64_t count)
{
	memcpy(out, "BATCONV-SPARSE1\n", 16);
	for (unsigned i = 0; i < 8; i++) {
		out[16 + i] = (uint8_t)(large >> 8 * i);
		out[24 + i] = (uint8_t)(count >> 8 * i);
	}
	return 32;
}

static void sizes_that_no_file_has(void **state)
{
	static const uint64_t rows[][2] = {{0, 0}, {0, 1}, {UINT64_MAX, 0}, {UINT64_C(1) << 63, 0}, {4096, 1}, {4096, UINT64_MAX}};
	uint8_t head[32];

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct file_map map;
		struct bc_error err = {0};
		size_t size = put_head(head, rows[i][0], rows[i][1]);
		assert_true(sparse_is(head, size));
		assert_false(sparse_map(head, size, &map, &err));
		assert_int_equal(err.code, BC_FORMAT);
		assert_non_null(strstr(err.text, "the table of parts is damaged"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_that_no_file_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
