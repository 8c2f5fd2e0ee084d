/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where libLLVM cannot be opened: as no file can, it is the same on machines that have it. */
#include <sys/resource.h>

#include "src/isa/decoder.h"
#include "tests/support/cmocka.h"

/* No instruction in 64-bit mode, so that LLVM is asked; and ret. */
static const uint8_t unknown[] = {0x06}, ret[] = {0xc3};

static void test_without_llvm(void **state)
{
	struct decoder decoder;
	struct rlimit files, none;
	struct insn insn;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	none = (struct rlimit){0, files.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	decoder_open(MACHINE_X86_64, &decoder);
	assert_true(decoder_next(&decoder, (struct bytes){ret, sizeof(ret)}, 0x1000, &insn));
	assert_int_equal(insn.size, 1);
	assert_false(decoder.llvm_missing); /* it was not needed */
	assert_false(
		decoder_next(&decoder, (struct bytes){unknown, sizeof(unknown)}, 0x1001, &insn));
	assert_true(decoder.llvm_missing);
	/* It is not looked for again, and what is known without it still is. */
	assert_false(
		decoder_next(&decoder, (struct bytes){unknown, sizeof(unknown)}, 0x1001, &insn));
	assert_true(decoder_next(&decoder, (struct bytes){ret, sizeof(ret)}, 0x1002, &insn));
	decoder_close(&decoder);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_llvm)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
