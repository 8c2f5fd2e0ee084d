/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How many offsets of a table lie on an instruction of the input: the table of tiny_binary.h, and an input of the same code. */
#include "src/pair/match.h"

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
	pair = (struct pair){.output = &output.binary, .image = input.binary.image, .functions = input.binary.functions, .input_of = input_of};
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
	assert_int_equal(pair.offsets, offsets);
	assert_int_equal(pair.strange, strange);
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

/* From 0x41 on no byte of `hot` is an instruction: 0x4e and 0x60 are behind.  Only libLLVM can tell; where there is none, as in a process
 * that cannot open files, they do not count. */
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
		_exit(setrlimit(RLIMIT_NOFILE, &none) || !pair_fit(&pair, &err) || pair.offsets != BOTH - 2 || pair.strange);
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
	output.binary.bat = (struct bat_table){.fragments = fragments, .fragment_count = BC_COUNT(fragments), .entries = entries};
	output.binary.function_of = functions;
	assert_fit(2 * 1667, 0);
}

/* A hundred offsets, the first of the code; both files have one symbol, of `hot`. */
static bool open_hundred(struct bc_error *err)
{
	static struct bat_entry entries[100];
	static struct section section = {.flags = SHF_ALLOC | SHF_EXECINSTR};
	static struct symbol symbol = {.name = "hot", .address = TINY_BASE};
	struct function_table *tables[] = {&output.binary.functions, &input.binary.functions};
	struct pair opened;

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
	bool ok = pair_open_known(&input.binary.image, &input.binary.functions, &output.binary, &opened, err);
	if (ok)
		pair_close(&opened);
	return ok;
}

/* One of a hundred may be on no instruction, two not: instructions of two bytes, `66 90`, at 98 and at 96. */
static void the_limit(void **state)
{
	static const char others[] = "not what llvm-bolt read: 2.0 % of the table's offsets lie on no instruction of it (limit 1 %)";
	static const char stripped[] = "not what llvm-bolt read: it was stripped since, so that its functions have no names";
	struct bc_error err;

	(void)state;
	input.code[98] = 0x66;
	assert_true(open_hundred(&err));
	input.binary.functions.stripped = true;
	assert_true(open_hundred(&err));
	input.code[96] = 0x66;
	assert_false(open_hundred(&err));
	assert_int_equal(err.code, BC_MISMATCH);
	assert_string_equal(err.text, stripped);
	input.binary.functions.stripped = false;
	assert_false(open_hundred(&err));
	assert_string_equal(err.text, others);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_fit, setup, teardown),
		cmocka_unit_test_setup_teardown(one_within_an_instruction, setup, teardown),
		cmocka_unit_test_setup_teardown(behind_what_is_no_instruction, setup, teardown),
		cmocka_unit_test_setup_teardown(behind_the_function, setup, teardown),
		cmocka_unit_test_setup_teardown(functions_that_the_input_does_not_have, setup, teardown),
		cmocka_unit_test_setup_teardown(functions_of_a_sibling, setup, teardown),
		cmocka_unit_test_setup_teardown(a_sample_of_many, setup, teardown),
		cmocka_unit_test_setup_teardown(the_limit, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
