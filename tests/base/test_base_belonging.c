/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether files belong together: the limits, by hand. */
#include "src/base/build_id.h"

#include "src/base/attr.h"
#include "tests/support/cmocka.h"

static void judged(void **state)
{
	static const struct {
		struct disagreement d;
		bool by_id;
		enum belonging belonging;
	} rows[] = {
		{{0, 0}, false, BELONGS},
		{{100, 5}, false, BELONGS},
		{{1000000, 50000}, false, BELONGS},
		{{100, 6}, false, BELONGS_PERHAPS},
		{{100, 10}, false, BELONGS_PERHAPS},
		{{100, 11}, false, BELONGS_NOT},
		{{1000000, 50001}, false, BELONGS_NOT},
		{{100, 6}, true, BELONGS_BY_ID},
		{{100, 100}, true, BELONGS_BY_ID},
		/* few, but most of them */
		{{1, 1}, false, BELONGS_NOT},
		{{2, 1}, false, BELONGS_PERHAPS},
		{{19, 10}, false, BELONGS_NOT},
		{{20, 10}, false, BELONGS_PERHAPS},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++)
		assert_int_equal(belonging_judge(rows[i].d, 5.0, rows[i].by_id), rows[i].belonging);
	assert_true(disagreement_percent((struct disagreement){0, 0}) == 0);
	assert_true(disagreement_percent((struct disagreement){8, 2}) == 25);
}

static void said(void **state)
{
	(void)state;
	assert_string_equal(belonging_although(BELONGS), "");
	assert_string_equal(belonging_although(BELONGS_BY_ID), ", but the build-ids fit");
	assert_string_equal(belonging_although(BELONGS_PERHAPS), ", but these are few");
	assert_string_equal(belonging_although(BELONGS_NOT), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(judged), cmocka_unit_test(said)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
