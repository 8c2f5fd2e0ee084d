/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code of the output next to that of the input: both are tiny_binary.h's table over
 * instructions of one byte. */
#include "src/code/out_functions.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "src/flow/restore.h"
#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

#define CWTL        0x98
#define JE_TO_BEGIN "\x74\xae" /* at 0x1050 */
#define RET         "\xc3"

static struct tiny_binary output, input;
static struct bat_entry entries[13];
static struct bat_block hashes[13];
static struct pair pair;
static struct out_functions all;

static void put(struct tiny_binary *tiny, uint64_t at, const char *bytes, size_t size)
{
	memcpy(tiny->code + (at - TINY_BASE), bytes, size);
}

static void begin(void)
{
	static uint32_t function_of[] = {0, 3, 4, 5};
	static struct section section = {.flags = SHF_ALLOC | SHF_EXECINSTR};
	static struct symbol symbol = {.name = "hot", .address = TINY_BASE};
	struct tiny_binary *both[] = {&output, &input};

	for (size_t i = 0; i < 2; i++) {
		tiny_binary_init(both[i]);
		memset(both[i]->code, CWTL, sizeof(both[i]->code));
		put(both[i], 0x107f, RET, 1);
		both[i]->binary.functions.image = both[i]->binary.image;
		both[i]->binary.functions.image.sections = &section;
		both[i]->binary.functions.symbols =
			(struct symbol_table){.at = &symbol, .count = 1};
	}
	put(&input, 0x1050, JE_TO_BEGIN, 2);
	memcpy(entries, output.binary.bat.entries, sizeof(entries));
	for (size_t i = 0; i < BC_COUNT(entries); i++)
		hashes[i] = (struct bat_block){.hash = bat_entry_is_branch(entries[i]) ? 0 : 1 + i};
	output.binary.kind = BINARY_BOLTED;
	output.binary.function_of = function_of;
	output.binary.bat.layout = BAT_LAYOUT_HASHED;
	output.binary.bat.entries = entries;
	output.binary.bat.blocks = hashes;
}

/* Reads `hot`, whose code is known in the input, with its cold part, and `plain`, which BOLT did
 * not move. */
static const struct out_function *open_hot(void)
{
	static atomic_bool ran[TINY_FUNCTIONS + 1], entered[TINY_FUNCTIONS + 1];
	struct bc_error err;

	memset(entered, 0, sizeof(entered));
	entered[0] = entered[1] = true;
	assert_true(pair_names(&input.binary.image, &input.binary.functions, &output.binary, &pair,
			       &err));
	assert_true(pair_build_graphs(&pair, (const uint32_t[]){0}, 1, 1, &err));
	assert_true(out_functions_open(pair.output, &pair, ran, entered, true, 1, &all));
	assert_int_equal(all.count, 3); /* hot.cold, too */
	return out_function_of(&all, &pair.output->functions.at[0]);
}

static void end(void)
{
	out_functions_close(&all);
	pair_close(&pair);
	tiny_binary_fini(&output);
	tiny_binary_fini(&input);
}

static void blocks_by_the_table(void **state)
{
	static const struct {
		uint32_t output, input;
	} expected[] = {{0, 0}, {0x10, 0x20}, {0x20, 0x40}, {0x30, 0x60}};

	(void)state;
	begin();
	const struct out_function *f = open_hot();
	assert_non_null(f->code);
	assert_int_equal(f->blocks.len, BC_COUNT(expected));
	for (size_t i = 0; i < BC_COUNT(expected); i++) {
		const struct out_block *block = &f->blocks.at[i];
		assert_int_equal(block->output, expected[i].output);
		assert_int_equal(block->kind, OUT_BLOCK_OWN);
		assert_int_equal(f->code->insns->at[block->start].offset, expected[i].input);
		assert_int_equal(out_block_at(f, expected[i].output), i);
		assert_int_equal(out_block_at(f, expected[i].output + 0xf), i);
	}
	const struct out_function *plain = out_function_of(&all, &pair.output->functions.at[1]);
	assert_null(plain->code);
	assert_null(plain->fragment);
	assert_int_equal(plain->insns.len, 0x80);
	assert_null(out_function_of(&all, &pair.output->functions.at[4]));
	end();
}

/* The table shows nothing of the first bytes, or of no block: no block is known. */
static void tables_without_a_beginning(void **state)
{
	(void)state;
	begin();
	entries[0].output = 8;
	assert_int_equal(open_hot()->blocks.len, 0);
	end();
	begin();
	for (size_t i = 0; i < 6; i++)
		entries[i].input |= 1;
	assert_int_equal(open_hot()->blocks.len, 0);
	end();
}

/* A call of the function itself is no path to its first block, although the block at hand has one:
 * the location is counted, four instructions on.  A jump is that way. */
