/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/padding.h"

static bool is_x86_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26: /* es, cs, ss, ds, fs, gs */
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66: /* operand size */
	case 0x67: /* address size */
	case 0xf2:
		return true;
	}
	return false;
}

/* The bytes that a ModRM byte adds to an instruction, itself included. */
static size_t modrm_size(struct bytes code)
{
	if (!code.size)
		return 1;
	unsigned mod = code.data[0] >> 6, rm = code.data[0] & 7;
	size_t sib = mod != 3 && rm == 4;

	if (mod == 1)
		return 1 + sib + 1;
	if (mod == 2 || (!mod && rm == 5))
		return 1 + sib + 4;
	if (!mod && sib && code.size > 1 && (code.data[1] & 7) == 5)
		return 1 + sib + 4;
	return 1 + sib;
}

/* The length of the nop at the beginning, 0 for none. */
static size_t x86_nop_size(struct bytes code)
{
	size_t at = 0;

	while (at < code.size && is_x86_prefix(code.data[at]))
		at++;
	if (at < code.size && (code.data[at] & 0xf8) == 0x48) /* REX.W */
		at++;
	struct bytes opcode = bytes_from(code, at);
	size_t size = 0;
	if (opcode.size && opcode.data[0] == 0x90)
		size = at + 1;
	else if (opcode.size > 2 && opcode.data[0] == 0x0f && opcode.data[1] == 0x1f)
		size = at + 2 + modrm_size(bytes_from(opcode, 2));
	return size <= code.size && size <= 15 ? size : 0;
}

/* The length of a jump to what follows it in the gap or to its end. */
static size_t x86_skip_jump_size(struct bytes code)
{
	if (code.size >= 2 && code.data[0] == 0xeb)
		return code.data[1] <= 0x7f && code.data[1] <= code.size - 2 ? 2 : 0;
	if (code.size >= 5 && code.data[0] == 0xe9)
		return le32(code.data + 1) <= INT32_MAX && le32(code.data + 1) <= code.size - 5 ? 5
											      : 0;
	return 0;
}

static size_t x86_padding_size(struct bytes code)
{
	size_t size = x86_nop_size(code);

	if (!size)
		size = x86_skip_jump_size(code);
	if (!size && !code.data[0])
		size = 1;
	return size;
}

bool padding_fills(enum machine machine, struct bytes gap)
{
	if (machine != MACHINE_X86_64)
		return true;
	while (gap.size && gap.data[0] == 0xcc)
		gap = bytes_from(gap, 1);
	for (size_t size = 0; gap.size; gap = bytes_from(gap, size)) {
		size = x86_padding_size(gap);
		if (!size)
			return false;
	}
	return true;
}
