/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/extents.h"

#include <elf.h>

#include "src/elf/padding.h"

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

/* BOLT looks at the padding only if it cannot move code, that is, without the
 * relocations that ld --emit-relocs leaves. */
static bool has_text_relocations(const struct image *image)
{
	return image_section(image, ".rela.text");
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
	bool movable = has_text_relocations(image);
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
