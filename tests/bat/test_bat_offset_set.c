/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A set of pairs compared with an array of bits: what was added is there, and nothing else. */
#include "bat/parents.c"

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

/* The smallest and the largest of both numbers, one pair after the other. */
static void pairs_at_the_ends(void **state)
{
	static const uint32_t hot[] = {0, 1, UINT32_MAX - 1}, what[] = {0, 1, UINT32_MAX};
	enum { COUNT = 3 };
	struct bat_offset_set claims;

	(void)state;
	assert_true(bat_offset_set_init(&claims, COUNT * COUNT));
	for (unsigned added = 0; added <= COUNT * COUNT; added++) {
		for (unsigned i = 0; i < COUNT * COUNT; i++)
			assert_int_equal(
				bat_offset_set_has(&claims, hot[i / COUNT], what[i % COUNT]),
				i < added);
		if (added < COUNT * COUNT)
			bat_offset_set_add(&claims, hot[added / COUNT], what[added % COUNT]);
	}
	bat_offset_set_free(&claims);
}

/* As many as it was made for, some of them twice. */
static void many_pairs(void **state)
{
	enum { SIDE = 64, ADDED = 1000 };
	static bool there[SIDE][SIDE];
	struct bat_offset_set claims;
	struct prng prng = {.state = 1};

	(void)state;
	assert_true(bat_offset_set_init(&claims, ADDED));
	for (unsigned i = 0; i < ADDED; i++) {
		uint32_t hot = (uint32_t)prng_below(&prng, SIDE),
			 what = (uint32_t)prng_below(&prng, SIDE);
		bat_offset_set_add(&claims, hot, what);
		there[hot][what] = true;
	}
	for (uint32_t hot = 0; hot < SIDE; hot++)
		for (uint32_t what = 0; what < SIDE; what++)
			assert_int_equal(bat_offset_set_has(&claims, hot, what), there[hot][what]);
	bat_offset_set_free(&claims);
}

static void none(void **state)
{
	struct bat_offset_set claims;

	(void)state;
	assert_true(bat_offset_set_init(&claims, 0));
	assert_false(bat_offset_set_has(&claims, 0, 0));
	bat_offset_set_free(&claims);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_at_the_ends),
		cmocka_unit_test(many_pairs),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
