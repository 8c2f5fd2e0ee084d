/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <elf.h>

#include "src/base/count_table.h"
#include "src/base/sort.h"
#include "src/quality/heat.h"

static bool section_less(const struct heat_section *a, const struct heat_section *b)
{
	return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
}
DEFINE_SORT(sort_sections, struct heat_section, section_less)

void heat_sections_free(struct heat_sections *sections)
{
	heat_section_vec_free(&sections->at);
}

static bool list_sections(const struct image *image, struct heat_sections *out)
{
	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		bool code = s->flags & SHF_ALLOC && s->flags & SHF_EXECINSTR && s->size && s->addr + s->size > s->addr;
		if (code && !heat_section_vec_push(&out->at, (struct heat_section){s->name, s->addr, s->addr + s->size, 0, 0}))
			return false;
	}
	if (out->at.len)
		sort_sections(out->at.at, out->at.len);
	return true;
}

static void add(struct heat_section *section, uint64_t buckets, uint64_t hits)
{
	section->touched += buckets;
	section->hits = count_add_saturating(section->hits, heat_product(buckets, hits));
}

static uint64_t up(uint64_t address, uint64_t bucket)
{
	return address / bucket + !!(address % bucket);
}

/* Takes the buckets below `to` out of a run, and returns how many they are. */
static uint64_t cut(struct heat_run *rest, uint64_t to)
{
	uint64_t part = to <= rest->first ? 0 : to - rest->first < rest->count ? to - rest->first : rest->count;

	rest->first += part;
	rest->count -= part;
	return part;
}

static void add_nowhere(struct heat_sections *out, uint64_t buckets, uint64_t hits)
{
	out->unmapped = count_add_saturating(out->unmapped, heat_product(buckets, hits));
}

/* Spreads the buckets of a run over the sections.  Buckets before the first byte of a section are
 * unmapped, and those that begin before its end belong to it.  So does one that ends where the
 * section begins, as it does in llvm-bolt-heatmap. */
static void spread(const struct heat *heat, struct heat_run rest, size_t *section, struct heat_sections *out)
{
	while (rest.count && *section < out->at.len) {
		struct heat_section *s = &out->at.at[*section];
		uint64_t before = up(s->begin, heat->bucket);
		uint64_t first = before ? before - 1 : 0;
		add_nowhere(out, cut(&rest, first), rest.hits);
		add(s, cut(&rest, up(s->end, heat->bucket)), rest.hits);
		*section += rest.count != 0;
	}
	add_nowhere(out, rest.count, rest.hits);
}

/* Adds the buckets that begin in the hot code to it; they count in their section, too. */
static void add_hot(const struct heat *heat, struct heat_run rest, struct heat_section *hot)
{
	cut(&rest, up(hot->begin, heat->bucket));
	add(hot, cut(&rest, up(hot->end, heat->bucket)), rest.hits);
}

bool heat_sections_take(const struct heat *heat, const struct function_table *functions, struct heat_sections *out)
{
	const struct symbol_table *symbols = &functions->symbols;
	size_t section = 0;

	*out = (struct heat_sections){0};
	if (symbols->hot_end > symbols->hot_start)
		out->hot = (struct heat_section){text_of("[hot text]"), symbols->hot_start, symbols->hot_end, 0, 0};
	if (!list_sections(&functions->image, out))
		return false;
	for (size_t i = 0; i < heat->runs.len; i++) {
		spread(heat, heat->runs.at[i], &section, out);
		if (out->hot.end)
			add_hot(heat, heat->runs.at[i], &out->hot);
	}
	return true;
}

uint64_t heat_section_buckets(const struct heat *heat, const struct heat_section *section)
{
	return up(section->end, heat->bucket) - section->begin / heat->bucket;
}
