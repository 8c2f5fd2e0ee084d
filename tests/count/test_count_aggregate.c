/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Stacks in, lines out.  What each stack gives was worked out by hand from
 * docs/conversion.md, section 2, and the table in tests/support/tiny_binary.h.
 *
 * In most tests the entries go from `plain`, where offsets stay what they are
 * and fall-throughs give no line: a taken branch a line. */
#include "tests/support/cmocka.h"
#include "tests/support/tiny_run.h"

#define KERNEL  UINT64_C(0xffffffff81000000)
#define OUTSIDE UINT64_C(0x7f0000001000)
#define PID     7

static const struct aggregate_options usual = {.mode = MODE_AUTO, .erratum = true};
static struct tiny_run run;

static uint64_t at(uint64_t vaddr)
{
	return TINY_LOAD + vaddr;
}

static void begin(const struct aggregate_options *options)
{
	tiny_run_begin(&run, options);
	tiny_run_map(&run, PID);
}

static void gives(const char *lines)
{
	tiny_run_gives(&run, 1, lines);
}

/* Newest first: hot 10 ... 2c -> 1010 (older), then 101c -> 1030 (newest).
 * The older one's fall-through ends at the newest one's source. */
static void pairing(void **state)
{
	const struct branch stack[] = {
		{at(0x102c), at(0x1010), 0},
		{at(0x1104), at(0x1000), BRANCH_MISPREDICTED},
	};

	(void)state;
	begin(&usual);
	tiny_run_stack(&run, PID, stack, BC_COUNT(stack));
	gives("1 hot 0 1 hot 20 0 1\n"
	      "1 hot 20 1 hot 40 0 1\n"
	      "1 hot 4e 1 hot 20 0 1\n"
	      "1 plain 4 1 hot 0 1 1\n");
	assert_int_equal(run.ledgers.samples.kept, 1);
	assert_int_equal(run.ledgers.branches.read, 2);
	assert_int_equal(run.ledgers.traces.read, 1);
}

/* One entry alone: a branch, no fall-through. */
static void the_newest_has_no_end(void **state)
{
	const struct branch stack[] = {{at(0x1104), at(0x1000), 0}};

	(void)state;
	begin(&usual);
	tiny_run_stack(&run, PID, stack, 1);
	gives("1 plain 4 1 hot 0 0 1\n");
	assert_int_equal(run.ledgers.traces.read, 0);
}

static void equal_branches_are_counted(void **state)
{
	const struct branch right[] = {{at(0x1104), at(0x1000), 0}};
	const struct branch wrong[] = {{at(0x1104), at(0x1000), BRANCH_MISPREDICTED | 2}};

	(void)state;
	begin(&usual);
	for (int i = 0; i < 3; i++)
		tiny_run_stack(&run, PID, right, 1);
	tiny_run_stack(&run, PID, wrong, 1);
	gives("1 plain 4 1 hot 0 1 4\n");
}

/* An interrupt between two branches: both its entries go, and the neighbors
 * are paired across them. */
