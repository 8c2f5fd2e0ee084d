/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many offsets of a table lie on an instruction of the input: the table of tiny_binary.h, and
 * an input of the same code. */
#include "src/code/pair.h"

#include <elf.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/isa/decoder.h"
#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

#define BOTH 9 /* offsets of the two hot fragments: six of `hot`, three of `other` */

static struct tiny_binary output, input;
static uint32_t function_of[4], input_of[TINY_FUNCTIONS];
static struct pair pair;

static int setup(void **state)
{
	static const uint32_t functions[] = {0, 3, 4, 5};

	(void)state;
	tiny_binary_init(&output);
	tiny_binary_init(&input);
	memcpy(function_of, functions, sizeof(functions));
	output.binary.function_of = function_of;
	for (uint32_t i = 0; i < TINY_FUNCTIONS; i++)
		input_of[i] = i;
	pair = (struct pair){.output = &output.binary,
			     .image = input.binary.image,
			     .functions = input.binary.functions,
			     .input_of = input_of};
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tiny_binary_fini(&output);
	tiny_binary_fini(&input);
	return 0;
}

static void assert_fit(uint64_t offsets, uint64_t strange)
{
	struct bc_error err;

	assert_true(pair_fit(&pair, &err));
	assert_int_equal(pair.offsets.compared, offsets);
	assert_int_equal(pair.offsets.differ, strange);
}

/* The code is nops, so each offset fits; those of cold fragments are not looked at. */
static void all_fit(void **state)
{
	(void)state;
	assert_fit(BOTH, 0);
}

/* An instruction from 0x2a to 0x2e: the entry of 0x2c is within. */
static void one_within_an_instruction(void **state)
{
	(void)state;
	tiny_binary_jump(&input, 0x102a, 0x1080);
	assert_fit(BOTH, 1);
}

/* From 0x41 on no byte of `hot` is an instruction: 0x4e and 0x60 are after.  Only libLLVM can
 * show; where there is none, as in a process that cannot open files, they do not count. */
static void behind_what_is_no_instruction(void **state)
{
	const struct rlimit none = {0, 0};
	struct decoder decoder;
	struct insn insn;
	struct bc_error err;
	int how;

	(void)state;
	input.code[0x41] = 0x06;
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(setrlimit(RLIMIT_NOFILE, &none) || !pair_fit(&pair, &err) ||
		      pair.offsets.compared != BOTH - 2 || pair.offsets.differ);
	assert_int_equal(waitpid(child, &how, 0), child);
	assert_int_equal(how, 0);

	decoder_open(MACHINE_X86_64, &decoder);
	assert_false(decoder_next(&decoder, (struct bytes){input.code + 0x41, 1}, 0x1041, &insn));
	if (!decoder.llvm_missing)
		assert_fit(BOTH, 2);
	decoder_close(&decoder);
}

/* `other` ends at 0x18, where the last of its entries is. */
static void behind_the_function(void **state)
{
	(void)state;
	input.functions[4].extent = 0x18;
	assert_fit(BOTH, 1);
	input.functions[4].extent = 0x19;
	assert_fit(BOTH, 0);
}

static void functions_that_the_input_does_not_have(void **state)
{
	(void)state;
	input_of[4] = NO_FUNCTION;
	assert_fit(BOTH, 3);
	function_of[2] = NO_FUNCTION; /* nor has the output: the table is checked elsewhere */
	assert_fit(6, 0);
}

/* Where the input was BOLTed, too, only functions that were not moved are compared. */
static void functions_of_a_sibling(void **state)
{
	static uint32_t moved[] = {NO_FRAGMENT, 0, 0, 0, 7, 0};

	(void)state;
	pair.moved = moved;
	tiny_binary_jump(&input, 0x102a, 0x1080);
	assert_fit(6, 1);
	input_of[0] = NO_FUNCTION;
	assert_fit(0, 0);
}

/* Of 5,000 functions every third is looked at, from the first one on. */
static void a_sample_of_many(void **state)
{
	static struct bat_entry entries[] = {{0, 0}, {4, 8}};
	static struct bat_fragment fragments[5000];
	static uint32_t functions[5000];

	(void)state;
	for (uint32_t i = 0; i < BC_COUNT(fragments); i++) {
		fragments[i] = (struct bat_fragment){.entry_count = i % 3 ? 1 : 2};
		functions[i] = 0;
	}
	output.binary.bat = (struct bat_table){
		.fragments = fragments, .fragment_count = BC_COUNT(fragments), .entries = entries};
	output.binary.function_of = functions;
	assert_fit(2 * 1667, 0);
}

#define ALL 50

/* Fifty offsets, the first of the code; both files have one symbol, of `hot`. */
static bool open_all(struct pair *opened, struct bc_error *err)
{
	static struct bat_entry entries[ALL];
	static struct section section = {.flags = SHF_ALLOC | SHF_EXECINSTR};
	static struct symbol symbol = {.name = "hot", .address = TINY_BASE};
	struct function_table *tables[] = {&output.binary.functions, &input.binary.functions};

	for (uint32_t i = 0; i < BC_COUNT(entries); i++)
		entries[i] = (struct bat_entry){i, i << 1};
	output.fragments[0].entry_count = BC_COUNT(entries);
	output.binary.kind = BINARY_BOLTED;
	output.binary.bat.entries = entries;
	output.binary.bat.fragment_count = 1;
	for (size_t i = 0; i < 2; i++) {
		tables[i]->image.sections = &section;
		tables[i]->symbols = (struct symbol_table){.at = &symbol, .count = 1};
	}
	return pair_open_known(&input.binary.image, &input.binary.functions, &output.binary, opened,
			       err);
}

