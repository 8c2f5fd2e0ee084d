/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two halves of counts, and how far their layouts agree: what comes out is worked out by hand. */
#include "src/figures/layouts.h"

#include <math.h>

#include "src/base/counts.h"
#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

static struct tiny_binary tiny;

/* One line of a half; a call if the functions differ. */
struct counted_branch {
	int from;
	uint32_t from_at;
	int to;
	uint32_t to_at;
	uint64_t count;
};

static struct profile profile_of(const struct counted_branch *lines, size_t count, bool basic)
{
	static struct record_batch batch;
	struct profile profile;
	struct bc_error err;

	batch = (struct record_batch){0};
	for (size_t i = 0; i < count; i++) {
		struct record record = {.kind = basic ? RECORD_SAMPLE : RECORD_BRANCH,
					.from = {&tiny.functions[lines[i].from], lines[i].from_at},
					.count = lines[i].count};
		if (!basic)
			record.to =
				(struct input_place){&tiny.functions[lines[i].to], lines[i].to_at};
		assert_true(record_push(&batch, &tiny.binary, &record));
	}
	assert_true(profile_build(&tiny.binary, basic, &batch.records, 1, 1, &profile, &err));
	return profile;
}

static struct stability compared(const struct counted_branch *a, size_t a_count,
				 const struct counted_branch *b, size_t b_count, double moved)
{
	struct profile halves[2] = {profile_of(a, a_count, false), profile_of(b, b_count, false)};
	const struct flow_code nothing = {0};
	struct layouts_taken taken;
	struct stability out;
	struct bc_error err;

	assert_true(layouts_compare(halves, moved, &nothing, &out, &taken, &err));
	assert_false(taken.known);
	profile_free(&halves[0]);
	profile_free(&halves[1]);
	return out;
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static int setup(void **state)
{
	(void)state;
	tiny_binary_init(&tiny);
	return 0;
}

/* ---- layouts ---- */

static void equal_halves(void **state)
{
	const struct counted_branch lines[] = {{0, 8, 0, 0x10, 70},
					       {0, 8, 0, 0x20, 30},
					       {0, 0x18, 0, 0x30, 70},
					       {0, 0x18, 1, 0, 5}};
	struct stability s = compared(lines, 4, lines, 4, 0);

	(void)state;
	assert_true(near(s.layout, 100) && near(s.percent, 100) && near(s.overlap, 100) &&
		    near(s.hot_differ, 0));
}

/* The first half goes to 10 nine times of ten, the second to 20: in its own layout a half takes 10
 * branches, in the other's 90. */
static void contrary_halves(void **state)
{
	const struct counted_branch a[] = {{0, 8, 0, 0x10, 90}, {0, 8, 0, 0x20, 10}},
				    b[] = {{0, 8, 0, 0x10, 10}, {0, 8, 0, 0x20, 90}};
	struct stability s = compared(a, 2, b, 2, 0);

	(void)state;
	assert_true(near(s.layout, 100. * 10 / 90));
	assert_true(near(s.overlap, 20) && near(s.hot_differ, 90));
}

/* Calls are taken twice in every layout, there and back: 2 * 45 + 10 of 2 * 45 + 90. */
static void calls_are_always_taken(void **state)
{
	const struct counted_branch a[] = {
		{0, 8, 0, 0x10, 90}, {0, 8, 0, 0x20, 10}, {0, 4, 1, 0, 45}};
	const struct counted_branch b[] = {
		{0, 8, 0, 0x10, 10}, {0, 8, 0, 0x20, 90}, {0, 4, 1, 0, 45}};

	(void)state;
	assert_true(near(compared(a, 3, b, 3, 0).layout, 100. * 100 / 180));
}

/* Each half has seen another function: half of the other's 100 branches are taken, and none in its
 * own layout but the 2 * 10 of calls. */
static void what_a_half_has_not_seen(void **state)
{
	const struct counted_branch a[] = {{0, 8, 0, 0x10, 100}, {0, 4, 1, 0, 10}},
				    b[] = {{1, 8, 1, 0x10, 100}, {1, 4, 0, 0, 10}};
	struct stability s = compared(a, 2, b, 2, 0);

	(void)state;
	assert_true(near(s.layout, 100. * 20 / 70) && near(s.overlap, 0));
}

/* One branch of a loop is taken, the rarer one: 10 -> 20 -> 10.  The halves do not agree on which.
 */
static void a_loop(void **state)
{
	const struct counted_branch a[] = {{0, 0x18, 0, 0x20, 5}, {0, 0x28, 0, 0x10, 6}},
				    b[] = {{0, 0x18, 0, 0x20, 6}, {0, 0x28, 0, 0x10, 5}};

	(void)state;
	assert_true(near(compared(a, 2, b, 2, 0).layout, 100. * 5 / 6));
}

static void empty_halves(void **state)
{
	const struct counted_branch a[] = {{0, 8, 0, 0x10, 1}};
	struct stability s = compared(a, 1, a, 0, 0);

	(void)state;
	assert_true(near(s.layout, 0) && near(s.overlap, 0) && near(s.hot_differ, 100));
	s = compared(a, 0, a, 0, 0);
	assert_true(near(s.layout, 0) && near(s.percent, 0));
}

static void reassigned_samples(void **state)
{
	const struct counted_branch lines[] = {{0, 8, 0, 0x10, 70}, {0, 8, 0, 0x20, 30}};
	struct stability s = compared(lines, 2, lines, 2, 20);

	(void)state;
	assert_true(near(s.layout, 100) && near(s.percent, 80));
}

/* ---- halves ---- */

/* For sums of many counts: mean n / 2, variance n / 4; each within five standard errors. */
static void tosses(void **state)
{
	const uint64_t counts[] = {1, 2, 63, 64, 65, 1000, HALVE_TOSSED, HALVE_TOSSED + 1, 1000000};
	enum { MANY = 4000 };

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		double n = (double)counts[i], sum = 0, squares = 0;
		for (uint64_t seed = 0; seed < MANY; seed++) {
			uint64_t first = halve(counts[i], seed);
			assert_true(first <= counts[i]);
			assert_true(first == halve(counts[i], seed));
			sum += (double)first - n / 2;
			squares += ((double)first - n / 2) * ((double)first - n / 2);
		}
		assert_true(fabs(sum / MANY) < 5 * sqrt(n / 4 / MANY) + .5);
		assert_true(fabs(squares / MANY / (n / 4) - 1) < 5 * sqrt(2. / MANY) + .01);
	}
	assert_true(halve(0, 7) == 0);
	assert_true(halve(UINT64_MAX, 7) > UINT64_MAX / 2 - (UINT64_C(1) << 36));
	double first = 0;
	for (uint64_t number = 0; number < MANY; number++)
		first += halve_is_first(number);
	assert_true(fabs(first - MANY / 2) < 5 * sqrt(MANY / 4));
}