static void kernel_entries_go_before_pairing(void **state)
{
	const struct branch stack[] = {
		{at(0x102c), at(0x1100), 0},
		{KERNEL, at(0x1010), 0},
		{at(0x1010), KERNEL, 0},
		{at(0x1104), at(0x1000), 0},
	};

	(void)state;
	begin(&usual);
	tiny_run_stack(&run, PID, stack, BC_COUNT(stack));
	gives("1 hot 0 1 hot 20 0 1\n"
	      "1 hot 20 1 hot 40 0 1\n"
	      "1 hot 4e 1 plain 0 0 1\n"
	      "1 plain 4 1 hot 0 0 1\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_KERNEL], 2);
}

/* In a library and back: the fall-through in it is out of range, the branches
 * have one known side. */
static void entries_outside(void **state)
{
	const struct branch stack[] = {
		{OUTSIDE, at(0x1100), 0},
		{OUTSIDE, OUTSIDE, 0},
		{at(0x1104), OUTSIDE, 0},
	};

	(void)state;
	begin(&usual);
	tiny_run_stack(&run, PID, stack, BC_COUNT(stack));
	gives("1 plain 4 0 [unknown] 0 0 1\n"
	      "0 [unknown] 0 1 plain 0 0 1\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_OUTSIDE], 1);
	assert_int_equal(run.ledgers.traces.dropped[TRACE_DROP_OUTSIDE], 2);
}

/* A stack whose entry i, from the newest, goes from plain's offset i. */
static void ladder(size_t depth)
{
	struct branch stack[64];

	for (size_t i = 0; i < depth; i++)
		stack[i] = (struct branch){at(0x1100 + i), at(0x1400), 0};
	tiny_run_stack(&run, PID, stack, depth);
}

/* Entries of plain that are kept of stacks of these depths, one after the
 * other; a 0 begins the next input. */
static uint64_t kept(const struct aggregate_options *options, const size_t *depths, size_t count)
{
	struct bc_error err = {0};
	bool basic;

	begin(options);
	for (size_t i = 0; i < count; i++) {
		if (depths[i])
			ladder(depths[i]);
		else
			tiny_run_next(&run);
	}
	assert_true(aggregate_finish(&run.aggregate, &basic, &err));
	uint64_t dropped = ledger_dropped(&run.aggregate.counter.ledgers.branches);
	assert_int_equal(dropped,
			 run.aggregate.counter.ledgers.branches.dropped[BRANCH_DROP_ERRATUM]);
	uint64_t result = run.aggregate.counter.ledgers.branches.read - dropped;
	aggregate_fini(&run.aggregate);
	tiny_binary_fini(&run.tiny);
	return result;
}

#define KEPT(options, ...)                                                                         \
	kept(options, (const size_t[]){__VA_ARGS__}, BC_COUNT(((const size_t[]){__VA_ARGS__})))

/* From the first stack of exactly 32 on, that one included, in each input. */
static void erratum(void **state)
{
	static const struct aggregate_options off = {.mode = MODE_AUTO, .erratum = false};

	(void)state;
	assert_int_equal(KEPT(&usual, 31, 33, 16), 31 + 33 + 16);
	assert_int_equal(KEPT(&usual, 32), 30);
	assert_int_equal(KEPT(&usual, 31, 32, 16), 31 + 30 + 14);
	assert_int_equal(KEPT(&usual, 32, 2, 1, 3), 30 + 0 + 0 + 1);
	assert_int_equal(KEPT(&usual, 32, 0, 16, 32), 30 + 16 + 30);
	assert_int_equal(KEPT(&off, 31, 32, 16), 31 + 32 + 16);
}

/* The two newest go; the third has no end then. */
static void erratum_takes_the_newest(void **state)
{
	struct branch stack[32];

	(void)state;
	begin(&usual);
	for (size_t i = 0; i < 32; i++)
		stack[i] = (struct branch){OUTSIDE, OUTSIDE, 0};
	stack[0] = (struct branch){at(0x1100), at(0x1400), 0};
	stack[1] = (struct branch){at(0x1101), at(0x1400), 0};
	stack[2] = (struct branch){at(0x1102), at(0x1400), 0};
	tiny_run_stack(&run, PID, stack, 32);
	gives("1 plain 2 1 other 0 0 1\n");
	assert_int_equal(run.ledgers.traces.read, 29);
}

/* Counted after kernel entries were dropped, and only in stacks of processes
 * that have the binary. */
static void erratum_counts_user_entries(void **state)
{
	struct branch stack[33];

	(void)state;
	begin(&usual);
	for (size_t i = 0; i < 33; i++)
		stack[i] = (struct branch){at(0x1100), at(0x1400), 0};
	tiny_run_stack(&run, PID + 1, stack, 32); /* of another process */
	stack[32].to = KERNEL;
	stack[0].from = KERNEL;
	tiny_run_stack(&run, PID, stack, 33);     /* 31 of the program */
	tiny_run_stack(&run, PID, stack + 1, 32); /* 31 again */
	gives("1 plain 0 1 other 0 0 62\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_ERRATUM], 0);

	begin(&usual);
	stack[0].from = at(0x1100);
	tiny_run_stack(&run, PID, stack, 33); /* 32 of the program */
	gives("1 plain 0 1 other 0 0 30\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_ERRATUM], 2);
}

static void other_processes(void **state)
{
	const struct branch stack[] = {{at(0x1104), at(0x1000), 0}};

	(void)state;
	begin(&usual);
	tiny_run_stack(&run, PID + 1, stack, 1);
	tiny_run_stack(&run, PID, stack, 1);
	gives("1 plain 4 1 hot 0 0 1\n");
	assert_int_equal(run.ledgers.samples.dropped[SAMPLE_DROP_NO_PROCESS], 1);
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_DROPPED_SAMPLE], 1);
}

/* As soon as there is a branch anywhere, basic samples are dropped. */
static void no_stack(void **state)
{
	const struct branch stack[] = {{at(0x1104), at(0x1000), 0}};

	(void)state;
	begin(&usual);
	tiny_run_address(&run, PID, at(0x1000), "cycles:");
	tiny_run_stack(&run, PID, stack, 1);
	tiny_run_address(&run, PID, KERNEL, "cycles:");
	gives("1 plain 4 1 hot 0 0 1\n");
	assert_int_equal(run.ledgers.samples.read, 3);
	assert_int_equal(run.ledgers.samples.dropped[SAMPLE_DROP_NO_STACK], 2);
}

static void addresses(void **state)
{
	(void)state;
	begin(&usual);
	tiny_run_address(&run, PID, at(0x1304), "cycles:");
	tiny_run_address(&run, PID, at(0x1304), "instructions:");
	tiny_run_address(&run, PID, at(0x1020), "cycles:");
	tiny_run_address(&run, PID, KERNEL, "cycles:");
	tiny_run_address(&run, PID, OUTSIDE, "cycles:");
	tiny_run_address(&run, PID + 1, at(0x1020), "branches:");
	gives("no_lbr cycles: instructions:\n"
	      "1 hot 40 1\n"
	      "1 hot 84 2\n");
	assert_int_equal(run.ledgers.samples.read, 6);
	assert_int_equal(run.ledgers.samples.dropped[SAMPLE_DROP_KERNEL], 1);
	assert_int_equal(run.ledgers.samples.dropped[SAMPLE_DROP_UNKNOWN], 1);
	assert_int_equal(run.ledgers.samples.dropped[SAMPLE_DROP_NO_PROCESS], 1);
}

static void basic_mode(void **state)
{
	static const struct aggregate_options basic = {.mode = MODE_BASIC, .erratum = true};
	const struct branch stack[] = {{at(0x1104), at(0x1000), 0}, {at(0x1104), at(0x1000), 0}};
	struct sample sample = {.pid = PID,
				.ip = {at(0x1108)},
				.has_stack = true,
				.branches = stack,
				.branch_count = 2,
				.event = text_of("cycles:")};

	(void)state;
	begin(&basic);
	tiny_run_sample(&run, &sample);
	tiny_run_trace(&run, 'T', trace_of_words(0x1104, 0x1000, 0x1010), 4, 0);
	gives("no_lbr cycles:\n"
	      "1 plain 8 1\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_BASIC_MODE], 6);
	assert_int_equal(run.ledgers.traces.dropped[TRACE_DROP_BASIC_MODE], 4);
}

/* What R lines say holds for the lines before, too. */
static void returns_are_known_for_every_line(void **state)
{
	(void)state;
	begin(&usual);
	tiny_run_trace(&run, 'T', trace_of_words(0x1104, 0x1010, TRACE_BR_ONLY), 2, 0);
	tiny_run_trace(&run, 'R', trace_of_words(0x1104, 0x1014, TRACE_BR_ONLY), 1, 0);
	tiny_run_trace(&run, 'T', trace_of_words(0x1105, 0x1014, TRACE_BR_ONLY), 1, 0);
	gives("1 plain 5 1 hot 24 0 1\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_RETURN], 3);
}

/* A count of 0 is none at all. */
static void nothing_counted(void **state)
{
	(void)state;
	begin(&usual);
	tiny_run_trace(&run, 'T', trace_of_words(0x1104, 0x1010, TRACE_BR_ONLY), 0, 0);
	gives("");
}

/* Counts of traces and branches fit, but not those of all traces when ends are guessed. */
static void guessed_traces_fit(void **state)
{
	const uint64_t most = UINT64_C(1) << 63;
	struct aggregate_options options = usual;
	struct bc_error err = {0};
	bool basic;

	(void)state;
	for (int imputes = 0; imputes < 2; imputes++) {
		options.impute = imputes;
		begin(&options);
		tiny_run_trace(&run, 'T', trace_of_words(TRACE_FT_ONLY, 0x1000, 0x1010), most, 0);
		tiny_run_trace(&run, 'T', trace_of_words(0x1104, 0x1000, TRACE_BR_ONLY), most, 0);
		assert_int_equal(aggregate_finish(&run.aggregate, &basic, &err), !imputes);
		aggregate_fini(&run.aggregate);
		tiny_binary_fini(&run.tiny);
	}
	assert_int_equal(err.code, BC_FORMAT);
	assert_string_equal(err.text, "the counts of the samples add up to 2^64 or more");
}

/* A return to the location after the call in `hot`, and the run from there to a ret.  With its
 * type it is one, with that of another entry of its source, too. */
static void types(void **state)
{
	const struct branch missing[] = {{at(0x1038), at(0x1100), 0}, {OUTSIDE, at(0x1030), 0}};
	const struct branch elsewhere[] = {{at(0x1038), at(0x1100), 0},
					   {OUTSIDE, at(0x1020), BRANCH_TYPE_RETURN}};
	const struct branch other[] = {{at(0x1038), at(0x1100), 0},
				       {OUTSIDE + 1, at(0x1030), BRANCH_TYPE_OTHER},
				       {OUTSIDE + 2, OUTSIDE, BRANCH_TYPE_RETURN}};

	(void)state;
	begin(&usual);
	run.tiny.code[0x38] = 0xc3;
	tiny_run_stack(&run, PID, missing, BC_COUNT(missing));
	tiny_run_stack(&run, PID, elsewhere, BC_COUNT(elsewhere));
	tiny_run_stack(&run, PID, missing, BC_COUNT(missing));
	tiny_run_stack(&run, PID, other, BC_COUNT(other));
	gives("1 hot 20 1 hot 40 0 1\n"
	      "1 hot 40 1 hot 60 0 3\n"
	      "0 [unknown] 0 1 hot 60 0 1\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_RETURN], 4 + 3);
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_OUTSIDE], 1);
	assert_int_equal(run.ledgers.branches.kept, 1);
}

/* A few of many samples are looked at for types: where they begin late, that is noticed, too, and
 * what has none in a sample then waits for another to report. */
static void types_that_begin_late(void **state)
{
	const struct branch untyped[] = {{at(0x1104), at(0x1000), 0}};
	const struct branch typed[] = {{at(0x1104), at(0x1000), BRANCH_TYPE_OTHER}};
	const struct branch missing[] = {{at(0x1038), at(0x1100), 0}, {OUTSIDE, at(0x1020), 0}};
	const struct branch elsewhere[] = {{at(0x1038), at(0x1100), 0},
					   {OUTSIDE, at(0x1020), BRANCH_TYPE_RETURN}};

	(void)state;
	begin(&usual);
	run.tiny.code[0x38] = 0xc3;
	for (int i = 0; i < 5000; i++)
		tiny_run_stack(&run, PID, untyped, 1);
	for (int i = 0; i < 100; i++)
		tiny_run_stack(&run, PID, typed, 1);
	tiny_run_stack(&run, PID, missing, BC_COUNT(missing));
	tiny_run_stack(&run, PID, elsewhere, BC_COUNT(elsewhere));
	gives("1 hot 20 1 hot 40 0 2\n"
	      "1 hot 40 1 hot 60 0 2\n"
	      "1 plain 4 1 hot 0 0 5100\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_RETURN], 2 + 2);
}

/* In the binary a type says what an R record does: more than the instruction. */
static void types_in_the_binary(void **state)
{
	const struct branch typed[] = {{at(0x1104), at(0x1000), BRANCH_TYPE_RETURN}};
	const struct branch missing[] = {{at(0x1104), at(0x1400), 0}};
	const struct branch other[] = {{at(0x1108), at(0x1400), BRANCH_TYPE_OTHER}};

	(void)state;
	begin(&usual);
	run.tiny.code[0x108] = 0xc3;
	tiny_run_stack(&run, PID, missing, 1);
	tiny_run_stack(&run, PID, other, 1);
	tiny_run_next(&run);
	tiny_run_stack(&run, PID, typed, 1);
	gives("");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_RETURN], 3);
}

/* Arm SPE: a branch of each sample, and where the taken branch before it led to. */
static void begin_spe(bool even)
{
	const struct aggregate_options options = {.mode = MODE_AUTO, .rules = {.even_lines = even}};

	begin(&options);
	run.tiny.binary.image.machine = MACHINE_AARCH64;
}

static void spe(uint64_t from, uint64_t to, uint64_t flags, uint64_t before)
{
	const struct branch stack[] = {{from, to, flags}, {0, before, 0}};

	tiny_run_stack(&run, PID, stack, before ? 2 : 1);
}

/* What was not taken is a step like any other; some processors record no target of it. */
static void spe_not_taken(void **state)
{
	(void)state;
	for (int even = 0; even < 2; even++) {
		begin_spe(even);
		spe(at(0x101c), at(0x1020), BRANCH_NOT_TAKEN, 0);
		spe(at(0x101c), 0, BRANCH_NOT_TAKEN | BRANCH_MISPREDICTED, 0);
		spe(at(0x101c), at(0x1030), 0, 0);
		gives("1 hot 2c 1 hot 40 1 2\n"
		      "1 hot 2c 1 hot 60 0 1\n");
		assert_int_equal(run.ledgers.branches.read, 3);
		assert_int_equal(run.ledgers.traces.read, 0);
	}
}

/* As perf2bolt has it: the lines count as they are, and nothing comes from outside. */
static void spe_previous(void **state)
{
	(void)state;
	begin_spe(false);
	spe(at(0x102c), at(0x1010), BRANCH_MISPREDICTED, at(0x1010));
	spe(at(0x101c), at(0x1020), BRANCH_NOT_TAKEN, at(0x1000));
	gives("1 hot 0 1 hot 20 0 1\n"
	      "1 hot 20 1 hot 40 0 1\n"
	      "1 hot 2c 1 hot 40 0 1\n"
	      "1 hot 4e 1 hot 20 1 1\n");
	assert_int_equal(run.ledgers.branches.read, 4);
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_NO_SOURCE], 2);
	assert_int_equal(run.ledgers.traces.read, 2);
}

