/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Each test states traces and the lines they give, worked out by hand from the
 * table in tests/support/tiny_binary.h and docs/conversion.md, section 4. */
#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/tiny_run.h"

static struct tiny_run run;
static unsigned threads; /* the result must not depend on it */

static int setup(void **state)
{
	static const struct aggregate_options options = {.mode = MODE_AUTO, .erratum = false};

	(void)state;
	tiny_run_begin(&run, &options);
	return 0;
}

static void trace(uint64_t branch, uint64_t from, uint64_t to, uint64_t count, uint64_t wrong)
{
	tiny_run_trace(&run, 'T', trace_of_words(branch, from, to), count, wrong);
}

static void gives(const char *lines)
{
	tiny_run_gives(&run, threads, lines);
}

/* The source is the branch entry's own offset, wherever in its instruction the
 * sample says; the target keeps its distance to its entry. */
static void intra(void **state)
{
	(void)state;
	trace(0x101c, 0x1030, TRACE_BR_ONLY, 5, 2);
	trace(0x101e, 0x1033, TRACE_BR_ONLY, 1, 0);
	gives("1 hot 2c 1 hot 60 2 5\n"
	      "1 hot 2c 1 hot 63 0 1\n");
	assert_int_equal(run.ledgers.branches.kept, 6);
}

static void inter(void **state)
{
	(void)state;
	trace(0x102c, 0x1400, TRACE_BR_ONLY, 3, 1);
	trace(0x1104, 0x1200, TRACE_BR_ONLY, 4, 0);
	trace(0x102c, 0x5000, TRACE_BR_ONLY, 2, 0);
	gives("1 hot 4e 0 [unknown] 0 0 2\n"
	      "1 hot 4e 1 other 0 1 3\n"
	      "1 plain 4 1 ext@PLT 0 0 4\n");
}

static void recursion(void **state)
{
	(void)state;
	trace(0x102c, 0x1000, TRACE_BR_ONLY, 7, 0);
	gives("1 hot 4e 1 hot 0 0 7\n");
}

static void entry(void **state)
{
	(void)state;
	trace(TRACE_EXTERNAL, 0x1410, TRACE_BR_ONLY, 7, 3);
	trace(0x5000, 0x1000, TRACE_BR_ONLY, 1, 0);
	gives("0 [unknown] 0 1 hot 0 0 1\n"
	      "0 [unknown] 0 1 other 18 3 7\n");
}

static void outside_at_both_ends(void **state)
{
	(void)state;
	trace(TRACE_EXTERNAL, 0x10f0, TRACE_BR_ONLY, 7, 0);
	gives("");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_OUTSIDE], 7);
}