static void calls_lead_nowhere_within(void **state)
{
	(void)state;
	begin();
	put(&output, 0x1024, "\xe8\xd7\xff\xff\xff", 5); /* call 0x1000 */
	const struct out_function *f = open_hot();
	struct exit_site leave = find_exit(pair.output, f, insns_at(&f->insns, 0x24));
	assert_int_equal(f->code->insns->at[leave.last].offset, 0x44);
	assert_false(leave.leads);
	assert_false(leave.sited);
	end();
	begin();
	put(&output, 0x1024, "\x0f\x84\xd6\xff\xff\xff", 6); /* je 0x1000 */
	f = open_hot();
	leave = find_exit(pair.output, f, insns_at(&f->insns, 0x24));
	assert_int_equal(f->code->insns->at[leave.last].offset, 0x50);
	assert_true(leave.leads);
	assert_false(leave.sited);
	end();
}

/* A jump that is in no entry of the table, to the middle of its own block: what is counted before
 * it ends before its target. */
static void jumps_within_their_block(void **state)
{
	static const struct {
		const char *jump;
		uint32_t last;
	} rows[] = {
		{"\x0f\x84\xfe\xff\xff\xff", 0x43}, /* je 0x1028: after the four before it */
		{"\x0f\x84\xf8\xff\xff\xff", 0x41}, /* je 0x1022 */
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		begin();
		put(&output, 0x1024, rows[i].jump, 6);
		const struct out_function *f = open_hot();
		struct exit_site leave = find_exit(pair.output, f, insns_at(&f->insns, 0x24));
		assert_false(leave.leads || leave.sited);
		assert_int_equal(f->code->insns->at[leave.last].offset, rows[i].last);
		end();
	}
}

/* A block without a hash, which llvm-bolt made: its jump is one of the input's if an entry of the
 * table is of it, else llvm-bolt compares there. */
static void jumps_of_made_blocks(void **state)
{
	(void)state;
	for (int known = 0; known < 2; known++) {
		begin();
		hashes[1].hash = 0;
		entries[2].output = known ? 0x11 : 0x1c;
		put(&output, 0x1011, "\x74\x00", 2);
		const struct out_function *f = open_hot();
		assert_int_equal(f->blocks.at[1].output, 0x10);
		assert_int_equal(f->blocks.at[1].kind, known ? OUT_BLOCK_AFTER : OUT_BLOCK_CHECK);
		end();
	}
}

static void add_step(struct record_batch *batch, uint32_t from, uint32_t to, uint64_t count)
{
	const struct function *hot = &pair.output->functions.at[0];

	assert_true(
		record_push(batch, pair.output,
			    &(struct record){RECORD_BRANCH, {hot, from}, {hot, to}, count, 0, 0}));
}

/* The first block leads to those of 20 and 40, and the output goes from the former to the latter,
 * ten times: that was the way of the first block, which went to 20 as many times less, from
 * wherever in it. */
static void steps_that_are_told_by_the_block_before(void **state)
{
	static const uint64_t expected[][3] = {{0x1e, 0x20, 4}, {0x1e, 0x40, 10}};
	static const struct inlined_bodies none;
	static struct record_batch batch;
	struct known_calls calls;
	struct targets targets = {.functions = &pair.functions};
	struct record_vec restored_records;
	struct restored restored = {0};
	struct profile profile;
	struct bc_error err;

	(void)state;
	begin();
	memset(input.code + 0x50, CWTL, 2);
	put(&input, 0x101e, "\x74\x20", 2); /* je 0x1040 */
	put(&input, 0x103e, "\xeb\x20", 2); /* jmp 0x1060 */
	open_hot();
	memset(&batch, 0, sizeof(batch));
	add_step(&batch, 0x2c, 0x40, 10);
	add_step(&batch, 0x10, 0x20, 8);
	add_step(&batch, 0x1e, 0x20, 6);
	const struct restoration how = {
		.pair = &pair,
		.out_functions = &all,
		.calls = &calls,
		.output_targets = &targets,
		.inlined = &none,
		.threads = 1,
		.rules = {.restore = RESTORE_BIT(RESTORE_REMOVED) | RESTORE_BIT(RESTORE_EDGES)},
		.restored = &restored};
	assert_true(known_calls_open(&pair, &targets, NULL, &calls));
	assert_true(restore_records(&how, &batch.records, 1, &restored_records, &err));
	assert_true(profile_build(pair.output, false, &restored_records, 1, 1, &profile, &err));
	assert_int_equal(profile.record_count, BC_COUNT(expected));
	for (size_t i = 0; i < BC_COUNT(expected); i++) {
		struct record record = profile_record(&profile, i);
		assert_int_equal(record.from.offset, expected[i][0]);
		assert_int_equal(record.to.offset, expected[i][1]);
		assert_int_equal(record.count, expected[i][2]);
	}
	assert_int_equal(restored.count[RESTORE_EDGES], 10);
	known_calls_close(&calls);
	profile_free(&profile);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_by_the_table),
		cmocka_unit_test(tables_without_a_beginning),
		cmocka_unit_test(calls_lead_nowhere_within),
		cmocka_unit_test(jumps_within_their_block),
		cmocka_unit_test(jumps_of_made_blocks),
		cmocka_unit_test(steps_that_are_told_by_the_block_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