/* The branch of a line counts twice, and what was not taken has no line. */
static void spe_even(void **state)
{
	(void)state;
	begin_spe(true);
	spe(at(0x102c), at(0x1010), BRANCH_MISPREDICTED, at(0x1010));
	spe(at(0x101c), at(0x1020), BRANCH_NOT_TAKEN, at(0x1000));
	gives("1 hot 20 1 hot 40 0 1\n"
	      "1 hot 2c 1 hot 40 0 1\n"
	      "1 hot 4e 1 hot 20 2 2\n");
	assert_int_equal(run.ledgers.branches.read, 4);
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_NO_SOURCE], 1);
	assert_int_equal(run.ledgers.branches.kept, 3);
	assert_int_equal(run.ledgers.traces.read, 1);
}

/* A line that an end of lies outside, a branch that lies there, and the kernel's. */
static void spe_outside(void **state)
{
	(void)state;
	begin_spe(true);
	spe(at(0x102c), at(0x1010), 0, OUTSIDE);
	spe(OUTSIDE, OUTSIDE + 8, 0, OUTSIDE - 8);
	spe(OUTSIDE, at(0x1100), 0, OUTSIDE - 8);
	spe(KERNEL, KERNEL + 8, 0, at(0x1010));
	spe(at(0x102c), at(0x1010), 0, KERNEL);
	spe(0, at(0x1010), 0, 0); /* of a load: its line ends nowhere */
	gives("1 hot 4e 1 hot 20 0 4\n"
	      "0 [unknown] 0 1 plain 0 0 2\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_OUTSIDE], 2);
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_KERNEL], 2);
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_NO_SOURCE], 1);
	assert_int_equal(run.ledgers.traces.read, 3);
	assert_int_equal(run.ledgers.traces.dropped[TRACE_DROP_OUTSIDE], 3);
}

