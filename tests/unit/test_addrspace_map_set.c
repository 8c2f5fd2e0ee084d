/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sets of mappings against a plain array of what each address holds. */
#include "src/addrspace/map_set.h"

#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

#define ADDRESSES 48
#define SETS 3

/* Per address: 0 for nothing, else the base of the mapping there. */
struct model {
	uint64_t at[ADDRESSES];
};

static void assert_like(const struct map_set *set, const struct model *model)
{
	for (uint64_t at = 0; at < ADDRESSES; at++) {
		const struct mapping *m = map_set_find(set, at);
		assert_int_equal(m ? m->base : 0, model->at[at]);
		if (m)
			assert_true(m->start <= at && at < m->end);
	}
	for (size_t i = 0; set && !set->parts && i < set->len; i++) {
		assert_true(set->at[i].start < set->at[i].end);
		assert_true(!i || set->at[i - 1].end <= set->at[i].start);
	}
}

static void replace(struct map_set **set, struct model *model, struct prng *prng, uint64_t base)
{
	uint64_t start = prng_below(prng, ADDRESSES);
	uint64_t end = start + 1 + prng_below(prng, ADDRESSES - start);
	struct mapping insert = {start, end, base, false};
	bool cut_only = prng_below(prng, 4) == 0;

	assert_true(map_set_replace(set, start, end, cut_only ? NULL : &insert));
	for (uint64_t at = start; at < end; at++)
		model->at[at] = cut_only ? 0 : base;
}

/* Sets that share their mappings now and then must not see each other's. */
static void random_changes(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct prng prng = {seed};
		struct map_set *sets[SETS] = {NULL};
		struct model models[SETS] = {{{0}}};
		for (uint64_t step = 1; step <= 60; step++) {
			size_t a = prng_below(&prng, SETS), b = prng_below(&prng, SETS);
			if (a != b && prng_below(&prng, 5) == 0) {
				map_set_release(sets[b]);
				sets[b] = map_set_share(sets[a]);
				models[b] = models[a];
			} else {
				replace(&sets[a], &models[a], &prng, step);
			}
			for (size_t i = 0; i < SETS; i++)
				assert_like(sets[i], &models[i]);
		}
		for (size_t i = 0; i < SETS; i++)
			map_set_release(sets[i]);
	}
}

static void a_hole_leaves_two_rests(void **state)
{
	struct map_set *set = NULL;
	struct mapping whole = {10, 40, 7, true};

	(void)state;
	assert_true(map_set_replace(&set, 10, 40, &whole));
	assert_true(map_set_replace(&set, 20, 30, NULL));
	assert_int_equal(set->len, 2);
	assert_int_equal(set->at[0].end, 20);
	assert_int_equal(set->at[1].start, 30);
	assert_int_equal(set->at[1].base, 7);
	assert_true(set->at[1].is_image);
	map_set_release(set);
}

/* Long sets: thousands of mappings, most below the ones before, shared and cut. */
#define LONG 20000
#define LONG_STEPS 12000

static uint64_t long_model[2][LONG];

static void long_sets(void **state)
{
	struct map_set *sets[2] = {NULL};
	struct prng prng = {7};

	(void)state;
	for (uint64_t step = 1; step <= LONG_STEPS; step++) {
		size_t s = prng_below(&prng, 2);
		uint64_t length = prng_below(&prng, 200) ? 1 : 1 + prng_below(&prng, step % 2000 ? 300 : LONG);
		uint64_t start = prng_below(&prng, 3) ? (LONG_STEPS - step) * 3 / 2 : prng_below(&prng, LONG);
		uint64_t end = start + length < LONG ? start + length : LONG;
		struct mapping insert = {start, end, step, step % 64 == 0};
		bool cut_only = prng_below(&prng, 8) == 0;
		if (prng_below(&prng, 50) == 0) {
			map_set_release(sets[s]);
			sets[s] = map_set_share(sets[!s]);
			memcpy(long_model[s], long_model[!s], sizeof(long_model[s]));
		}
		assert_true(map_set_replace(&sets[s], start, end, cut_only ? NULL : &insert));
		for (uint64_t at = start; at < end; at++)
			long_model[s][at] = cut_only ? 0 : step;
		for (size_t k = 0; k < 2; k++) {
			for (uint64_t at = step % 499; at < LONG; at += step % 500 ? 499 : 1) {
				const struct mapping *m = map_set_find(sets[k], at);
				assert_int_equal(m ? m->base : 0, long_model[k][at]);
			}
		}
	}
	assert_non_null(sets[0]->parts);
	for (size_t k = 0; k < 2; k++) {
		assert_true(map_set_replace(&sets[k], 0, LONG, NULL));
		assert_null(map_set_find(sets[k], 5));
		assert_true(map_set_replace(&sets[k], 3, 9, &(struct mapping){3, 9, 1, true}));
		assert_int_equal(map_set_find(sets[k], 5)->base, 1);
		map_set_release(sets[k]);
	}
}

static void the_empty_set_is_null(void **state)
{
	struct map_set *set = NULL;

	(void)state;
	assert_null(map_set_find(set, 0));
	assert_null(map_set_share(set));
	assert_true(map_set_replace(&set, 1, 2, NULL));
	assert_null(set);
	map_set_release(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_changes),
		cmocka_unit_test(a_hole_leaves_two_rests),
		cmocka_unit_test(long_sets),
		cmocka_unit_test(the_empty_set_is_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
