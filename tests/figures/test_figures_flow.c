/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Figures of flow and coverage, calculated by hand. */
#include <stdio.h>
#include <string.h>

#include "src/figures/flow_figures.h"
#include "tests/support/cmocka.h"

static void read_text(const char *text, struct flat_profile *out)
{
	struct file_stream stream = {
		.name = "in", .fd = -1, .memory = (const uint8_t *)text, .size = strlen(text)};
	struct bc_error err;
	bool mine;

	assert_true(flat_read_stream(&stream, out, &mine, &err));
	assert_true(mine);
	stream_close(&stream);
}

static struct flow_figures flow_of(const char *text)
{
	const struct flow_code nothing = {0};
	struct flow_calls calls = {0};
	struct flat_profile flat;
	struct flow_figures flow;
	struct bc_error err;

	read_text(text, &flat);
	assert_true(flow_take(&flat, &nothing, &calls, &flow, &err));
	flow_calls_free(&calls);
	flat_free(&flat);
	return flow;
}

static bool near(double a, double b)
{
	return a - b < 1e-9 && b - a < 1e-9;
}

/* For block 10 and 20 what goes in is not what goes out; 30 is entered 99 times, which is too few,
 * and 40 goes nowhere. */
static void bias(void **state)
{
	struct flow_figures flow = flow_of("0 [unknown] 0 1 f 0 0 1\n"
					   "1 f 8 1 f 10 0 200\n"
					   "1 f 18 1 f 20 0 150\n"
					   "1 f 28 1 f 30 0 99\n"
					   "1 f 24 1 f 10 0 81\n"
					   "1 f 38 1 f 40 0 10\n");

	(void)state;
	/* 10: in 281, out 150; 20: in 150, out 180; 40 and 30 do not count. */
	assert_int_equal(flow.blocks, 2);
	assert_true(near(flow.bias, 100 * ((281. - 150) / 281 + 30. / 150) / 2));
	double a = 131. / 281, b = .2, half = (a - b) / 2;
	assert_true(near(flow.deviation, 100 * half));
}

/* Nothing leads to block 30, which ran 40 times; of 20 functions one such is the worst 5 %. */
static void what_nothing_leads_to(void **state)
{
	static const char broken[] =
		"0 [unknown] 0 1 f 0 0 60\n1 f 8 1 f 10 0 60\n1 f 38 1 f 30 0 40\n";
	struct flow_figures flow = flow_of(broken);
	char text[2048];
	size_t length = (size_t)snprintf(text, sizeof(text), "%s", broken);

	(void)state;
	assert_int_equal(flow.functions, 1);
	assert_true(near(flow.discontinuity, 25)); /* 40 of 60 + 60 + 40 */
	assert_true(near(flow.unreachable, 25));
	for (int i = 1; i < 20; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "0 [unknown] 0 1 g%d 0 0 16\n", i);
	flow = flow_of(text);
	assert_int_equal(flow.functions, 20);
	assert_true(near(flow.discontinuity, 25)); /* element 19 of 20 */
	assert_true(near(flow.unreachable, 100 * 40. / (160 + 19 * 16)));
	snprintf(text + length, sizeof(text) - length, "0 [unknown] 0 1 h 0 0 16\n");
	assert_true(near(flow_of(text).discontinuity, 0)); /* element 19 of 21 */
}

