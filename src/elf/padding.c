/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/padding.h"

#include "src/base/search.h"
#include "src/isa/insn.h"

DEFINE_SEARCH(marks_above, struct code_mark, uint64_t, item->address <= key)

/* The length of a nop, or of a jump forward within the gap or to its end; 0 for any other
 * instruction. */
static size_t x86_filler_size(struct bytes code)
{
	struct insn insn = insn_decode(MACHINE_X86_64, code, 0);
	bool skips = insn.kind == INSN_JUMP && insn.target >= insn.size && insn.target <= code.size;

	return insn.nop || skips ? insn.size : 0;
}

static size_t x86_padding_size(struct bytes code)
{
	size_t size = x86_filler_size(code);

	return size || code.data[0] ? size : 1;
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
	size_t next = marks_above(symbols->marks, symbols->mark_count, gap.address);

	if (!next || !symbols->marks[next - 1].data || symbols->marks[next - 1].address < gap.function)
		return 0;
	while (next < symbols->mark_count && symbols->marks[next].data)
		next++;
	uint64_t size = next < symbols->mark_count ? symbols->marks[next].address - gap.address
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
	return !le32(gap.bytes.data) || insn_decode(MACHINE_AARCH64, gap.bytes, 0).nop ? 4 : 0;
}

static bool is_aarch64_brk(struct bytes code)
{
	return insn_decode(MACHINE_AARCH64, code, 0).kind == INSN_BREAK;
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
