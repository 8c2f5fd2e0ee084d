/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/padding.h"

#include "src/isa/branch.h"

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
	case 0xf2: /* repne, rep */
	case 0xf3:
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

/* Where the opcode begins: behind legacy prefixes and then one REX. */
static size_t x86_prefix_size(struct bytes code, bool *has_rep, uint8_t *rex)
{
	size_t at = 0;

	for (; at < code.size && is_x86_prefix(code.data[at]); at++)
		*has_rep |= code.data[at] >= 0xf2;
	if (at < code.size && (code.data[at] & 0xf0) == 0x40)
		*rex = code.data[at++];
	return at;
}

/* The length of the nop at the beginning, 0 for none: nop with an operand or
 * without; the latter is another instruction with rep (pause) or REX.B (xchg). */
static size_t x86_nop_size(struct bytes code)
{
	bool has_rep = false;
	uint8_t rex = 0;
	size_t at = x86_prefix_size(code, &has_rep, &rex), size = 0;
	struct bytes opcode = bytes_from(code, at);

	if (opcode.size && opcode.data[0] == 0x90 && !has_rep && !(rex & 1))
		size = at + 1;
	else if (opcode.size > 2 && opcode.data[0] == 0x0f && opcode.data[1] == 0x1f)
		size = at + 2 + modrm_size(bytes_from(opcode, 2));
	return size <= code.size && size <= 15 ? size : 0;
}

/* The length of a jump to what follows it in the gap or to its end. */
static size_t x86_skip_jump_size(struct bytes code)
{
	struct branch_insn jump = branch_decode(MACHINE_X86_64, code, (struct vaddr){0});
	bool has_rep = false;
	uint8_t rex = 0;
	size_t at = x86_prefix_size(code, &has_rep, &rex);

	if (jump.kind != BRANCH_DIRECT || code.data[at] == 0xe8) /* call */
		return 0;
	size_t size = at + (code.data[at] == 0xeb ? 2 : 5);
	return jump.target.v >= size && jump.target.v <= code.size ? size : 0;
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

static bool x86_fills(struct bytes gap)
{
	while (gap.size && gap.data[0] == 0xcc)
		gap = bytes_from(gap, 1);
	for (size_t size = 0; gap.size; gap = bytes_from(gap, size)) {
		size = x86_padding_size(gap);
		if (!size)
			return false;
	}
	return true;
}

/* The bytes of data from the front of the gap on, by the mapping symbols of the
 * function that the gap belongs to. */
static size_t aarch64_data_size(struct gap gap, const struct symbol_table *symbols)
{
	size_t low = 0, high = symbols->mark_count; /* first mark above */

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (symbols->marks[mid].address <= gap.address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || !symbols->marks[low - 1].data || symbols->marks[low - 1].address < gap.function)
		return 0;
	while (low < symbols->mark_count && symbols->marks[low].data)
		low++;
	uint64_t size = low < symbols->mark_count ? symbols->marks[low].address - gap.address
						  : UINT64_MAX;
	return size < gap.bytes.size ? (size_t)size : gap.bytes.size;
}

/* adrp x16, page; add x16, x16, offset; br x16: a jump that a linker added. */
static bool is_aarch64_veneer(struct bytes code)
{
	return code.size >= 12 && (le32(code.data) & 0x9f00001f) == 0x90000010 &&
	       (le32(code.data + 4) & 0xff8003ff) == 0x91000210 &&
	       le32(code.data + 8) == 0xd61f0200;
}

static size_t aarch64_padding_size(struct gap gap, const struct symbol_table *symbols)
{
	if (is_aarch64_veneer(gap.bytes))
		return 12;
	size_t size = aarch64_data_size(gap, symbols);
	if (size || gap.bytes.size < 4)
		return size;
	uint32_t word = le32(gap.bytes.data);
	return !word || word == 0xd503201f /* nop */ ? 4 : 0;
}

static bool is_aarch64_brk(struct bytes code)
{
	return code.size >= 4 && (le32(code.data) & 0xffe0001f) == 0xd4200000;
}

static struct gap gap_from(struct gap gap, size_t from)
{
	return (struct gap){bytes_from(gap.bytes, from), gap.address + from, gap.function};
}

static bool aarch64_fills(struct gap gap, const struct symbol_table *symbols)
{
	while (is_aarch64_brk(gap.bytes))
		gap = gap_from(gap, 4);
	for (size_t size = 0; gap.bytes.size; gap = gap_from(gap, size)) {
		size = aarch64_padding_size(gap, symbols);
		if (!size)
			return false;
	}
	return true;
}

bool padding_fills(enum machine machine, struct gap gap, const struct symbol_table *symbols)
{
	switch (machine) {
	case MACHINE_X86_64:
		return x86_fills(gap.bytes);
	case MACHINE_AARCH64:
		return aarch64_fills(gap, symbols);
	case MACHINE_RISCV64:
		return true;
	}
	return true;
}
