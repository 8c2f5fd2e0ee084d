/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One jump in a field of nops: which traces agree with it. */
#include "src/profile/build_check.h"

#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

static struct tiny_binary tiny;

static struct build_check check(uint64_t branch, uint64_t from, uint64_t to)
{
	const struct trace trace = trace_of_words(branch, from, to);
	struct build_check result = {0};

	build_check_trace(&tiny.binary.image, &trace,
			  build_check_insn(&tiny.binary.image, (struct vaddr){branch}), 3, &result);
	return result;
}

static void expect(struct build_check got, uint64_t checked, uint64_t not_branch,
		   uint64_t bad_target, uint64_t bad_end)
{
	assert_int_equal(got.checked, checked);
	assert_int_equal(got.not_branch, not_branch);
	assert_int_equal(got.bad_target, bad_target);
	assert_int_equal(got.bad_end, bad_end);
}

static void branches(void **state)
{
	(void)state;
	expect(check(0x1010, 0x1400, TRACE_BR_ONLY), 3, 0, 0, 0);
	expect(check(0x1010, 0x1401, TRACE_BR_ONLY), 3, 0, 3, 0);
	expect(check(0x100f, 0x1400, TRACE_BR_ONLY), 3, 3, 0, 0);
	/* Where it went was recorded as outside the binary: nothing to compare. */
	expect(check(0x1010, TRACE_EXTERNAL, TRACE_BR_ONLY), 3, 0, 0, 0);
	/* A return goes anywhere. */
	expect(check(0x1020, 0x1401, TRACE_BR_ONLY), 3, 0, 0, 0);
	/* So does a jump through a register. */
	expect(check(0x1030, 0x1401, TRACE_BR_ONLY), 3, 0, 0, 0);
}

static void not_in_the_code(void **state)
{
	(void)state;
	expect(check(TRACE_EXTERNAL, 0x1000, TRACE_BR_ONLY), 0, 0, 0, 0);
	expect(check(0x9000, 0x1000, TRACE_BR_ONLY), 0, 0, 0, 0);
	expect(check(TINY_BASE + TINY_SIZE, 0x1000, TRACE_BR_ONLY), 0, 0, 0, 0);
	expect(check(TRACE_FT_ONLY, 0x1000, 0x9000), 0, 0, 0, 0);
	expect(check(TRACE_FT_ONLY, 0x1000, TRACE_BR_ONLY), 0, 0, 0, 0);
}

/* Address 0 lies in the code of a library: what represents `outside` is no branch there. */
static void code_at_zero(void **state)
{
	(void)state;
	tiny.segment.vaddr = 0;
	expect(check(TRACE_EXTERNAL, 0x100, TRACE_BR_ONLY), 0, 0, 0, 0);
	expect(check(4, 0x100, TRACE_BR_ONLY), 3, 3, 0, 0);
	tiny.segment.vaddr = TINY_BASE;
}

/* Arm SPE samples conditional branches that went on; of x86-64 none is known, and others always go.
 */
static void not_taken(void **state)
{
	static const uint8_t beq[] = {0x80, 0x00, 0x00, 0x54},
			     b[] = {0x04, 0x00, 0x00, 0x14}; /* both 16 bytes on */

	(void)state;
	tiny.binary.image.machine = MACHINE_AARCH64;
	memcpy(tiny.code + 0x40, beq, sizeof(beq));
	memcpy(tiny.code + 0x60, b, sizeof(b));
	expect(check(0x1040, 0x1050, TRACE_BR_ONLY), 3, 0, 0, 0);
	expect(check(0x1040, 0x1044, TRACE_BR_ONLY), 3, 0, 0, 0);
	expect(check(0x1040, 0x1048, TRACE_BR_ONLY), 3, 0, 3, 0);
	expect(check(0x1060, 0x1064, TRACE_BR_ONLY), 3, 0, 3, 0);
	tiny.binary.image.machine = MACHINE_X86_64;
	tiny.code[0x40] = 0x74; /* je, 6 bytes on */
	tiny.code[0x41] = 0x04;
	expect(check(0x1040, 0x1046, TRACE_BR_ONLY), 3, 0, 0, 0);
	expect(check(0x1040, 0x1044, TRACE_BR_ONLY), 3, 0, 3, 0);
}

/* The end counts where no branch is known; else it is another line's branch. */
static void ends(void **state)
{
	(void)state;
	expect(check(TRACE_FT_ONLY, 0x1000, 0x1010), 3, 0, 0, 0);
	expect(check(TRACE_FT_EXTERNAL, 0x1000, 0x1010), 3, 0, 0, 0);
	expect(check(TRACE_FT_RETURN, 0x1000, 0x100f), 3, 0, 0, 3);
	expect(check(0x1010, 0x1400, 0x100f), 3, 0, 0, 0);
}

static void rate(void **state)
{
	struct build_check sum = {0};
	struct build_check one = check(0x1010, 0x1400, TRACE_BR_ONLY);
	struct build_check bad = check(0x1010, 0x1401, TRACE_BR_ONLY);
	struct build_check none = check(0x1000, 0x1401, TRACE_BR_ONLY);

	(void)state;
	assert_true(build_check_rate(&sum) == 0);
	build_check_add(&sum, &one);
	assert_true(build_check_rate(&sum) == 0);
	build_check_add(&sum, &one);
	build_check_add(&sum, &bad);
	build_check_add(&sum, &none);
	assert_true(build_check_rate(&sum) == 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(branches),     cmocka_unit_test(not_in_the_code),
		cmocka_unit_test(code_at_zero), cmocka_unit_test(not_taken),
		cmocka_unit_test(ends),         cmocka_unit_test(rate),
	};

	tiny_binary_init(&tiny);
	tiny_binary_jump(&tiny, 0x1010, 0x1400);
	tiny.code[0x20] = 0xc3; /* ret */
	tiny.code[0x30] = 0xff; /* jmp *%rax */
	tiny.code[0x31] = 0xe0;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	tiny_binary_fini(&tiny);
	return failed;
}