/* Instructions of two bytes, `66 90`: at the second byte of each no instruction begins. */
static void make_strange(size_t count)
{
	for (size_t i = 0; i < count; i++)
		input.code[2 * i] = 0x66;
}

static void assert_opens(const char *doubt)
{
	struct bc_error err;
	struct pair opened;

	assert_true(open_all(&opened, &err));
	assert_string_equal(opened.doubt.code ? opened.doubt.text : "", doubt);
	pair_close(&opened);
}

static void assert_refused(const char *text)
{
	struct bc_error err;
	struct pair opened;

	assert_false(open_all(&opened, &err));
	assert_int_equal(err.code, BC_MISMATCH);
	assert_string_equal(err.text, text);
}

/* Ten prove nothing, and eleven do, unless the build-ids fit. */
static void the_limit(void **state)
{
	(void)state;
	assert_opens("");
	make_strange(10);
	assert_opens(
		"20.0 % of the table's offsets lie on no instruction of it (limit 1 %), but these are few");
	make_strange(11);
	assert_refused(
		"not the input binary: 22.0 % of the table's offsets lie on no instruction of it (limit 1 %)");
	input.binary.image.build_id =
		(struct build_id){.size = 8, .data = {1, 2, 3, 4, 5, 6, 7, 8}};
	output.binary.image.build_id =
		(struct build_id){.size = 8, .data = {1, 2, 3, 4, 5, 6, 7, 9}};
	assert_opens(
		"22.0 % of the table's offsets lie on no instruction of it (limit 1 %), but the build-ids fit");
	input.binary.functions.stripped = true;
	assert_refused(
		"not the input binary as llvm-bolt read it: stripped since, so its functions have no names");
}

/* A body with the names of two functions, `first` of two bytes and `second` of eight: its table is
 * that of the second, which it does not have its printed name of. */
static void the_owner_by_the_table(void **state)
{
	static struct bat_entry entries[] = {{0, 0}, {7, 7 << 1 | 1}};
	static struct section section = {.flags = SHF_ALLOC | SHF_EXECINSTR};
	static struct symbol there[] = {{.name = "first", .address = TINY_BASE},
					{.name = "second", .address = TINY_BASE, .order = 1}};
	static struct symbol here[] = {{.name = "first", .address = TINY_BASE},
				       {.name = "second", .address = TINY_BASE + 0x80, .order = 1}};
	struct function functions[] = {{.address = TINY_BASE,
					.size = 2,
					.extent = 2,
					.primary = "first",
					.printed = "first"},
				       {.address = TINY_BASE + 0x80,
					.size = 8,
					.extent = 8,
					.primary = "second",
					.printed = "second"}};
	struct function body = {.address = TINY_BASE,
				.size = 8,
				.extent = 8,
				.primary = "first",
				.printed = "first"};
	struct bc_error err;
	struct pair opened;

	(void)state;
	output.fragments[0].entry_count = BC_COUNT(entries);
	output.binary.kind = BINARY_BOLTED;
	output.binary.bat.entries = entries;
	output.binary.bat.fragment_count = 1;
	output.binary.functions.at = &body;
	output.binary.functions.count = 1;
	output.binary.functions.symbols = (struct symbol_table){.at = there, .count = 2};
	output.binary.functions.image.sections = &section;
	input.binary.functions.at = functions;
	input.binary.functions.count = 2;
	input.binary.functions.symbols = (struct symbol_table){.at = here, .count = 2};
	input.binary.functions.image.sections = &section;
	for (int swap = 0; swap < 2; swap++) {
		/* the other way round, the name of the body is that of the owner */
		body.primary = body.printed = swap ? "second" : "first";
		assert_true(pair_open_known(&input.binary.image, &input.binary.functions,
					    &output.binary, &opened, &err));
		assert_int_equal(opened.input_of[0], 1);
		assert_int_equal(opened.offsets.compared, 2);
		assert_int_equal(opened.offsets.differ, 0);
		pair_close(&opened);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_fit, setup, teardown),
		cmocka_unit_test_setup_teardown(one_within_an_instruction, setup, teardown),
		cmocka_unit_test_setup_teardown(behind_what_is_no_instruction, setup, teardown),
		cmocka_unit_test_setup_teardown(behind_the_function, setup, teardown),
		cmocka_unit_test_setup_teardown(functions_that_the_input_does_not_have, setup,
						teardown),
		cmocka_unit_test_setup_teardown(functions_of_a_sibling, setup, teardown),
		cmocka_unit_test_setup_teardown(a_sample_of_many, setup, teardown),
		cmocka_unit_test_setup_teardown(the_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(the_owner_by_the_table, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