/* By their bytes, or because one R line names the branch. */
static void returns_give_no_branch(void **state)
{
	(void)state;
	run.tiny.code[0x18] = 0xc3;
	trace(0x1018, 0x1110, TRACE_BR_ONLY, 7, 0);
	trace(0x1019, 0x1110, TRACE_BR_ONLY, 1, 0);
	trace(0x1120, 0x1010, TRACE_BR_ONLY, 2, 0);
	tiny_run_trace(&run, 'R', trace_of_words(0x1120, 0x1014, TRACE_BR_ONLY), 1, 0);
	gives("1 hot 20 1 plain 10 0 1\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_RETURN], 7 + 2 + 1);
}

/* In code that BOLT ignored no return begins inside an instruction; in code that it moved
 * perf2bolt looks at the bytes alone. */
static void the_bytes_of_a_return_in_an_instruction(void **state)
{
	(void)state;
	for (uint64_t at = 0x10; at <= 0x110; at += 0x100)
		memcpy(&run.tiny.code[at], "\xb8\xc3\xcf\x90\x90", 5); /* mov $..., %eax */
	run.tiny.code[0x120] = 0xc3;
	trace(0x1111, 0x1400, TRACE_BR_ONLY, 1, 0);
	trace(0x1112, 0x1400, TRACE_BR_ONLY, 2, 0);
	trace(0x1120, 0x1400, TRACE_BR_ONLY, 4, 0);
	trace(0x1011, 0x1400, TRACE_BR_ONLY, 8, 0);
	gives("1 plain 11 1 other 0 0 1\n"
	      "1 plain 12 1 other 0 0 2\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_RETURN], 4 + 8);
}

/* A ret outside all functions is not looked at. */
static void a_return_in_no_function(void **state)
{
	(void)state;
	run.tiny.code[0xf0] = 0xc3;
	trace(0x10f0, 0x1010, TRACE_BR_ONLY, 2, 0);
	gives("0 [unknown] 0 1 hot 20 0 2\n");
}

static void fallthroughs(void **state)
{
	(void)state;
	trace(TRACE_FT_ONLY, 0x1000, 0x102c, 5, 9);
	gives("1 hot 0 1 hot 20 0 5\n"
	      "1 hot 20 1 hot 40 0 5\n");
	assert_int_equal(run.ledgers.traces.kept, 5);
	assert_int_equal(run.ledgers.branches.read, 0);
}

/* F, f and T lines differ in the branch only. */
static void fallthrough_of_external_origin(void **state)
{
	(void)state;
	trace(TRACE_FT_EXTERNAL, 0x1022, 0x1030, 2, 0);
	trace(0x102c, 0x1010, 0x1020, 1, 0);
	gives("1 hot 20 1 hot 40 0 1\n"
	      "1 hot 40 1 hot 60 0 2\n"
	      "1 hot 4e 1 hot 20 0 1\n");
}

/* Back after the call at 2c, where the next block begins: the block that made
 * the call falls through to it.  Only if it is a return. */
static void call_continuation(void **state)
{
	(void)state;
	trace(TRACE_FT_RETURN, 0x1030, 0x1038, 3, 0);
	trace(TRACE_FT_EXTERNAL, 0x1030, 0x1039, 5, 0);
	gives("1 hot 40 1 hot 60 0 3\n");
	assert_int_equal(run.ledgers.traces.dropped[TRACE_DROP_ONE_BLOCK], 5);
}

/* Nothing lies before the first byte of a fragment. */
static void return_to_the_beginning(void **state)
{
	(void)state;
	trace(TRACE_FT_RETURN, 0x1000, 0x1030, 3, 0);
	gives("");
	assert_int_equal(run.ledgers.traces.dropped[TRACE_DROP_ONE_BLOCK], 3);
}

/* By batconv's own rule, from outside to the location after a call: B, T and f lines alike. */
static void returns_by_place(void **state)
{
	(void)state;
	for (int own = 0; own < 2; own++) {
		if (own)
			setup(NULL);
		run.aggregate.options.rules.returns_by_place = own;
		memcpy(&run.tiny.code[0x2c], "\xff\x54\x24\x08",
		       4); /* call *8(%rsp), up to the entry 30 */
		trace(TRACE_EXTERNAL, 0x1030, TRACE_BR_ONLY, 1, 0);
		trace(TRACE_EXTERNAL, 0x1030, 0x1038, 2, 1);
		trace(TRACE_FT_EXTERNAL, 0x1030, 0x1039, 4, 0);
		trace(TRACE_FT_ONLY, 0x1030, 0x103a, 8, 0);
		trace(TRACE_EXTERNAL, 0x1020, 0x1028, 16, 0);
		trace(0x1104, 0x1030, 0x103b, 32, 0);
		gives(own ? "1 hot 40 1 hot 60 0 6\n"
			    "0 [unknown] 0 1 hot 40 0 16\n"
			    "1 plain 4 1 hot 60 0 32\n" :
			    "0 [unknown] 0 1 hot 40 0 16\n"
			    "0 [unknown] 0 1 hot 60 1 3\n"
			    "1 plain 4 1 hot 60 0 32\n");
		assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_RETURN], own ? 3 : 0);
		assert_int_equal(run.found.by_address, own ? 3 : 0);
	}
}

