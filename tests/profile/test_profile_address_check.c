/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/build_check.h"

#include <string.h>

#include "tests/support/cmocka.h"
#include "tests/support/tiny_binary.h"

/* The tiny binary is all nops of one byte: put five-byte jumps where an inside is
 * wanted. */
static enum address_verdict verdict(const struct tiny_binary *tiny, uint64_t at)
{
	struct address_walk walk = {0};

	return address_check(&tiny->binary, binary_place(&tiny->binary, (struct vaddr){at}, NULL),
			     &walk);
}

static void beginnings_and_insides(void **state)
{
	struct tiny_binary tiny;

	(void)state;
	tiny_binary_init(&tiny);
	tiny_binary_jump(&tiny, 0x1024, 0x1040); /* in `hot`, after its entry 0x20 */
	tiny_binary_jump(&tiny, 0x1110, 0x1120); /* in `plain`, which has no table */
	assert_int_equal(verdict(&tiny, 0x1000), ADDRESS_BEGINS);
	assert_int_equal(verdict(&tiny, 0x1024), ADDRESS_BEGINS);
	for (uint64_t at = 0x1025; at < 0x1029; at++)
		assert_int_equal(verdict(&tiny, at), ADDRESS_INSIDE);
	assert_int_equal(verdict(&tiny, 0x1029), ADDRESS_BEGINS);
	assert_int_equal(verdict(&tiny, 0x1112), ADDRESS_INSIDE);
	assert_int_equal(verdict(&tiny, 0x1115), ADDRESS_BEGINS);
	tiny_binary_fini(&tiny);
}

/* An entry is believed, whatever is before it. */
static void entries_begin_instructions(void **state)
{
	struct tiny_binary tiny;

	(void)state;
	tiny_binary_init(&tiny);
	tiny_binary_jump(&tiny, 0x102e, 0x1040); /* reaches over the entry 0x30 */
	assert_int_equal(verdict(&tiny, 0x102f), ADDRESS_INSIDE);
	assert_int_equal(verdict(&tiny, 0x1030), ADDRESS_BEGINS);
	tiny_binary_fini(&tiny);
}

static void what_cannot_be_read_is_unsure(void **state)
{
	struct tiny_binary tiny;

	(void)state;
	tiny_binary_init(&tiny);
	tiny.code[0x104] = 0x06; /* no instruction of x86-64 */
	assert_int_equal(verdict(&tiny, 0x1104), ADDRESS_BEGINS);
	assert_int_equal(verdict(&tiny, 0x1105), ADDRESS_UNSURE);
	assert_int_equal(verdict(&tiny, 0x1204), ADDRESS_UNSURE); /* a PLT entry */
	tiny_binary_fini(&tiny);
}

/* RISC-V: the two lowest bits say whether an instruction has two bytes or four; AArch64: always
 * four. */
static void lengths_of_other_machines(void **state)
{
	static const uint8_t code[] = {0x01, 0x00, 0x13, 0x00, 0x00, 0x00, 0x82,
				       0x80, 0x6f, 0x00, 0x00, 0x00, 0x00, 0x00};
	static const bool riscv[] = {1, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1};
	struct tiny_binary tiny;

	(void)state;
	tiny_binary_init(&tiny);
	memcpy(tiny.code + 0x100, code,
	       sizeof(code)); /* nop, addi, ret; jal; and what begins with 00 has two */
	for (uint64_t at = 0; at < BC_COUNT(riscv); at++) {
		tiny.binary.image.machine = MACHINE_RISCV64;
		assert_int_equal(verdict(&tiny, 0x1100 + at),
				 riscv[at] ? ADDRESS_BEGINS : ADDRESS_INSIDE);
		tiny.binary.image.machine = MACHINE_AARCH64;
		assert_int_equal(verdict(&tiny, 0x1100 + at),
				 at % 4 ? ADDRESS_INSIDE : ADDRESS_BEGINS);
	}
	tiny.binary.image.machine = MACHINE_X86_64;
	tiny_binary_fini(&tiny);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beginnings_and_insides),
		cmocka_unit_test(entries_begin_instructions),
		cmocka_unit_test(what_cannot_be_read_is_unsure),
		cmocka_unit_test(lengths_of_other_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