/* Both halves together are the whole; what has a count of zero is in neither. */
static void halves_of_counts(void **state)
{
	const struct count_row rows[] = {
		{{0x1000, 1, 2}, 10, 4}, {{0x2000, 1, 2}, 1, 0}, {{0x9000, 1, 2}, 7, 7}};
	struct counts counts, halves[2];
	uint64_t sums[2] = {0};

	(void)state;
	counts_init(&counts);
	assert_true(counts_take_rows(&counts, rows, 3));
	assert_true(counts_settle(&counts, 1));
	for (int half = 0; half < 2; half++) {
		assert_true(counts_half(&counts, !half, &halves[half]));
		for (size_t i = 0; i < COUNTS_SHARDS; i++)
			for (size_t k = 0; k < halves[half].shards[i].used; k++) {
				assert_true(halves[half].shards[i].rows[k].count);
				sums[half] += halves[half].shards[i].rows[k].count;
			}
		assert_int_equal(counts_used(&halves[half]), 2);
		counts_free(&halves[half]);
	}
	assert_int_equal(sums[0], 11);
	assert_int_equal(sums[1], 7);
	counts_free(&counts);
}

static void halves_of_plain_samples(void **state)
{
	const struct counted_branch lines[] = {
		{0, 4, 0, 0, 1000}, {0, 8, 0, 0, 1}, {1, 0, 0, 0, 77}};
	struct profile whole = profile_of(lines, 3, true), half;
	uint64_t sum = 0;

	(void)state;
	for (int first = 0; first < 2; first++) {
		assert_true(profile_half(&whole, first, &half));
		assert_true(half.basic && half.record_count >= 2);
		for (size_t i = 0; i < half.record_count; i++) {
			struct record record = profile_record(&half, i);
			assert_true(record.kind == RECORD_SAMPLE && record.count);
			sum += record.count;
		}
		profile_free(&half);
	}
	assert_int_equal(sum, 1078);
	profile_free(&whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_halves),
		cmocka_unit_test(contrary_halves),
		cmocka_unit_test(calls_are_always_taken),
		cmocka_unit_test(what_a_half_has_not_seen),
		cmocka_unit_test(a_loop),
		cmocka_unit_test(empty_halves),
		cmocka_unit_test(reassigned_samples),
		cmocka_unit_test(tosses),
		cmocka_unit_test(halves_of_counts),
		cmocka_unit_test(halves_of_plain_samples),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