/* perf calls every indirect jump of SPE a return. */
static void spe_types(void **state)
{
	(void)state;
	begin_spe(true);
	spe(at(0x102c), at(0x1010), BRANCH_TYPE_RETURN, 0);
	spe(OUTSIDE, at(0x1100), BRANCH_TYPE_RETURN, 0);
	gives("1 hot 4e 1 hot 20 0 1\n"
	      "0 [unknown] 0 1 plain 0 0 1\n");
}

/* ---- hardware traces ---- */

static void ran(uint32_t pid, struct ran_trace row)
{
	tiny_run_event(&run, &(struct event){.kind = EVENT_RAN, .ran = {&row, 1, pid}});
}

/* The same branches as in pairing(). */
static void ran_like_a_stack(void **state)
{
	(void)state;
	begin(&usual);
	ran(PID, (struct ran_trace){at(0x1104), at(0x1000), at(0x102c), 1, false});
	ran(PID, (struct ran_trace){at(0x102c), at(0x1010), 0, 1, false});
	gives("1 hot 0 1 hot 20 0 1\n"
	      "1 hot 20 1 hot 40 0 1\n"
	      "1 hot 4e 1 hot 20 0 1\n"
	      "1 plain 4 1 hot 0 0 1\n");
	assert_int_equal(run.ledgers.samples.read, 0);
	assert_int_equal(run.ledgers.branches.read, 2);
	assert_int_equal(run.ledgers.traces.read, 1);
}

