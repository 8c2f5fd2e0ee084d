/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls through a slot of the GOT, and the jumps of PLT entries. */
#include "src/elf/plt.h"
#include "tests/support/cmocka.h"

#include <string.h>

#define BASE 0x2000

static struct image image_of(enum machine machine, struct segment *segment, const void *bytes,
			     size_t size)
{
	*segment = (struct segment){
		.vaddr = BASE, .memsz = size, .filesz = size, .align = 1, .executable = true};
	return (struct image){
		.file = {bytes, size}, .machine = machine, .segments = segment, .segment_count = 1};
}

static uint64_t slot_at(enum machine machine, const void *bytes, size_t size, uint64_t at)
{
	struct segment segment;
	const struct image image = image_of(machine, &segment, bytes, size);

	return plt_slot_of(&image, (struct vaddr){BASE + at});
}

static void slots_of_x86_64(void **state)
{
	(void)state;
	assert_int_equal(slot_at(MACHINE_X86_64, "\xff\x15\x10\x00\x00\x00", 6, 0),
			 BASE + 0x16); /* call *0x10(%rip) */
	assert_int_equal(slot_at(MACHINE_X86_64, "\xff\x25\x10\x00\x00\x00", 6, 0),
			 BASE + 0x16);                                  /* jmp *0x10(%rip)  */
	assert_int_equal(slot_at(MACHINE_X86_64, "\xff\xd0", 2, 0), 0); /* call *%rax       */
	assert_int_equal(slot_at(MACHINE_X86_64, "\xe8\x10\x00\x00\x00", 5, 0), 0); /* call 2015 */
	assert_int_equal(slot_at(MACHINE_X86_64, "\xff\x15\x10\x00", 4, 0), 0);
}

#define ADRP_X16 "\x30\x00\x00\xb0" /* adrp x16, BASE + 0x5000 */
#define LOAD_X17 "\x11\x12\x40\xf9" /* ldr x17, [x16, #0x20] */
#define LOAD_X18 "\x12\x12\x40\xf9"
#define BLR_X17  "\x20\x02\x3f\xd6"
#define BR_X17   "\x20\x02\x1f\xd6"
#define BR_X16   "\x00\x02\x1f\xd6"

static void slots_of_aarch64(void **state)
{
	static const struct {
		const char *code;
		uint64_t slot;
	} rows[] = {
		{ADRP_X16 LOAD_X17 BLR_X17, 0x7020}, {ADRP_X16 LOAD_X17 BR_X17, 0x7020},
		{ADRP_X16 LOAD_X17 BR_X16, 0},       {ADRP_X16 LOAD_X18 BLR_X17, 0},
		{LOAD_X17 ADRP_X16 BLR_X17, 0},      {BR_X17 LOAD_X17 BLR_X17, 0},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++)
		assert_int_equal(slot_at(MACHINE_AARCH64, rows[i].code, 12, 8), rows[i].slot);
	assert_int_equal(slot_at(MACHINE_AARCH64, BLR_X17, 4, 0), 0); /* nothing is before it */
	assert_int_equal(slot_at(MACHINE_AARCH64, ADRP_X16 LOAD_X17 BLR_X17, 12, 12), 0);
}

static uint32_t jump_in(enum machine machine, const void *bytes, size_t size)
{
	struct segment segment;
	const struct image image = image_of(machine, &segment, bytes, size);

	return plt_jump_in(&image, (struct vaddr){BASE});
}

static void jumps(void **state)
{
	(void)state;
	assert_int_equal(jump_in(MACHINE_X86_64, "\xff\x25\x10\x00\x00\x00", 6), 0);
	assert_int_equal(jump_in(MACHINE_X86_64, "\xf3\x0f\x1e\xfa\xff\x25\x10\x00\x00\x00", 10),
			 4); /* endbr64           */
	assert_int_equal(
		jump_in(MACHINE_X86_64, "\xf3\x0f\x1e\xfa\xf2\xff\x25\x10\x00\x00\x00", 11),
		4); /* endbr64; bnd jmp  */
	assert_int_equal(jump_in(MACHINE_AARCH64, ADRP_X16 LOAD_X17 "\x10\x82\x00\x91" BR_X17, 16),
			 12);
	assert_int_equal(jump_in(MACHINE_AARCH64, ADRP_X16 LOAD_X17, 8), 8); /* cut */
	assert_int_equal(jump_in(MACHINE_RISCV64, "", 0), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_of_x86_64),
		cmocka_unit_test(slots_of_aarch64),
		cmocka_unit_test(jumps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
