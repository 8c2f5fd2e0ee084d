/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "src/flow/traces.h"
#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

/* Calls in `plain` that end at 1112 and 1122; a landing pad is after the second one. */
static void landing_pads_are_no_returns(void **state)
{
	struct tiny_binary tiny;
	struct insn_starts starts;
	struct decoder decoder;
	struct label pad = {0x1122, LABEL_PAD};
	struct label_vec pads = {.at = &pad, .len = 1, .cap = 1};
	struct bc_error err;

	(void)state;
	tiny_binary_init(&tiny);
	memcpy(&tiny.code[0x110], "\xff\xd0", 2);
	memcpy(&tiny.code[0x120], "\xff\xd0", 2);
	assert_true(insn_starts_open(&starts, &tiny.binary, &err));
	decoder_open(MACHINE_X86_64, &decoder);
	struct return_places places = {.starts = &starts, .decoder = &decoder, .pads = &pads};
	for (int used = 0; used < 2; used++) {
		static const uint64_t at[] = {0x1112, 0x1112, 0x1122, 0x1113, 0x1112, 0x5000};
		static const bool has[] = {true, true, false, false, true, false};
		places.used = used;
		for (size_t i = 0; i < BC_COUNT(at); i++) {
			struct trace trace = trace_of_words(TRACE_EXTERNAL, at[i], TRACE_BR_ONLY);
			struct output_place from =
				binary_place(&tiny.binary, (struct vaddr){at[i]}, NULL);
			assert_int_equal(return_places_has(&places, trace, from), used && has[i]);
			trace.branch.word = TRACE_FT_EXTERNAL;
			assert_int_equal(return_places_has(&places, trace, from), used && has[i]);
			trace.branch.word = TRACE_FT_ONLY;
			assert_false(return_places_has(&places, trace, from));
			trace.branch.word = 0x1104;
			assert_false(return_places_has(&places, trace, from));
		}
	}
	assert_false(places.no_memory);
	decoder_close(&decoder);
	insn_starts_close(&starts);
	tiny_binary_fini(&tiny);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(landing_pads_are_no_returns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
