/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What becomes of the text that LLVM prints, and which blocks are listed.  The source is part of
 * this file: its text comes from libLLVM else, and its arrays cannot grow here when they are not
 * allowed to. */
#include <stdbool.h>
#include <stdlib.h>

#include "src/base/vec.h"

static bool no_memory;
#define large_realloc(at, used, size) (no_memory ? NULL : realloc(at, size))
#include "src/figures/listing.c"
#undef large_realloc

#include "tests/support/cmocka.h"

static void assert_blanks(const char *printed, const char *expected)
{
	char buffer[64] = "ab"; /* what is in front is no part of it */
	char *text = buffer + 2;

	snprintf(text, sizeof(buffer) - 2, "%s", printed);
	plain_blanks(text);
	assert_string_equal(text, expected);
}

static void mnemonic_and_operands_are_apart_by_one_blank(void **state)
{
	(void)state;
	assert_blanks("\tmovq\t%rax, %rbx", "movq %rax, %rbx");
	assert_blanks(" \t lock\t \taddl  $1, (%rdi)", "lock addl $1, (%rdi)");
	assert_blanks("ret", "ret");
	assert_blanks("\t", "");
}

static void assert_page(const char *printed, uint64_t at, const char *expected)
{
	char text[64];

	snprintf(text, sizeof(text), "%s", printed);
	say_page(text, sizeof(text), at);
	assert_string_equal(text, expected);
}

/* adrp adds a distance to the address of its own page. */
static void pages_of_adrp(void **state)
{
	(void)state;
	assert_page("adrp x0, #4096", 0x401234, "adrp x0, 0x402000");
	assert_page("adrp x16, #-8192", 0x405ffc, "adrp x16, 0x403000");
	assert_page("adrp x0, 402000", 0x401234, "adrp x0, 402000");
	assert_page("add x0, x0, #16", 0x401234, "add x0, x0, #16");
}

/* A direct branch has its target as its last operand, others after the text. */
static void targets_of_instructions(void **state)
{
	static const struct {
		const char *printed, *expected;
		enum insn_kind kind;
		uint64_t target;
	} rows[] = {
		{"callq 12", "callq 0x401000", INSN_CALL, 0x401000},
		{"cbz x0, #16", "cbz x0, 0x401000", INSN_CONDITIONAL, 0x401000},
		{"tbz w0, #3, #16", "tbz w0, #3, 0x500000 <f>", INSN_CONDITIONAL, 0x500000},
		{"jmp 12", "jmp 0x500004 <f+0x4>", INSN_JUMP, 0x500004},
		{"leaq 8(%rip), %rax", "leaq 8(%rip), %rax # 0x500000 <f>", INSN_NEXT, 0x500000},
	};
	struct function f = {.address = 0x500000, .size = 16, .extent = 16, .printed = "f"};
	struct function_table functions = {.at = &f, .count = 1};
	const struct side side = {.functions = &functions};

	(void)state;
	assert_true(functions_index(&functions));
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		const struct insn insn = {.kind = rows[i].kind, .target = rows[i].target};
		char text[64];
		snprintf(text, sizeof(text), "%s", rows[i].printed);
		say_target(text, sizeof(text), &side, &insn);
		assert_string_equal(text, rows[i].expected);
	}
	free(functions.index.below);
}

static void hottest_blocks_are_listed(void **state)
{
	struct balance_block blocks[] = {{.start = 0},
					 {.start = 4, .count = 90},
					 {.start = 8, .count = 3},
					 {.start = 12, .count = 7}};
	const struct flow_function flow = {.blocks = {blocks, BC_COUNT(blocks), BC_COUNT(blocks)}};
	struct hot_block_vec hot = {0};
	uint64_t held, all;
	size_t ran;

	(void)state;
	assert_true(choose(&flow, &hot, &ran, &held, &all)); /* 90 and 7 are 95 %, and more */
	assert_int_equal(ran, 3);
	assert_int_equal(all, 100);
	assert_int_equal(held, 97);
	assert_int_equal(hot.len, 2);
	assert_int_equal(hot.at[0].number, 1);
	assert_int_equal(hot.at[1].number, 3);
	hot_block_vec_free(&hot);
	no_memory = true;
	assert_false(choose(&flow, &hot, &ran, &held, &all));
	no_memory = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mnemonic_and_operands_are_apart_by_one_blank),
		cmocka_unit_test(pages_of_adrp),
		cmocka_unit_test(targets_of_instructions),
		cmocka_unit_test(hottest_blocks_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