static void dropped_fallthroughs(void **state)
{
	(void)state;
	trace(TRACE_FT_ONLY, 0x1000, 0x1304, 1, 0); /* hot -> its cold part */
	trace(TRACE_FT_ONLY, 0x1030, 0x1010, 2, 0);
	trace(TRACE_FT_ONLY, 0x1100, 0x1120, 4, 0);
	trace(TRACE_FT_ONLY, 0x1200, 0x1206, 8, 0);
	trace(TRACE_FT_ONLY, 0x1000, 0x10f0, 16, 0);
	trace(TRACE_FT_ONLY, TRACE_EXTERNAL, 0x1010, 32, 0);
	trace(TRACE_FT_ONLY, 0x1000, TRACE_EXTERNAL, 64, 0);
	trace(TRACE_FT_ONLY, 0x1500, 0x1510, 128, 0);
	trace(TRACE_FT_ONLY, 0x1010, 0x101c, 256, 0);
	gives("");
	assert_int_equal(run.ledgers.traces.dropped[TRACE_DROP_TWO_FRAGMENTS], 1);
	assert_int_equal(run.ledgers.traces.dropped[TRACE_DROP_BACKWARDS], 2);
	assert_int_equal(run.ledgers.traces.dropped[TRACE_DROP_OUTSIDE], 16 + 32 + 64);
	assert_int_equal(run.ledgers.traces.dropped[TRACE_DROP_NO_PARENT], 128);
	/* Without libLLVM there is no graph of `plain`, which is one block. */
	assert_int_equal(run.ledgers.traces.dropped[TRACE_DROP_ONE_BLOCK] +
				 run.ledgers.traces.dropped[TRACE_DROP_NO_MAP],
			 4 + 8 + 256);
	assert_int_equal(run.ledgers.traces.kept, 0);
}

/* A cold fragment has its own table and its parent's name; a jump between the
 * two parts is one within the function. */
static void cold_parent(void **state)
{
	(void)state;
	trace(0x101c, 0x1304, TRACE_BR_ONLY, 1, 0);
	trace(0x1308, 0x1020, TRACE_BR_ONLY, 2, 0);
	trace(TRACE_FT_ONLY, 0x1300, 0x1310, 4, 0);
	trace(0x1308, 0x1000, TRACE_BR_ONLY, 8, 0);
	gives("1 hot 2c 1 hot 84 0 1\n"
	      "1 hot 80 1 hot 90 0 4\n"
	      "1 hot 8a 1 hot 0 0 8\n"
	      "1 hot 8a 1 hot 40 0 2\n");
}

static void unknown_parent(void **state)
{
	(void)state;
	trace(0x1504, 0x1400, TRACE_BR_ONLY, 1, 0);
	trace(0x101c, 0x1500, TRACE_BR_ONLY, 2, 0);
	trace(0x1504, 0x5000, TRACE_BR_ONLY, 4, 0);
	gives("");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_NO_PARENT], 7);
}

/* Two addresses of one instruction are one branch of the input: one line. */
static void equal_records_are_summed(void **state)
{
	(void)state;
	trace(0x101c, 0x1030, TRACE_BR_ONLY, 5, 2);
	trace(0x101d, 0x1030, TRACE_BR_ONLY, 1, 1);
	trace(0x101c, 0x1030, 0x1038, 10, 0);
	gives("1 hot 2c 1 hot 60 3 16\n");
}

static void basic(void **state)
{
	const uint64_t at[] = {0x1000, 0x1012, 0x1108, 0x1304, 0x1504, 0x10f0};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(at); i++) {
		const struct address_record record = {{at[i]}, (uint64_t)1 << i};
		tiny_run_event(&run,
			       &(struct event){.kind = EVENT_ADDRESSES, .addresses = {&record, 1}});
	}
	gives("no_lbr\n"
	      "1 hot 0 1\n"
	      "1 hot 22 2\n"
	      "1 hot 84 8\n"
	      "1 plain 8 4\n");
	assert_int_equal(run.ledgers.samples.dropped[SAMPLE_DROP_NO_PARENT], 16);
	assert_int_equal(run.ledgers.samples.dropped[SAMPLE_DROP_NO_FUNCTION], 32);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(intra),
		TEST(inter),
		TEST(recursion),
		TEST(entry),
		TEST(outside_at_both_ends),
		TEST(returns_give_no_branch),
		TEST(the_bytes_of_a_return_in_an_instruction),
		TEST(a_return_in_no_function),
		TEST(fallthroughs),
		TEST(fallthrough_of_external_origin),
		TEST(call_continuation),
		TEST(return_to_the_beginning),
		TEST(returns_by_place),
		TEST(dropped_fallthroughs),
		TEST(cold_parent),
		TEST(unknown_parent),
		TEST(equal_records_are_summed),
		TEST(basic),
	};

	int failed = 0;
	for (threads = 1; threads <= 3; threads += 2)
		failed += cmocka_run_group_tests(tests, NULL, NULL);
	return failed;
}
