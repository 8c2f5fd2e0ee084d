/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/trial/ratio.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

/* Between 0 and 1, both left out. */
static double uniform(struct prng *random)
{
	return ((double)(prng_next(random) >> 11) + 0.5) / 9007199254740992.0;
}

/* What a run takes: 1, and noise. */
enum noise { NORMAL, TAILS, ONE_SIDED, NOISES };

static double run_of(struct prng *random, enum noise noise, double deviation)
{
	double normal = sqrt(-2 * log(uniform(random))) * cos(6.283185307179586 * uniform(random));

	if (noise == ONE_SIDED) /* as other work on the machine adds */
		return 1 + deviation * -log(uniform(random));
	return exp(deviation * normal * (noise == TAILS && uniform(random) < 0.2 ? 8 : 1));
}

/* After how many rounds the interval leaves out 1, with a look at each; 0: never. */
static size_t rounds_until(struct prng *random, enum noise noise, double is, size_t most,
			   struct ratio_estimate *estimate)
{
	struct ratio ratio = {0};
	size_t found = 0;

	for (size_t i = 1; i <= most && !found; i++) {
		double a = run_of(random, noise, 0.01), b = is * run_of(random, noise, 0.01);
		assert_true(ratio_add(&ratio, a, b));
		assert_true(ratio_estimate(&ratio, estimate));
		if (estimate->low > 1 || estimate->high < 1)
			found = i;
	}
	ratio_free(&ratio);
	return found;
}

/* Who looks at each of 60 rounds is wrong in at most 5 % of all comparisons; the bound is three
 * deviations of 300 trials away. */
static void test_of_equals(void **state)
{
	(void)state;
	for (enum noise noise = 0; noise < NOISES; noise++) {
		struct prng random = {noise + 1};
		struct ratio_estimate estimate;
		size_t wrong = 0;
		for (int i = 0; i < 300; i++)
			wrong += rounds_until(&random, noise, 1, 60, &estimate) > 0;
		assert_in_range(wrong, 0, 26);
	}
}

/* Twice the noise of a run is found in 20 rounds, as a rule, and on the right side. */
static void test_of_others(void **state)
{
	static const double is[] = {0.98, 1.02};

	(void)state;
	for (int which = 0; which < 2; which++) {
		struct prng random = {77};
		size_t found = 0;
		for (int i = 0; i < 60; i++) {
			struct ratio_estimate estimate;
			size_t rounds = rounds_until(&random, NORMAL, is[which], 40, &estimate);
			if (rounds)
				assert_true(which ? estimate.low > 1 : estimate.high < 1);
			found += rounds && rounds <= 25;
		}
		assert_in_range(found, 50, 60);
	}
}

/* Six rounds on one side are not enough, ten are: a bet of 0.97 on each side by sign and rank, of
 * 16, has 1.97^10 / 16 = 55, above 20; after six less than 1.97^6 / 8 = 7.3. */
static void test_few_rounds(void **state)
{
	struct ratio ratio = {0};
	struct ratio_estimate estimate;

	(void)state;
	assert_true(ratio_estimate(&ratio, &estimate));
	assert_true(estimate.ratio == 1 && estimate.low == 0 && isinf(estimate.high));
	for (int i = 0; i < 10; i++) {
		assert_true(ratio_add(&ratio, 1, 2));
		assert_true(ratio_estimate(&ratio, &estimate));
		assert_true(fabs(estimate.ratio - 2) < 1e-9);
		if (i < 6)
			assert_true(estimate.low < 1);
		assert_int_equal(ratio_rounds_for(ratio.logs.len, &estimate, 0.01) == 0,
				 estimate.low <= 0 || isinf(estimate.high));
	}
	assert_true(estimate.low > 1.99 && estimate.low <= 2 && estimate.high >= 2);
	ratio_free(&ratio);
}

/* The interval is the same whichever program is the first, turned. */
static void test_turned(void **state)
{
	struct prng random = {5};
	struct ratio one = {0}, other = {0};
	struct ratio_estimate of_one, of_other;

	(void)state;
	for (int i = 0; i < 50; i++) {
		double a = run_of(&random, TAILS, 0.05), b = run_of(&random, TAILS, 0.05);
		assert_true(ratio_add(&one, a, b) && ratio_add(&other, b, a));
	}
	assert_true(ratio_estimate(&one, &of_one) && ratio_estimate(&other, &of_other));
	assert_true(fabs(of_one.ratio * of_other.ratio - 1) < 1e-4);
	assert_true(fabs(of_one.low * of_other.high - 1) < 1e-4);
	assert_true(fabs(of_one.high * of_other.low - 1) < 1e-4);
	ratio_free(&one);
	ratio_free(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_equals),
		cmocka_unit_test(test_of_others),
		cmocka_unit_test(test_few_rounds),
		cmocka_unit_test(test_turned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
