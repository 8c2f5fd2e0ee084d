/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions whose names link-time optimization changed from build to build.  The source is part of
 * this file: what it decides by is what a new build shows. */
#include "src/figures/staleness.c"

#include "tests/support/cmocka.h"

/* For the profile: f.lto_priv.3 with hash 1, f.lto_priv.4 with hash 2, g.lto_priv.0 with hash 9;
 * the new build has two functions f with these hashes, and one g with another. */
static void first_exact_pair_of_a_common_name(void **state)
{
	static const char *const names[] = {"f.lto_priv.3", "f.lto_priv.4", "g.lto_priv.0"};
	static const uint64_t hashes[] = {1, 2, 9};
	struct common_function common[] = {{1, 5, 1}, {1, 6, 2}, {2, 7, 8}};
	struct old_profile profile = {0};
	struct old_function functions[BC_COUNT(names)] = {{0}};
	struct staleness out = {.means = STALE_BY_HASHES};
	uint32_t is[] = {NO_FUNCTION, NO_FUNCTION, NO_FUNCTION}, number;
	bool claimed[8] = {false};
	struct build_comparison c = {.profile = &profile,
				     .functions = functions,
				     .count = BC_COUNT(names),
				     .out = &out,
				     .is = is,
				     .claimed = claimed,
				     .common = {common, BC_COUNT(common), BC_COUNT(common)}};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(names); i++) {
		assert_true(strings_intern(&profile.names, text_of(names[i]), &functions[i].name));
		functions[i].hash = hashes[i];
	}
	assert_true(strings_intern(&c.commons, text_of("f.lto_priv."), &number) && number == 1);
	assert_true(strings_intern(&c.commons, text_of("g.lto_priv."), &number) && number == 2);
	assert_true(match_common(&c));
	assert_int_equal(is[0], 5);
	assert_int_equal(is[1], NO_FUNCTION); /* the first exact pair counts */
	assert_int_equal(is[2], 7);           /* one of each */
	strings_free(&c.commons);
	strings_free(&profile.names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(first_exact_pair_of_a_common_name)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
