/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Branches of basic samples in a binary that BOLT did not touch: `plain` of tiny_binary.h is an if,
 * worked out by hand. */
#include "src/flow/infer.h"

#include <math.h>
#include <string.h>

#include "src/flow/flow.h"
#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

enum { PLAIN = 1, EXT = 2 };

static struct tiny_binary tiny;

/* 0: test, je 6; 4: cwtl, twice; 6: ret. */
static void make_of(struct profile *profile, const uint32_t counts[5])
{
	static const uint32_t offsets[] = {0, 2, 4, 5, 6};
	static struct record_batch batch;
	struct bc_error err;

	tiny_binary_init(&tiny);
	memcpy(tiny.code + 0x100, "\x85\xc0\x74\x02\x98\x98\xc3", 7);
	tiny.functions[PLAIN].size = tiny.functions[PLAIN].extent = 7;
	for (size_t i = 0; i < TINY_FUNCTIONS; i++)
		tiny.fragment_of[i] = NO_FRAGMENT;
	tiny.binary.kind = BINARY_UNTOUCHED;
	tiny.binary.bat = (struct bat_table){0};
	memset(&batch, 0, sizeof(batch));
	for (size_t i = 0; i < BC_COUNT(offsets); i++)
		assert_true(
			!counts[i] ||
			record_push(&batch, &tiny.binary,
				    &(struct record){.kind = RECORD_SAMPLE,
						     .from = {&tiny.functions[PLAIN], offsets[i]},
						     .count = counts[i]}));
	assert_true(record_push(&batch, &tiny.binary,
				&(struct record){.kind = RECORD_SAMPLE,
						 .from = {&tiny.functions[EXT], 0},
						 .count = 30}));
	assert_true(profile_build(&tiny.binary, true, &batch.records, 1, 1, profile, &err));
}

/* Each instruction of the first and the last block has 100 samples, and each in between 40. */
static void make(struct profile *profile)
{
	make_of(profile, (const uint32_t[]){100, 100, 40, 40, 100});
}

static void branches_of_an_if(void **state)
{
	static const struct {
		enum record_kind kind;
		uint32_t from, to;
		uint64_t count;
	} expected[] = {
		{RECORD_BRANCH, 2, 4, 40 * FLOW_UNITS},
		{RECORD_BRANCH, 2, 6, 60 * FLOW_UNITS},
		{RECORD_BRANCH, 5, 6, 40 * FLOW_UNITS},
		{RECORD_ENTRY, 0, 0, 100 * FLOW_UNITS},
	};
	struct profile profile;
	struct cfg graphs = {0};
	struct ranges ranges = {0};
	struct inferred inferred;
	struct bc_error err;

	(void)state;
	make(&profile);
	assert_true(infer(&(struct infer_job){.graphs = &graphs, .threads = 1, .ranges = &ranges},
			  &profile, &inferred, &err));
	assert_int_equal(profile.record_count, BC_COUNT(expected));
	for (size_t i = 0; i < BC_COUNT(expected); i++) {
		struct record record = profile_record(&profile, i);
		assert_int_equal(record.kind, expected[i].kind);
		assert_ptr_equal(record.to.function, &tiny.functions[PLAIN]);
		assert_int_equal(record.from.offset, expected[i].from);
		assert_int_equal(record.to.offset, expected[i].to);
		assert_int_equal(record.count, expected[i].count);
	}
	assert_true(profile.of_input && !profile.basic);
	assert_int_equal(inferred.solved.functions, 1);
	assert_int_equal(inferred.solved.samples, 380);
	assert_int_equal(inferred.plt.functions, 1);
	assert_int_equal(inferred.plt.samples, 30);
	assert_int_equal(inferred.moved, 0);
	/* What lies in a PLT entry is in no range. */
	assert_int_equal(ranges.runs.read, 410);
	assert_int_equal(ranges.runs.kept, 380);
	assert_int_equal(ranges.runs.dropped[RANGE_OUTSIDE], 30);
	ranges_free(&ranges);
	profile_free(&profile);
	cfg_free(&graphs);
	tiny_binary_fini(&tiny);
}

static double uneven_of(const uint32_t counts[5])
{
	struct profile profile;
	struct cfg graphs = {0};
	struct inferred inferred;
	struct bc_error err;

	make_of(&profile, counts);
	assert_true(
		infer(&(struct infer_job){.graphs = &graphs, .threads = 1, .figures_only = true},
		      &profile, &inferred, &err));
	profile_free(&profile);
	cfg_free(&graphs);
	tiny_binary_fini(&tiny);
	return inferred.uneven;
}

/* Two instructions of one block: chi-squared is 20 where one has all 20 samples, 1 is expected, and
 * there are 19 others for half of the difference. */
static void unevenness(void **state)
{
	(void)state;
	assert_true(fabs(uneven_of((const uint32_t[]){0, 0, 20, 0, 0}) - 19 / 9.5) < 1e-9);
	assert_true(uneven_of((const uint32_t[]){0, 0, 10, 10, 0}) <= 0);
	assert_true(uneven_of((const uint32_t[]){0, 100, 1, 0, 100}) > 1);
	assert_true(uneven_of((const uint32_t[]){0, 0, 1, 0, 100}) <= 0); /* no block shows it */
}

/* Counts are known of three instructions: counts are those of runs, and of the block in between
 * that none is known of, what is left. */
static void runs_of_some(void **state)
{
	static struct observed seen[] = {{NULL, 0, 100}, {NULL, 4, 0}, {NULL, 6, 100}};
	struct observed_vec observed = {seen, BC_COUNT(seen), BC_COUNT(seen)};
	struct profile profile, none;
	struct cfg graphs = {0};
	struct inferred inferred;
	struct bc_error err;

	(void)state;
	make(&none);
	profile_free(&none);
	for (size_t i = 0; i < BC_COUNT(seen); i++)
		seen[i].function = &tiny.functions[PLAIN];
	for (int known = 1; known >= 0; known--) {
		/* Without the one in the middle, flow falls through rather than jumps. */
		if (!known) {
			seen[1] = seen[2];
			observed.len = 2;
		}
		profile = (struct profile){.binary = &tiny.binary};
		assert_true(infer(
			&(struct infer_job){.graphs = &graphs, .threads = 1, .observed = &observed},
			&profile, &inferred, &err));
		struct record first = profile_record(&profile, 0);
		assert_int_equal(profile.record_count, known ? 2 : 3);
		assert_int_equal(first.from.offset, 2);
		assert_int_equal(first.to.offset, known ? 6 : 4);
		assert_int_equal(first.count, 100);
		assert_int_equal(profile_record(&profile, profile.record_count - 1).kind,
				 RECORD_ENTRY);
		assert_int_equal(profile_record(&profile, profile.record_count - 1).count, 100);
		profile_free(&profile);
	}
	cfg_free(&graphs);
	tiny_binary_fini(&tiny);
}

static void shares(void **state)
{
	const struct inferred inferred = {.solved = {3, 400},
					  .no_cfg = {1, 50},
					  .plt = {1, 30},
					  .too_large = {1, 15},
					  .step_limit = {1, 5},
					  .moved = 20};
	const struct inferred none = {0};

	(void)state;
	assert_int_equal(inferred_of(&inferred), 500);
	assert_true(inferred_percent(&inferred) == 80);
	assert_true(inferred_moved_percent(&inferred) == 5);
	assert_true(inferred_percent(&none) == 0 && inferred_moved_percent(&none) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches_of_an_if),
		cmocka_unit_test(unevenness),
		cmocka_unit_test(runs_of_some),
		cmocka_unit_test(shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