/* YAML: blocks have numbers, callees too, and the number of executions is reported. */
static void numbered_blocks(void **state)
{
	static const char text[] =
		"---\nheader:\n  profile-version: 1\n  profile-flags: [ lbr ]\n  hash-func: xxh3\nfunctions:\n"
		"  - name: f\n    fid: 7\n    hash: 0x1\n    exec: 100\n    nblocks: 3\n    blocks:\n"
		"      - bid: 0\n        insns: 1\n        hash: 0x1\n        succ: [ { bid: 2, cnt: 200 } ]\n"
		"      - bid: 2\n        insns: 1\n        hash: 0x1\n"
		"        calls: [ { off: 0x4, fid: 9, cnt: 50 } ]\n        succ: [ { bid: 0, cnt: 100 } ]\n"
		"  - name: g\n    fid: 9\n    hash: 0x1\n    exec: 60\n    nblocks: 1\n...\n";
	struct flat_profile flat;

	(void)state;
	read_text(text, &flat);
	assert_int_equal(flat.functions.len, 3); /* and outside */
	assert_int_equal(flat.functions.at[1].samples, 350);
	assert_int_equal(flat.functions.at[2].executed, 60); /* as it is reported, not 50 */
	assert_int_equal(flat.records.len, 3);
	flat_free(&flat);
	struct flow_figures flow = flow_of(text);
	assert_int_equal(flow.blocks, 1); /* number 2: 200 in, 100 out */
	assert_true(near(flow.bias, 50));
	assert_true(
		near(flow.deviation,
		     100 * .35355339059327378)); /* the entry: 100 in, 200 out: |1 - .5| and 0 */
}

/* Samples of a block lead nowhere, whatever its successors are. */
static void samples_of_blocks(void **state)
{
	static const char text[] =
		"---\nheader:\n  profile-version: 1\n  profile-flags: [ lbr ]\n  hash-func: xxh3\nfunctions:\n"
		"  - name: f\n    fid: 7\n    hash: 0x1\n    exec: 1\n    nblocks: 3\n    blocks:\n"
		"      - bid: 0\n        insns: 1\n        hash: 0x1\n        events: 5\n"
		"        succ: [ { bid: 2, cnt: 20 } ]\n...\n";
	struct flat_profile flat;

	(void)state;
	read_text(text, &flat);
	assert_int_equal(flat.records.len, 2);
	for (size_t i = 0; i < flat.records.len; i++) {
		const struct flat_record *record = &flat.records.at[i];
		assert_int_equal(record->count, record->kind == FLAT_SAMPLE ? 5 : 20);
		assert_int_equal(record->to_at, record->kind == FLAT_SAMPLE ? 0 : 2);
	}
	flat_free(&flat);
}

/* The function was called 80 times.  Its first block sends 160 on, of which 100 come back.  Half of
 * what enters its second block is missing, which only a call of the function itself explains; the
 * third one leaves. */
static void missing_counts(void **state)
{
	struct insn insns[] = {{.kind = INSN_NEXT},
			       {.kind = INSN_NEXT},
			       {.kind = INSN_CALL, .target = 0x1000},
			       {.kind = INSN_RETURN}};
	uint32_t first_insn[] = {0, 1, 3, 4}, first_next[] = {0, 2, 3, 3}, next[] = {1, 2, 2};
	struct block blocks[] = {{.start = 0}, {.start = 4}, {.start = 12}};
	const struct graph graph = {.blocks = blocks,
				    .count = 3,
				    .code = {.insns = {insns, BC_COUNT(insns), BC_COUNT(insns)},
					     .first_insn = first_insn,
					     .first_next = first_next,
					     .next = next}};
	struct balance_block counts[] = {{.start = 0, .in = 100, .out = 160, .count = 160},
					 {.start = 4, .in = 50, .out = 25, .count = 50},
					 {.start = 12, .in = 60, .count = 60}};
	const struct flow_function f = {.blocks = {counts, BC_COUNT(counts), BC_COUNT(counts)},
					.graph = &graph};

	(void)state;
	struct flow_gaps gaps = flow_gaps_take(&f, 0x1000, 80);
	assert_true(near(gaps.call, .25)); /* 60 of 80 */
	assert_true(near(gaps.weighted, 0));
	insns[2].target = 0x2000;
	gaps = flow_gaps_take(&f, 0x1000, 60);
	assert_true(near(gaps.call, 0));
	assert_true(near(gaps.weighted, .5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bias),
		cmocka_unit_test(what_nothing_leads_to),
		cmocka_unit_test(numbered_blocks),
		cmocka_unit_test(samples_of_blocks),
		cmocka_unit_test(missing_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
