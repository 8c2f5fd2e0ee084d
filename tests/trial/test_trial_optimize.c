/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/trial/optimize.h"

#include <math.h>

#include "tests/support/cmocka.h"

/* By hand, from docs/optimize.md. */
static const struct optimize_evidence none = {.margin = 0.01, .cpu = {1, 0, INFINITY}};

static struct optimize_evidence timed(double low, double high)
{
	struct optimize_evidence of = none;

	of.timed = true;
	of.cpu = (struct ratio_estimate){(low + high) / 2, low, high};
	return of;
}

static struct optimize_evidence counted(double low, double high, uint64_t taken, uint64_t misses)
{
	struct optimize_evidence of = timed(low, high);

	of.counted = true;
	of.before = (struct run_counts){
		.instructions = 100000000, .taken = 10000000, .line_misses = 100000};
	of.after = (struct run_counts){
		.instructions = 100000000, .taken = taken, .line_misses = misses};
	return of;
}

static void assert_verdict(struct optimize_evidence of, enum optimize_verdict verdict)
{
	assert_int_equal(optimize_judge(&of), verdict);
}

static void test_time(void **state)
{
	(void)state;
	assert_verdict(none, VERDICT_UNDECIDED);
	assert_verdict(timed(0.86, 0.88), VERDICT_TIME);
	assert_verdict(timed(0.86, 0.9999), VERDICT_TIME);
	assert_verdict(timed(1.0001, 1.2), VERDICT_SLOWER);
	assert_verdict(timed(0.93, 1.06), VERDICT_UNDECIDED);
	assert_verdict(timed(0.93, 1), VERDICT_UNDECIDED);
	assert_verdict(timed(1, 1.06), VERDICT_UNDECIDED);
	assert_verdict(timed(0, INFINITY), VERDICT_UNDECIDED);
}

/* Events vary from run to run: an interval that has 1 shows no change. */
static void test_events(void **state)
{
	struct optimize_evidence of = counted(0.93, 1.06, 9000000, 102000);

	(void)state;
	assert_verdict(of, VERDICT_NO_GAIN); /* the misses rise */
	of.varies = true;
	of.taken = (struct ratio_estimate){0.9, 0.89, 0.91};
	of.line_misses = (struct ratio_estimate){1.02, 0.98, 1.05};
	assert_verdict(of, VERDICT_COUNTS);
	of.line_misses.low = 1.005;
	assert_verdict(of, VERDICT_NO_GAIN);
	of.line_misses.low = 0.98;
	of.taken.high = 1.001;
	assert_verdict(of, VERDICT_NO_GAIN);
}

/* Time first: it decides against counts, too. */
static void test_counts(void **state)
{
	(void)state;
	assert_verdict(counted(0.86, 0.88, 20000000, 200000), VERDICT_TIME);
	assert_verdict(counted(1.01, 1.02, 5000000, 50000), VERDICT_SLOWER);
	assert_verdict(counted(0.93, 1.06, 5000000, 50000), VERDICT_COUNTS);
	assert_verdict(counted(0.93, 1.06, 5000000, 100000), VERDICT_COUNTS);
	assert_verdict(counted(0.93, 1.06, 10000000, 50000), VERDICT_COUNTS);
	/* One falls, the other rises. */
	assert_verdict(counted(0.93, 1.06, 5000000, 200000), VERDICT_NO_GAIN);
	assert_verdict(counted(0.93, 1.06, 20000000, 50000), VERDICT_NO_GAIN);
	/* Nothing changes, or by less than the margin: an optimal program. */
	assert_verdict(counted(0.93, 1.06, 10000000, 100000), VERDICT_NO_GAIN);
	assert_verdict(counted(0.93, 1.06, 9900001, 99500), VERDICT_NO_GAIN);
	assert_verdict(counted(0.93, 1.06, 9900000, 100000), VERDICT_COUNTS);
	/* A rise of 0.1 %, or of one in 100,000 instructions, is none. */
	assert_verdict(counted(0.93, 1.06, 10010000, 50000), VERDICT_COUNTS);
	assert_verdict(counted(0.93, 1.06, 10010001, 50000), VERDICT_NO_GAIN);
	assert_verdict(counted(0.93, 1.06, 5000000, 101000), VERDICT_COUNTS);
	assert_verdict(counted(0.93, 1.06, 5000000, 101001), VERDICT_NO_GAIN);
}

/* A fall of so few misses is none either. */
static void test_few(void **state)
{
	struct optimize_evidence of = counted(0.93, 1.06, 10000000, 100000);

	(void)state;
	of.before.line_misses = 1500;
	of.after.line_misses = 1000;
	assert_verdict(of, VERDICT_NO_GAIN);
	of.after.line_misses = 2500;
	of.after.taken = 5000000;
	assert_verdict(of, VERDICT_COUNTS);
	of.after.line_misses = 2501;
	assert_verdict(of, VERDICT_NO_GAIN);
}

static void test_refused(void **state)
{
	struct optimize_evidence of = counted(0.5, 0.6, 1, 1);

	(void)state;
	of.differs = true;
	assert_verdict(of, VERDICT_DIFFERS);
	of.damaged = true;
	assert_verdict(of, VERDICT_DAMAGED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time),    cmocka_unit_test(test_counts),
		cmocka_unit_test(test_events),  cmocka_unit_test(test_few),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
