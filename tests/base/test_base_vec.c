/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/vec.h"

#include "tests/support/cmocka.h"

DEFINE_VEC(word_vec, uint64_t);

/* Through every way to grow: small, with large pages, mapped by itself. */
static void keeps_all_while_it_grows(void **state)
{
	struct word_vec v = {0};

	(void)state;
	for (uint64_t i = 0; i < (uint64_t)9 << 20; i++)
		assert_true(word_vec_push(&v, i * 3));
	assert_int_equal(v.len, 9 << 20);
	assert_true(v.cap >= v.len && v.cap <= 2 * v.len);
	for (uint64_t i = 0; i < v.len; i++)
		if (v.at[i] != i * 3)
			fail_msg("%zu holds %zu", (size_t)i, (size_t)v.at[i]);
	word_vec_free(&v);
	assert_null(v.at);
}

static void what_cannot_be_had_leaves_it_as_it_was(void **state)
{
	struct word_vec v = {0};

	(void)state;
	assert_true(word_vec_push(&v, 7));
	assert_false(word_vec_reserve(&v, SIZE_MAX / 8 + 1)); /* more bytes than can be counted */
	assert_int_equal(v.len, 1);
	assert_int_equal(v.at[0], 7);
	assert_null(large_pages(NULL, (size_t)64 << 20));
	word_vec_free(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keeps_all_while_it_grows),
		cmocka_unit_test(what_cannot_be_had_leaves_it_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
