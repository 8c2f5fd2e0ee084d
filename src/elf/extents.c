/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/extents.h"

#include <elf.h>

#include "src/base/sort.h"
#include "src/elf/bolt_input.h"
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

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool symbol_is_label(const struct image *image, const struct function *f,
		     const struct symbol *s)
{
	const struct section *section = &image->sections[f->section];

	if (s->address - section->addr >= section->size)
		return false;
	if (!s->size && s->address - f->address < f->size)
		return true;
	return s->type == STT_NOTYPE && s->local;
}

/* The first symbol behind a function's start that cannot lie inside it and is
 * not above `limit`; else the limit. */
static uint64_t next_object(const struct image *image, const struct symbol_table *symbols,
			    size_t from, const struct function *f, uint64_t limit)
{
	for (size_t i = from; i < symbols->count && symbols->at[i].address < limit; i++) {
		const struct symbol *s = &symbols->at[i];
		if (!s->inside && !symbol_is_label(image, f, s))
			return s->address;
	}
	return limit;
}

bool extents_gap_is_padding(const struct image *image, const struct symbol_table *symbols,
			    const struct function *f)
{
	const struct section *section = &image->sections[f->section];
	struct gap gap = {.address = f->address + f->size, .function = f->address};

	gap.bytes = bytes_from(image_section_bytes(image, section), gap.address - section->addr);
	gap.bytes = bytes_first(gap.bytes, f->extent - f->size);
	return padding_fills(image->machine, gap, symbols);
}

void extents_set(const struct image *image, const struct symbol_table *symbols,
		 struct function *functions, size_t count)
{
	bool movable = image_has_code_relocations(image); /* else BOLT looks at the padding, too */
	size_t above = 0;

	for (size_t i = 0; i < count; i++) {
		struct function *f = &functions[i];
		const struct section *section = &image->sections[f->section];
		uint64_t limit = section->addr + section->size;
		if (i + 1 < count)
			limit = min(limit, functions[i + 1].address);
		while (above < symbols->count && symbols->at[above].address <= f->address)
			above++;
		f->extent = next_object(image, symbols, above, f, limit) - f->address;
		if (f->extent < f->size) /* a symbol in its middle is no boundary */
			f->extent = min(f->size, limit - f->address);
		if (!f->size || f->size > f->extent)
			f->size = f->extent;
		/* A function does not reach over a gap that is more than padding. */
		f->has_gap = f->size < f->extent && f->kind == FUNCTION_CODE && !movable;
	}
}
