/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/section_parts.h"

#include <elf.h>
#include <stdlib.h>

/* Sections that have an address in common, the first in header order on top: a heap. */
struct open_sections {
	uint32_t *at;
	size_t count;
};

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t other = *a;

	*a = *b;
	*b = other;
}

static void open_one(struct open_sections *open, uint32_t section)
{
	size_t i = open->count++;

	for (open->at[i] = section; i && open->at[i] < open->at[(i - 1) / 2]; i = (i - 1) / 2)
		swap(&open->at[i], &open->at[(i - 1) / 2]);
}

static void close_first(struct open_sections *open)
{
	open->at[0] = open->at[--open->count];
	for (size_t i = 0, least = 0;; i = least) {
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < open->count; child++)
			if (open->at[child] < open->at[least])
				least = child;
		if (least == i)
			return;
		swap(&open->at[i], &open->at[least]);
	}
}

static bool has_addresses(const struct section *s)
{
	bool no_memory = s->type == SHT_NOBITS && s->flags & SHF_TLS;

	return s->flags & SHF_ALLOC && !no_memory && s->size;
}

struct placed {
	uint64_t addr;
	uint32_t section;
};

static int by_addr(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->section > y->section) - (x->section < y->section);
}

/* One part: the addresses between two neighbouring begins or ends of sections. */
static size_t sweep(const struct section *sections, const struct placed *placed, size_t count,
		    struct open_sections *open, struct section_part *out)
{
	size_t next = 0, parts = 0;

	for (uint64_t at = 0; next < count || open->count;) {
		if (!open->count)
			at = placed[next].addr;
		for (; next < count && placed[next].addr == at; next++)
			open_one(open, placed[next].section);
		while (open->count && at - sections[open->at[0]].addr >= sections[open->at[0]].size)
			close_first(open);
		uint32_t here = open->count ? open->at[0] : NO_SECTION_THERE;
		if (!parts || out[parts - 1].section != here)
			out[parts++] = (struct section_part){at, here};
		if (!open->count)
			continue;
		uint64_t end = sections[here].addr + sections[here].size;
		at = next < count && placed[next].addr < end ? placed[next].addr : end;
	}
	return parts;
}

bool section_parts_find(struct image *image)
{
	struct placed *placed = malloc((image->section_count + 1) * sizeof(*placed));
	struct open_sections open = {malloc((image->section_count + 1) * sizeof(*open.at)), 0};
	size_t count = 0;

	/* A part begins where a section does, or behind the end of one. */
	image->parts = malloc((2 * image->section_count + 2) * sizeof(*image->parts));
	bool ok = placed && open.at && image->parts;
	for (size_t i = 0; ok && i < image->section_count; i++)
		if (has_addresses(&image->sections[i]))
			placed[count++] = (struct placed){image->sections[i].addr, (uint32_t)i};
	if (ok && count) {
		qsort(placed, count, sizeof(*placed), by_addr);
		image->part_count = sweep(image->sections, placed, count, &open, image->parts);
	}
	free(placed);
	free(open.at);
	return ok;
}
