/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is expected was seen with perf2bolt 22, which calls such functions simple or not
 * (-print-all). */
#include "tests/code/test_code_code.h"

static struct code code;

/* table: what is to be at CODE_DATA, or NULL. */
static const struct graph *graph_of(const char *bytes, size_t size, const char *table,
				    size_t table_size)
{
	code_init(&code, MACHINE_X86_64, bytes, size);
	if (table)
		code_put(&code, CODE_DATA, table, table_size);
	return code_build(&code, 1);
}

static void tail_calls(void **state)
{
	static const char alone[] = "\x90\xff\xe0";                /* nop; jmp *%rax */
	static const char popped[] = "\x74\x01\x90"                /* 0: je 3; nop */
				     "\x41\x5c"                    /* 3: pop %r12  */
				     "\xff\xe0";                   /* 5: jmp *%rax */
	static const char left[] = "\x74\x01\x90\xc9\xff\xe0";     /* leave */
	static const char bare[] = "\x74\x01\x90\x31\xc0\xff\xe0"; /* xor */
	static const char before[] = "\x58" /* 0: pop %rax, in another block */
				     "\x74\x01\x90"
				     "\xff\xe0";

	(void)state;
	assert_false(graph_of(alone, sizeof(alone) - 1, NULL, 0)->unknown_jumps);
	code_free(&code);
	assert_false(graph_of(popped, sizeof(popped) - 1, NULL, 0)->unknown_jumps);
	code_free(&code);
	assert_false(graph_of(left, sizeof(left) - 1, NULL, 0)->unknown_jumps);
	code_free(&code);
	assert_true(graph_of(bare, sizeof(bare) - 1, NULL, 0)->unknown_jumps);
	code_free(&code);
	assert_true(graph_of(before, sizeof(before) - 1, NULL, 0)->unknown_jumps);
	code_free(&code);
}

/* The table is the same; if its address was loaded in another block, BOLT does not rely on it. */
static void tables(void **state)
{
	static const char near[] =
		"\x48\x8d\x15\xf9\x07\x00\x00" /*  0: lea 0x1800(%rip),%rdx     */
		"\x48\x63\x04\xba\x48\x01\xd0" /*  7: movslq (%rdx,%rdi,4),%rax; add %rdx,%rax */
		"\xff\xe0\x90\x90\xc3";        /*  e: jmp *%rax; 10, 11: nop; ret */
	static const char hoisted[] = "\x48\x8d\x15\xf9\x07\x00\x00"
				      "\x74\x00" /*  7: je 9                      */
				      "\x48\x63\x04\xba\x48\x01\xd0"
				      "\xff\xe0\x90\x90\xc3"; /* 10: jmp *%rax; 12, 13: nop; ret */
	const struct graph *graph;

	(void)state;
	graph = graph_of(near, sizeof(near) - 1, "\x10\xf8\xff\xff\x11\xf8\xff\xff\0\0\0\0", 12);
	assert_int_equal(graph->count, 3);
	assert_false(graph->unknown_jumps);
	code_free(&code);
	graph = graph_of(hoisted, sizeof(hoisted) - 1, "\x12\xf8\xff\xff\x13\xf8\xff\xff\0\0\0\0",
			 12);
	assert_int_equal(graph->count, 4);
	assert_true(graph->unknown_jumps);
	code_free(&code);
}

static void its_own_addresses(void **state)
{
	static const char taken[] = "\x48\x8d\x05\x01\x00\x00\x00\x90\xc3"; /* lea 8(%rip),%rax */
	static const char start[] = "\x48\x8d\x05\xf9\xff\xff\xff\x90\xc3"; /* lea f(%rip),%rax */

	(void)state;
	assert_true(graph_of(taken, sizeof(taken) - 1, NULL, 0)->takes_own);
	code_free(&code);
	assert_false(graph_of(start, sizeof(start) - 1, NULL, 0)->takes_own);
	code_free(&code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tail_calls),
		cmocka_unit_test(tables),
		cmocka_unit_test(its_own_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
