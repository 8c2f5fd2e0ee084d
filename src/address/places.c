/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/address/places.h"

#include <elf.h>
#include <stdlib.h>

#include "src/base/sort.h"

static int by_name(const void *a, const void *b)
{
	const struct named_place *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->function > y->function) - (x->function < y->function);
}

DEFINE_UNIFY(keep_distinct, struct named_place, !by_name(last, item), (void)0)

/* BOLT's two names of each function, and those of the symbols that begin it. */
static bool collect_names(struct places *places)
{
	const struct function_table *table = &places->binary->functions;
	const struct symbol_table *symbols = &table->symbols;
	size_t f = 0;

	places->names = malloc((2 * table->count + symbols->count + 1) * sizeof(*places->names));
	if (!places->names)
		return false;
	for (uint32_t i = 0; i < table->count; i++) {
		places->names[places->name_count++] = (struct named_place){table->at[i].printed, i};
		places->names[places->name_count++] = (struct named_place){table->at[i].primary, i};
	}
	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *s = &symbols->at[i];
		while (f < table->count && table->at[f].address < s->address)
			f++;
		if (f < table->count && table->at[f].address == s->address && *s->name &&
		    s->type != STT_SECTION)
			places->names[places->name_count++] =
				(struct named_place){s->name, (uint32_t)f};
	}
	qsort(places->names, places->name_count, sizeof(*places->names), by_name);
	places->name_count = keep_distinct(places->names, places->name_count);
	return true;
}

bool places_init(struct places *places, const struct binary *binary)
{
	*places = (struct places){.binary = binary};
	if (collect_names(places) && fragments_by_function_list(&binary->bat, &places->fragments))
		return true;
	places_free(places);
	return false;
}

void places_free(struct places *places)
{
	free(places->names);
	fragments_by_function_free(&places->fragments);
	*places = (struct places){0};
}

static int compare_text(const char *name, struct text text)
{
	size_t len = strlen(name), both = len < text.len ? len : text.len;
	int order = both ? memcmp(name, text.at, both) : 0; /* an empty text can be nowhere */

	return order ? order : (len > text.len) - (len < text.len);
}

DEFINE_SEARCH(first_name_from, struct named_place, struct text, compare_text(item->name, key) < 0)

const struct named_place *places_named(const struct places *places, struct text name, size_t *count)
{
	size_t first = first_name_from(places->names, places->name_count, name);

	*count = 0;
	while (first + *count < places->name_count &&
	       !compare_text(places->names[first + *count].name, name))
		++*count;
	return *count ? &places->names[first] : NULL;
}

/* How many bytes of code a fragment has: those of the function there. */
static uint64_t extent_of(const struct places *places, const struct bat_fragment *fragment)
{
	struct vaddr at = {fragment->address};
	const struct function *f = functions_find(&places->binary->functions, at);

	return f && f->address == fragment->address ? f->extent : 0;
}

/* A range of a fragment's code that is translated by one entry: from output offset
 * `begin` on, `size` bytes, to input offsets from `input` on. */
struct translated_range {
	uint32_t begin, input;
	uint64_t size;
};

typedef bool range_fn(void *ctx, const struct bat_fragment *fragment,
		      const struct translated_range *range);

static bool visit_fragment(const struct places *places, const struct bat_fragment *fragment,
			   range_fn *visit, void *ctx)
{
	const struct bat_entry *entries = places->binary->bat.entries + fragment->first_entry;
	uint64_t extent = extent_of(places, fragment);
	uint32_t count = fragment->entry_count;
	uint64_t first = count && entries[0].output < extent ? entries[0].output : extent;
	struct translated_range before = {0, 0, first}; /* offsets before the first entry stay */

	if (before.size && !visit(ctx, fragment, &before))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t next = i + 1 < count ? entries[i + 1].output : extent;
		uint64_t end = next < extent ? next : extent;
		if (entries[i].output >= end) /* deleted, or of none of its own */
			continue;
		struct translated_range range = {entries[i].output, bat_entry_input(entries[i]),
						 end - entries[i].output};
		if (!visit(ctx, fragment, &range))
			return false;
	}
	return true;
}

/* All ranges of the function's fragments, or one for the whole of an untouched one. */
static void visit_function(const struct places *places, const struct function *function,
			   range_fn *visit, void *ctx)
{
	const struct binary *binary = places->binary;
	uint32_t fragment = binary->fragment_of[function - binary->functions.at];

	if (fragment == NO_FRAGMENT) {
		struct bat_fragment whole = {.address = function->address};
		struct translated_range range = {0, 0, function->extent};
		visit(ctx, &whole, &range);
		return;
	}
	for (uint32_t i = places->fragments.first[fragment];
	     i < places->fragments.first[fragment + 1]; i++)
		if (!visit_fragment(places, &binary->bat.fragments[places->fragments.at[i]], visit,
				    ctx))
			return;
}

struct search {
	uint32_t offset;
	places_fn *found;
	void *ctx;
	bool has_below;
	uint32_t below;
};

static bool find_in_range(void *ctx, const struct bat_fragment *fragment,
			  const struct translated_range *range)
{
	const struct search *search = ctx;
	uint32_t skip = search->offset - range->input;

	if (skip >= range->size)
		return true;
	struct vaddr at = {fragment->address + range->begin + skip};
	return search->found(search->ctx, at);
}

void places_of_input(const struct places *places, const struct function *function, uint32_t offset,
		     places_fn *found, void *ctx)
{
	struct search search = {.offset = offset, .found = found, .ctx = ctx};

	visit_function(places, function, find_in_range, &search);
}

static bool find_below(void *ctx, const struct bat_fragment *fragment,
		       const struct translated_range *range)
{
	struct search *search = ctx;

	(void)fragment;
	if (range->input >= search->offset)
		return true;
	uint64_t last = range->input + range->size - 1;
	uint32_t here = last < search->offset ? (uint32_t)last : search->offset - 1;
	if (!search->has_below || here > search->below)
		search->below = here;
	search->has_below = true;
	return true;
}

bool places_nearest_below(const struct places *places, const struct function *function,
			  uint32_t offset, uint32_t *out)
{
	struct search search = {.offset = offset};

	visit_function(places, function, find_below, &search);
	if (search.has_below)
		*out = search.below;
	return search.has_below;
}