/* Counts are the rows', and a line alone has no branch. */
static void ran_counts(void **state)
{
	(void)state;
	begin(&usual);
	ran(PID, (struct ran_trace){at(0x1104), at(0x1000), at(0x102c), 1000, false});
	ran(PID, (struct ran_trace){0, at(0x1000), at(0x102c), 7, false});
	gives("1 hot 0 1 hot 20 0 1007\n"
	      "1 hot 20 1 hot 40 0 1007\n"
	      "1 plain 4 1 hot 0 0 1000\n");
	assert_int_equal(run.ledgers.branches.read, 1000);
	assert_int_equal(run.ledgers.traces.read, 1007);
}

/* Into the binary, out of it, and neither; a return into it is no call. */
static void ran_outside(void **state)
{
	(void)state;
	begin(&usual);
	ran(PID, (struct ran_trace){OUTSIDE, at(0x1100), 0, 3, false});
	ran(PID, (struct ran_trace){at(0x1104), OUTSIDE, OUTSIDE + 8, 2, false});
	ran(PID, (struct ran_trace){OUTSIDE, OUTSIDE + 8, OUTSIDE + 16, 5, false});
	ran(PID, (struct ran_trace){0, OUTSIDE + 8, OUTSIDE + 16, 11, false});
	ran(PID, (struct ran_trace){OUTSIDE, at(0x1108), 0, 4, true});
	gives("1 plain 4 0 [unknown] 0 0 2\n"
	      "0 [unknown] 0 1 plain 0 0 3\n");
	assert_int_equal(run.ledgers.branches.read, 14);
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_OUTSIDE], 5);
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_RETURN], 4);
	assert_int_equal(run.ledgers.traces.read, 18);
	assert_int_equal(run.found.by_type, 4);
}

