/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Returns that cannot be found without memory: it is reported, and none is found.  The source is
 * part of this file, with an allocator that fails. */
#include <stdlib.h>

#include "src/flow/traces.h"

static void *no_calloc(size_t count, size_t size)
{
	(void)count;
	(void)size;
	return NULL;
}

#define calloc no_calloc
#include "src/flow/traces.c"
#undef calloc

#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

static void no_memory_is_told(void **state)
{
	struct tiny_binary tiny;
	struct insn_starts starts;
	struct decoder decoder;
	struct label_vec pads = {0};
	struct bc_error err;

	(void)state;
	tiny_binary_init(&tiny);
	tiny.code[0x110] = 0xff; /* a call of two bytes */
	tiny.code[0x111] = 0xd0;
	assert_true(insn_starts_open(&starts, &tiny.binary, &err));
	decoder_open(MACHINE_X86_64, &decoder);
	struct return_places places = {
		.starts = &starts, .decoder = &decoder, .pads = &pads, .used = true};
	const struct output_place from = binary_place(&tiny.binary, (struct vaddr){0x1112}, NULL);
	assert_false(return_places_has(
		&places, trace_of_words(TRACE_EXTERNAL, 0x1112, TRACE_BR_ONLY), from));
	assert_true(places.no_memory);
	assert_int_equal(insn_begins(&starts, &decoder, from), INSN_NO_MEMORY);
	decoder_close(&decoder);
	insn_starts_close(&starts);
	tiny_binary_fini(&tiny);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
