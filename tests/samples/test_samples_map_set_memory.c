/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of sets of mappings with other numbers, and changes that run out of memory. */
#include "tests/samples/map_set_model.h"

#define COPIED 200

static const uint32_t new_numbers[] = {[5] = 9}; /* of the files of numbered() */

static void check_renumbered(const struct map_set *copy, const struct map_set *set)
{
	size_t count = map_set_count(set);
	struct mapping *want = calloc(count + 1, sizeof(*want)),
		       *list = calloc(count + 1, sizeof(*list));

	assert_true(want && list);
	assert_int_equal(map_set_count(copy), count);
	map_set_list(set, want);
	map_set_list(copy, list);
	for (size_t i = 0; i < count; i++)
		want[i].file = new_numbers[want[i].file];
	assert_memory_equal(list, want, count * sizeof(*want));
	check_tree(copy, true);
	free(want);
	free(list);
}

/* Sets that share most of their mappings: the copies take no more than they do. */
static void renumbered_copies_share(void **state)
{
	struct map_set *sets[COPIED] = {NULL}, *copies[COPIED];
	struct renumbered done = {.numbers = new_numbers};

	(void)state;
	for (uint64_t k = 0; k < 5000; k++)
		put(&sets[1], k);
	for (size_t i = 2; i < COPIED; i++) {
		sets[i] = map_set_share(sets[i - 1]);
		put(&sets[i], i * 25);
		assert_true(map_set_replace(&sets[i], i * 10, i * 10 + 3, NULL));
	}
	size_t before = held;
	for (size_t i = 0; i < COPIED; i++)
		assert_true(map_set_renumber(sets[i], &done, &copies[i]));
	renumbered_free(&done);
	assert_in_range(held - before, 1, before);
	assert_null(copies[0]);
	for (size_t i = 0; i < COPIED; i++) {
		check_renumbered(copies[i], sets[i]);
		map_set_release(sets[i]);
		map_set_release(copies[i]);
	}
	assert_int_equal(held, 0);
}

static void every_allocation_of_a_copy_may_fail(void **state)
{
	struct map_set *set = NULL, *copy = NULL;
	bool copied = false;

	(void)state;
	for (uint64_t k = 0; k < 700; k++)
		put(&set, k);
	size_t before = held;
	for (unsigned long now = 0; !copied; now++) {
		struct renumbered done = {.numbers = new_numbers};
		allowed = now;
		copied = map_set_renumber(set, &done, &copy);
		allowed = ULONG_MAX;
		renumbered_free(&done);
		assert_true(copied || held == before);
	}
	check_renumbered(copy, set);
	map_set_release(copy);
	map_set_release(set);
	assert_int_equal(held, 0);
}

/* Each address is as in one of the two or holds nothing.  Where one replaced the other what
 * is in both is out of reach of the change, and stays. */
static void check_between(const struct map_set *set, const struct model *a, const struct model *b,
			  bool replaced, uint64_t limit)
{
	for (uint64_t at = 0; at < limit; at++) {
		const struct mapping *m = map_set_find(set, at);
		uint32_t flags = m ? m->flags : 0;
		assert_true(flags == a->flags[at] || flags == b->flags[at] || !flags);
		if (replaced && a->flags[at] == b->flags[at])
			assert_int_equal(flags, a->flags[at]);
	}
}

/* Every allocation of a change fails once; the model after it is models[2]. */
static void change_without_memory(struct map_set **set, struct map_set *other, uint64_t start,
				  uint64_t end, uint64_t number, uint64_t limit)
{
	struct mapping insert = numbered(start, end, number);

	models[2] = models[0];
	paint(&models[2], start, end, number ? &insert : NULL);
	for (unsigned long limit_now = 0;; limit_now++) {
		allowed = limit_now;
		bool done = map_set_replace(set, start, end, number ? &insert : NULL);
		allowed = ULONG_MAX;
		check_tree(*set, false);
		if (done)
			break;
		check_between(*set, &models[0], &models[2], true, limit);
		assert_in_range(limit_now, 0, 100);
	}
	check_like(*set, &models[2], limit);
	check_like(other, &models[1], limit);
	models[0] = models[2];
}

static void update_without_memory(struct map_set **set, struct map_set *to, uint64_t limit)
{
	struct mapping list[400];
	size_t count = map_set_count(to);
	bool done = false;

	assert_in_range(count, 0, 400);
	map_set_list(to, list);
	for (unsigned long limit_now = 0; !done; limit_now++) {
		allowed = limit_now;
		done = map_set_update(set, list, count);
		allowed = ULONG_MAX;
		check_tree(*set, false);
		check_between(*set, &models[0], &models[1], false, limit);
	}
	check_like(*set, &models[1], limit);
	models[0] = models[1];
}

static void every_allocation_may_fail(void **state)
{
	enum { LIMIT = 400 };

	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct prng prng = {seed};
		struct map_set *set = NULL, *other = NULL;
		memset(models, 0, sizeof(models));
		for (uint64_t step = 1; step <= 150; step++) {
			uint64_t start = prng_below(&prng, LIMIT),
				 length = prng_below(&prng, 9) ? 3 : LIMIT / 3;
			uint64_t end = start + 1 + prng_below(&prng, length);
			if (prng_below(&prng, 4) == 0)
				be_shared(&other, &models[1], set, &models[0]);
			else if (prng_below(&prng, 12) == 0)
				update_without_memory(&set, other, LIMIT);
			change_without_memory(&set, other, start, end < LIMIT ? end : LIMIT,
					      prng_below(&prng, 5) ? step : 0, LIMIT);
		}
		map_set_release(set);
		map_set_release(other);
		assert_int_equal(held, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(renumbered_copies_share),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(every_allocation_of_a_copy_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
