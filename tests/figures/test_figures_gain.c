/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a layout takes in code that is known, and what is expected of it: worked out by hand. */
#include "src/figures/gain.h"

#include <math.h>

#include "src/base/counts.h"
#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

#define PLAIN 1 /* the function that BOLT did not touch */

static struct tiny_binary tiny;
static struct cfg graphs;
static struct flow_code code;

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

/* je 4; nop; nop; ret at 4 */
static int setup(void **state)
{
	const uint32_t chosen[] = {PLAIN};
	const uint8_t bytes[] = {0x74, 2, 0x90, 0x90, 0xc3};
	struct bc_error err;

	(void)state;
	tiny_binary_init(&tiny);
	for (size_t i = 0; i < sizeof(bytes); i++)
		tiny.code[tiny.functions[PLAIN].address - TINY_BASE + i] = bytes[i];
	if (!cfg_build_code(&tiny.binary.image, &tiny.binary.functions, chosen, 1, 1, &graphs,
			    &err))
		return 1;
	code = (struct flow_code){.binary = &tiny.binary, .graphs = &graphs};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cfg_free(&graphs);
	tiny_binary_fini(&tiny);
	return 0;
}

struct counted_way {
	uint32_t from, to;
	uint64_t count;
};

static struct profile profile_of(const struct counted_way *lines, size_t count)
{
	static struct record_batch batch;
	struct profile profile;
	struct bc_error err;

	batch = (struct record_batch){0};
	for (size_t i = 0; i < count; i++) {
		struct record record = {.kind = RECORD_BRANCH,
					.from = {&tiny.functions[PLAIN], lines[i].from},
					.to = {&tiny.functions[PLAIN], lines[i].to},
					.count = lines[i].count};
		assert_true(record_push(&batch, &tiny.binary, &record));
	}
	assert_true(profile_build(&tiny.binary, false, &batch.records, 1, 1, &profile, &err));
	return profile;
}

static struct layouts_taken taken_of(const struct counted_way *a, const struct counted_way *b,
				     size_t count)
{
	struct profile halves[2] = {profile_of(a, count), profile_of(b, count)};
	struct stability stability;
	struct layouts_taken taken;
	struct bc_error err;

	assert_true(layouts_compare(halves, 0, &code, &stability, &taken, &err));
	profile_free(&halves[0]);
	profile_free(&halves[1]);
	return taken;
}

/* Before, the jump is taken; in the layout of the first it falls through, and the other way jumps
 * twice. */
static void layouts(void **state)
{
	const struct counted_way often[] = {{0, 4, 70}, {0, 2, 30}, {3, 4, 30}},
				 seldom[] = {{0, 4, 20}, {0, 2, 80}, {3, 4, 80}};
	struct layouts_taken same = taken_of(often, often, 3), other = taken_of(often, seldom, 3);

	(void)state;
	assert_true(same.known && near(same.before, 140) && near(same.own, 120) &&
		    near(same.others, 120));
	assert_true(near(other.before, 90) && near(other.own, 60 + 20) &&
		    near(other.others, 70 + 160));
}

/* What the other half did not see stays where it is: the jump is taken, the next block is not. */
static void unseen(void **state)
{
	const struct counted_way ways[] = {{0, 4, 70}, {0, 2, 30}, {3, 4, 30}};
	struct profile halves[2] = {profile_of(ways, 3), profile_of(ways, 0)};
	struct stability stability;
	struct layouts_taken taken;
	struct bc_error err;

	(void)state;
	assert_true(layouts_compare(halves, 0, &code, &stability, &taken, &err));
	assert_true(near(taken.before, 70) && near(taken.own, 60) && near(taken.others, 70));
	profile_free(&halves[0]);
	profile_free(&halves[1]);
}

/* ---- what is expected ---- */

static struct gain expected(double own, double others, double uneven)
{
	return gain_expect(&(struct layouts_taken){true, 1000, own, others}, uneven);
}

static void enough(void **state)
{
	struct gain g = expected(800, 850, 0);

	(void)state;
	assert_true(g.known && g.verdict == GAIN_ENOUGH);
	assert_true(near(g.expected, 15 + 5 * 0.35) && near(g.whole, 20));
	assert_true(near(g.high - g.expected, 1 + 0.9 * 5) && near(g.expected - g.low, 5.5));
	assert_true(near(g.of_whole, 100 * 16.75 / 20) && near(g.more, 3.25) && near(g.times, 0));
}

static void more(void **state)
{
	struct gain g = expected(600, 770, 0);

	(void)state;
	assert_true(g.verdict == GAIN_MORE && near(g.expected, 28.95) && near(g.of_whole, 72.375));
	assert_true(near(g.times, (11.05 / 40 / 0.25) * (11.05 / 40 / 0.25)));
}

/* Uneven samples stay uneven, however many there are. */
static void limited(void **state)
{
	struct gain g = expected(600, 620, exp(1.5) - 1);

	(void)state;
	assert_true(g.verdict == GAIN_LIMITED && near(g.times, 0));
	assert_true(near(g.expected, 38.7 - 0.22 * 1.5 * 40));
	assert_true(near(g.high - g.expected, 1 + 0.9 * 2 + 0.25 * 1.5 * 40));
}

static void doubtful(void **state)
{
	struct gain few = expected(950, 1010, 0), none = expected(1000, 1000, 3);

	(void)state;
	assert_true(few.verdict == GAIN_DOUBTFUL && few.low < 0 && few.times > 0);
	assert_true(none.verdict == GAIN_DOUBTFUL && near(none.of_whole, 0) && near(none.times, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(layouts, setup, teardown),
		cmocka_unit_test_setup_teardown(unseen, setup, teardown),
		cmocka_unit_test(enough),
		cmocka_unit_test(more),
		cmocka_unit_test(limited),
		cmocka_unit_test(doubtful),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
