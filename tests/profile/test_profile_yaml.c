/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the YAML of a made-up BAT looks like, by hand from docs/conversion.md,
 * "YAML"; and names that a YAML reader could take for something else. */
#include "src/profile/yaml.h"
#include "src/code/blocks.h"

#include <stdlib.h>
#include <string.h>

#include "src/profile/yaml_text.h"
#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

enum { HOT, PLAIN, EXT, COLD, OTHER };

static struct tiny_binary tiny;
static struct bat_block blocks[64];
static uint32_t secondary[] = {0x18};

static void scalar_is(const char *string, const char *wanted)
{
	char *text = NULL;
	size_t size;
	struct emit out;

	emit_init(&out, open_memstream(&text, &size));
	yaml_scalar(&out, string);
	emit_flush(&out);
	fclose(out.file);
	assert_string_equal(text, wanted);
	free(text);
}

static void test_scalars(void **state)
{
	(void)state;
	scalar_is("main", "main");
	scalar_is("__x.part.0", "__x.part.0");
	scalar_is("f/u.c/1", "'f/u.c/1'");
	scalar_is("getenv@PLT", "'getenv@PLT'");
	scalar_is("it's", "'it''s'");
	scalar_is("", "''");
	scalar_is("null", "'null'");
	scalar_is("No", "'No'");
	scalar_is("1e5", "'1e5'");
	scalar_is("0xabc", "0xabc");
	scalar_is(".inf", "'.inf'");
	scalar_is("-x", "'-x'");
	scalar_is("a: b #c", "'a: b #c'");
	scalar_is("a\nb\"\\\x7f", "\"a\\x0Ab\\\"\\\\\\x7F\"");
	scalar_is("\xc3\xa4", "\"\xc3\xa4\"");
	scalar_is("\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\"");
	scalar_is("\xc2\x85 \xc2\xa0", "\"\\x85 \xc2\xa0\"");
	scalar_is("\xe2\x80\xa8\xef\xbb\xbf", "\"\\u2028\\uFEFF\"");
	scalar_is("a\xff\xed\xa0\x80\xc3",
		  "\"a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

static struct input_place place(int function, uint32_t offset)
{
	return (struct input_place){&tiny.functions[function], offset};
}

static const struct hash_source *hashes;
static bool reached;

static char *written(struct record *records, size_t count, bool basic, struct yaml_report *report)
{
	struct record_batch batch = {0};
	struct profile profile;
	struct bc_error err = {0};
	struct cfg graphs = {0};
	struct yaml_header header = {.binary_name = "tiny",
				     .external = true,
				     .graphs = &graphs,
				     .hashes = hashes,
				     .reached = reached};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < count; i++)
		assert_true(record_push(&batch, &tiny.binary, &records[i]));
	assert_true(profile_build(&tiny.binary, basic, &batch.records, 1, 1, &profile, &err));
	assert_true(blocks_build_graphs(&tiny.binary, profile.by_name, profile.function_count,
					&graphs, 1, &err));
	assert_true(yaml_write(&profile, &header, out, report, &err));
	fclose(out);
	cfg_free(&graphs);
	profile_free(&profile);
	return text;
}

/* The text after `functions:`. */
static void gives(struct record *records, size_t count, bool basic, const char *wanted)
{
	struct yaml_report report;
	char *text = written(records, count, basic, &report);
	const char *functions = strstr(text, "\nfunctions:");

	assert_non_null(functions);
	assert_string_equal(functions + 11, wanted);
	free(text);
}

static void test_branches(void **state)
{
	(void)state;
	/* clang-format off */
	struct record records[] = {
		{RECORD_BRANCH, place(HOT, 0x2c), place(HOT, 0x40), 5, 2, 0}, /* block 0x20 to 0x40 */
		{RECORD_BRANCH, place(HOT, 0x2c), place(OTHER, 0x18), 3, 0, 0}, /* to an entry point */
		{RECORD_BRANCH, place(HOT, 0x4e), place(HOT, 0), 4, 0, 0},      /* recursion */
		{RECORD_BRANCH, place(HOT, 0x8a), place(HOT, 0x90), 1, 0, 0},   /* in the cold part */
		{RECORD_ENTRY, {0}, place(HOT, 0), 9, 0, 0},
	};
	/* clang-format on */

	gives(records, BC_COUNT(records), false,
	      "\n  - name:            hot"
	      "\n    fid:             1"
	      "\n    hash:            0xAB"
	      "\n    exec:            13"
	      "\n    extern:          9"
	      "\n    nblocks:         7"
	      "\n    blocks:"
	      "\n      - bid:             0\n        insns:           0\n        hash:            0x100"
	      "\n        exec:            13"
	      "\n      - bid:             1\n        insns:           0\n        hash:            0x101"
	      "\n        calls:           [ { off: 0xC, fid: 5, disc: 1, cnt: 3 } ]"
	      "\n        succ:            [ { bid: 2, cnt: 5, mis: 2 } ]"
	      "\n      - bid:             2\n        insns:           0\n        hash:            0x102"
	      "\n        calls:           [ { off: 0xE, fid: 1, cnt: 4 } ]"
	      "\n      - bid:             4\n        insns:           0\n        hash:            0x104"
	      "\n        succ:            [ { bid: 5, cnt: 1 } ]"
	      "\n  - name:            other"
	      "\n    fid:             5"
	      "\n    hash:            0xCD"
	      "\n    exec:            0"
	      "\n    nblocks:         2"
	      "\n    blocks:"
	      "\n      - bid:             1\n        insns:           0\n        hash:            0x202"
	      "\n        exec:            3"
	      "\n...\n");
}

static void test_samples(void **state)
{
	(void)state;
	/* clang-format off */
	struct record records[] = {
		{RECORD_SAMPLE, place(HOT, 0x21), {0}, 5, 0, 0},
		{RECORD_SAMPLE, place(HOT, 0x3f), {0}, 2, 0, 0},
	};
	/* clang-format on */

	gives(records, BC_COUNT(records), true,
	      "\n  - name:            hot"
	      "\n    fid:             1"
	      "\n    hash:            0xAB"
	      "\n    exec:            0"
	      "\n    nblocks:         7"
	      "\n    blocks:"
	      "\n      - bid:             1\n        insns:           0\n        hash:            0x101"
	      "\n        events:          7"
	      "\n...\n");
}

static void test_nothing(void **state)
{
	(void)state;
	gives(NULL, 0, false, "\n  []\n...\n");
}

/* A block of BOLT's own, without hash and number: what lies there is in the block of the input
 * around it, and getting there is no edge. */
static void test_made_block(void **state)
{
	(void)state;
	struct bat_entry *entries = (struct bat_entry *)(uintptr_t)tiny.binary.bat.entries;
	uint32_t at = tiny.fragments[0].first_entry;
	/* clang-format off */
	struct record records[] = {
		{RECORD_BRANCH, place(HOT, 0x2c), place(HOT, 0x40), 5, 0, 0},
		{RECORD_BRANCH, place(HOT, 0x48), place(HOT, 0x80), 3, 0, 0},
	};
	/* clang-format on */

	while (bat_entry_is_branch(entries[at]) || bat_entry_input(entries[at]) != 0x40)
		at++;
	struct bat_block kept = blocks[at];
	blocks[at] = (struct bat_block){0};
	gives(records, BC_COUNT(records), false,
	      "\n  - name:            hot"
	      "\n    fid:             1"
	      "\n    hash:            0xAB"
	      "\n    exec:            0"
	      "\n    nblocks:         7"
	      "\n    blocks:"
	      "\n      - bid:             1\n        insns:           0\n        hash:            0x101"
	      "\n        succ:            [ { bid: 4, cnt: 3 } ]"
	      "\n...\n");
	blocks[at] = kept;
}

/* The table of another binary has a function as `other`, of two blocks; the code of `plain` is
 * theirs or not. */
static void plain_gives(const char *wanted)
{
	static uint32_t other_of[TINY_FUNCTIONS] = {NO_FRAGMENT, 2,           NO_FRAGMENT,
						    NO_FRAGMENT, NO_FRAGMENT, NO_FRAGMENT};
	struct hash_source source = {.fragments = {other_of}};
	/* clang-format off */
	struct record records[] = {
		{RECORD_BRANCH, place(PLAIN, 0x13), place(PLAIN, 0x18), 6, 0, 0},
		{RECORD_BRANCH, place(PLAIN, 0x17), {0}, 2, 0, 0},
		{RECORD_BRANCH, place(OTHER, 0x19), place(PLAIN, 0x18), 3, 0, 0},
	};
	/* clang-format on */

	source.table.bat = tiny.binary.bat;
	hashes = &source;
	gives(records, 2, false, wanted);
	struct yaml_report report;
	char *text = written(records, 3, false, &report);
	assert_non_null(strstr(text, "fid: 2, disc: 1, cnt: 3"));
	assert_int_equal(report.unhashed, 0);
	assert_int_equal(report.count, 11);
	free(text);
	hashes = NULL;
	free(written(records, 2, false, &report));
	assert_int_equal(report.unhashed, 1);
	assert_int_equal(report.unhashed_count, 8);
}

/* A jump of five bytes at 13, and nops: blocks begin at 0 and 18, as the table says. */
static void test_hash_source(void **state)
{
	(void)state;
	tiny_binary_jump(&tiny, 0x1113, 0x1118);
	plain_gives(
		"\n  - name:            plain"
		"\n    fid:             2"
		"\n    hash:            0xCD"
		"\n    exec:            0"
		"\n    nblocks:         2"
		"\n    blocks:"
		"\n      - bid:             0\n        insns:           20\n        hash:            0x201"
		"\n        calls:           [ { off: 0x17, fid: 0, cnt: 2 } ]"
		"\n        succ:            [ { bid: 1, cnt: 6 } ]"
		"\n      - bid:             1\n        insns:           104\n        hash:            0x202"
		"\n...\n");
	memset(tiny.code + 0x113, 0x90, 5);
}

/* The code shows one block where BOLT found two. */
static void test_hash_source_knows_better(void **state)
{
	(void)state;
	plain_gives(
		"\n  - name:            plain"
		"\n    fid:             2"
		"\n    hash:            0xCD"
		"\n    exec:            0"
		"\n    nblocks:         2"
		"\n    blocks:"
		"\n      - bid:             0\n        insns:           24\n        hash:            0x201"
		"\n        calls:           [ { off: 0x17, fid: 0, cnt: 2 } ]"
		"\n        succ:            [ { bid: 1, cnt: 6 } ]"
		"\n      - bid:             1\n        insns:           104\n        hash:            0x202"
		"\n...\n");
}

/* Blocks of BAT that are only a successor: perf2bolt leaves them out. */
static void test_reached(void **state)
{
	(void)state;
	struct record records[] = {{RECORD_BRANCH, place(OTHER, 0xc), place(OTHER, 0x18), 3, 0, 0}};
	const char *const begin =
		"\n  - name:            other\n    fid:             5\n    hash:            0xCD"
		"\n    exec:            0\n    nblocks:         2\n    blocks:"
		"\n      - bid:             0\n        insns:           0\n        hash:            0x201"
		"\n        succ:            [ { bid: 1, cnt: 3 } ]";
	char wanted[512];

	snprintf(wanted, sizeof(wanted), "%s\n...\n", begin);
	gives(records, 1, false, wanted);
	snprintf(
		wanted, sizeof(wanted),
		"%s\n      - bid:             1\n        insns:           0\n        hash:            0x202\n...\n",
		begin);
	reached = true;
	gives(records, 1, false, wanted);
	reached = false;
}

/* In a PLT entry there is no block. */
static void test_plt(void **state)
{
	(void)state;
	struct record record = {RECORD_BRANCH, place(EXT, 0), {0}, 8, 0, 0};
	struct yaml_report report;

	free(written(&record, 1, false, &report));
	assert_int_equal(report.functions, 1);
	assert_int_equal(report.unhashed, 0);
	assert_int_equal(report.lost, 8);
}

/* Blocks are numbered as they are in the input. */
static int setup(void **state)
{
	(void)state;
	tiny_binary_init(&tiny);
	struct bat_table *bat = &tiny.binary.bat;
	for (uint32_t f = 0; f < bat->fragment_count; f++) {
		struct bat_fragment *fragment = &bat->fragments[f];
		uint32_t at = fragment->cold ? 4 : 0;
		for (uint32_t i = 0; i < fragment->entry_count; i++) {
			uint32_t e = fragment->first_entry + i;
			if (bat_entry_is_branch(bat->entries[e]))
				continue;
			blocks[e] = (struct bat_block){(f == 2 ? 0x201 : 0x100) + at, at};
			at++;
		}
	}
	bat->blocks = blocks;
	bat->secondary = secondary;
	bat->secondary_count = 1;
	tiny.fragments[0].hash = 0xab;
	tiny.fragments[0].block_count = 7;
	tiny.fragments[2].hash = 0xcd;
	tiny.fragments[2].block_count = 2;
	tiny.fragments[2].secondary_count = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tiny.binary.bat.blocks = NULL;
	tiny.binary.bat.secondary = NULL;
	tiny_binary_fini(&tiny);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_scalars),     cmocka_unit_test(test_branches),
		cmocka_unit_test(test_samples),     cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_plt),         cmocka_unit_test(test_made_block),
		cmocka_unit_test(test_hash_source), cmocka_unit_test(test_hash_source_knows_better),
		cmocka_unit_test(test_reached),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