static void ran_elsewhere(void **state)
{
	(void)state;
	begin(&usual);
	ran(PID + 1, (struct ran_trace){at(0x1104), at(0x1000), at(0x102c), 6, false});
	ran(PID, (struct ran_trace){at(0x1104), KERNEL, 0, 2, false});
	ran(PID, (struct ran_trace){KERNEL, at(0x1104), at(0x1110), 1, false});
	ran(PID, (struct ran_trace){at(0x1104), at(0x1000), 0, 1, false});
	gives("1 plain 4 1 hot 0 0 1\n");
	assert_int_equal(run.ledgers.branches.read, 10);
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_NO_PROCESS], 6);
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_KERNEL], 3);
}

/* --pid chooses, the other filters cannot. */
static void ran_filtered(void **state)
{
	static const uint32_t wanted[] = {PID};
	const struct ran_trace row = {at(0x1104), at(0x1000), 0, 1, false};
	struct aggregate_options options = usual;
	struct bc_error err = {0};

	(void)state;
	options.filter.pids = wanted;
	options.filter.pid_count = 1;
	begin(&options);
	tiny_run_map(&run, PID + 1);
	ran(PID, row);
	ran(PID + 1, row);
	gives("1 plain 4 1 hot 0 0 1\n");
	assert_int_equal(run.ledgers.branches.dropped[BRANCH_DROP_NO_PROCESS], 1);

	options = usual;
	options.filter.most = 5;
	begin(&options);
	assert_false(aggregate_event(
		&run.aggregate, &(struct event){.kind = EVENT_RAN, .ran = {&row, 1, PID}}, &err));
	assert_int_equal(err.code, BC_UNSUPPORTED);
	gives("no_lbr\n");

	options = usual;
	options.mode = MODE_BASIC;
	begin(&options);
	assert_false(aggregate_event(
		&run.aggregate, &(struct event){.kind = EVENT_RAN, .ran = {&row, 1, PID}}, &err));
	assert_int_equal(err.code, BC_UNSUPPORTED);
	gives("no_lbr\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ran_like_a_stack),
		cmocka_unit_test(ran_counts),
		cmocka_unit_test(ran_outside),
		cmocka_unit_test(ran_elsewhere),
		cmocka_unit_test(ran_filtered),
		cmocka_unit_test(pairing),
		cmocka_unit_test(the_newest_has_no_end),
		cmocka_unit_test(equal_branches_are_counted),
		cmocka_unit_test(kernel_entries_go_before_pairing),
		cmocka_unit_test(entries_outside),
		cmocka_unit_test(erratum),
		cmocka_unit_test(erratum_takes_the_newest),
		cmocka_unit_test(erratum_counts_user_entries),
		cmocka_unit_test(other_processes),
		cmocka_unit_test(no_stack),
		cmocka_unit_test(addresses),
		cmocka_unit_test(basic_mode),
		cmocka_unit_test(returns_are_known_for_every_line),
		cmocka_unit_test(nothing_counted),
		cmocka_unit_test(guessed_traces_fit),
		cmocka_unit_test(types),
		cmocka_unit_test(types_that_begin_late),
		cmocka_unit_test(types_in_the_binary),
		cmocka_unit_test(spe_not_taken),
		cmocka_unit_test(spe_previous),
		cmocka_unit_test(spe_even),
		cmocka_unit_test(spe_outside),
		cmocka_unit_test(spe_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
