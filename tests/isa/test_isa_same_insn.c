/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Conditions that llvm-bolt turns round.  The words are those of llvm-mc 22. */
#include "src/isa/same_insn.h"

#include "tests/support/cmocka.h"

static enum same_condition compare(enum machine machine, const char *a, size_t a_size,
				   const char *b, size_t b_size)
{
	return same_condition(machine, (struct bytes){(const uint8_t *)a, a_size},
			      (struct bytes){(const uint8_t *)b, b_size});
}
#define COMPARE(machine, a, b) compare(machine, a, sizeof(a) - 1, b, sizeof(b) - 1)

static void x86_64(void **state)
{
	(void)state;
	/* je +5 and je +0x100, jne +5; jl, which is another condition; jrcxz, which has no other
	 * form */
	assert_int_equal(COMPARE(MACHINE_X86_64, "\x74\x05", "\x0f\x84\x00\x01\x00\x00"),
			 CONDITION_SAME);
	assert_int_equal(COMPARE(MACHINE_X86_64, "\x0f\x84\x00\x01\x00\x00", "\x75\x05"),
			 CONDITION_TURNED);
	assert_int_equal(COMPARE(MACHINE_X86_64, "\x74\x05", "\x7c\x05"), CONDITION_OTHER);
	assert_int_equal(COMPARE(MACHINE_X86_64, "\x7d\x05", "\x7c\x05"), CONDITION_TURNED);
	assert_int_equal(COMPARE(MACHINE_X86_64, "\xe3\x05", "\xe3\x05"), CONDITION_OTHER);
}

static void aarch64(void **state)
{
	(void)state;
	/* b.eq, b.ne; cbz x0, cbnz x0, cbz x1, cbz w0; tbz w0, #3, tbnz w0, #3, tbz w0, #4 */
	assert_int_equal(COMPARE(MACHINE_AARCH64, "\x40\x00\x00\x54", "\x80\x00\x00\x54"),
			 CONDITION_SAME);
	assert_int_equal(COMPARE(MACHINE_AARCH64, "\x40\x00\x00\x54", "\x41\x00\x00\x54"),
			 CONDITION_TURNED);
	assert_int_equal(COMPARE(MACHINE_AARCH64, "\x40\x00\x00\x54", "\x4a\x00\x00\x54"),
			 CONDITION_OTHER);
	assert_int_equal(COMPARE(MACHINE_AARCH64, "\x40\x00\x00\xb4", "\x80\x00\x00\xb5"),
			 CONDITION_TURNED);
	assert_int_equal(COMPARE(MACHINE_AARCH64, "\x40\x00\x00\xb4", "\x41\x00\x00\xb4"),
			 CONDITION_OTHER);
	assert_int_equal(COMPARE(MACHINE_AARCH64, "\x40\x00\x00\xb4", "\x40\x00\x00\x34"),
			 CONDITION_OTHER);
	assert_int_equal(COMPARE(MACHINE_AARCH64, "\x40\x00\x18\x36", "\x80\x00\x18\x37"),
			 CONDITION_TURNED);
	assert_int_equal(COMPARE(MACHINE_AARCH64, "\x40\x00\x18\x36", "\x40\x00\x20\x36"),
			 CONDITION_OTHER);
}

static void riscv64(void **state)
{
	(void)state;
	/* beq a0, a1; bne a0, a1; blt a0, a1; addi */
	assert_int_equal(COMPARE(MACHINE_RISCV64, "\x63\x04\xb5\x00", "\x63\x08\xb5\x00"),
			 CONDITION_SAME);
	assert_int_equal(COMPARE(MACHINE_RISCV64, "\x63\x04\xb5\x00", "\x63\x14\xb5\x00"),
			 CONDITION_TURNED);
	assert_int_equal(COMPARE(MACHINE_RISCV64, "\x63\x04\xb5\x00", "\x63\x44\xb5\x00"),
			 CONDITION_OTHER);
	assert_int_equal(COMPARE(MACHINE_RISCV64, "\x13\x05\x15\x00", "\x13\x05\x15\x00"),
			 CONDITION_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_64),
		cmocka_unit_test(aarch64),
		cmocka_unit_test(riscv64),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
