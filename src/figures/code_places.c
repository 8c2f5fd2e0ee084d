/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/code_places.h"

#include "src/base/sort.h"
#include "src/base/vec.h"

struct placed {
	uint64_t address, count;
	enum code_place place;
};
DEFINE_VEC(placed_vec, struct placed);

static bool more_often(const struct placed *a, const struct placed *b)
{
	return a->count != b->count ? a->count > b->count : a->address < b->address;
}
DEFINE_SORT(sort_placed, struct placed, more_often)

const char *code_place_key(enum code_place place)
{
#define X(name, key, text) key,
	static const char *const keys[] = {CODE_PLACES(X)};
#undef X

	return keys[place];
}

enum code_place code_place_of(const struct binary *binary, struct output_place place)
{
	if (!place.function)
		return PLACE_NONE;
	if (place.function->kind == FUNCTION_PLT)
		return PLACE_PLT;
	if (place.fragment)
		return place.fragment->cold ? PLACE_COLD : PLACE_HOT;
	bool old = text_is(binary->image.sections[place.function->section].name, ".bolt.org.text");
	bool moved = binary->kind == BINARY_BOLTED && old;
	return moved ? PLACE_OLD : PLACE_LEFT;
}

/* Lists the addresses that were counted, with the sum of each.  Rows of one address stand next to
 * each other. */
static bool list_addresses(struct located_counts *located, struct placed_vec *out)
{
	for (size_t shard = 0; shard < COUNTS_SHARDS; shard++) {
		const struct count_table *table = located_rows(located, shard);
		for (size_t i = 0; i < table->used; i++) {
			uint64_t address = table->rows[i].key[0];
			struct placed *last = out->len ? &out->at[out->len - 1] : NULL;
			if (!located->basic && !trace_end_is((struct trace_end){address}, TRACE_END_VADDR))
				continue;
			if (last && last->address == address) {
				last->count = count_add_saturating(last->count, table->rows[i].count);
				continue;
			}
			struct output_place place = located_place(located, *located_row(located, shard, i));
			if (!placed_vec_push(out, (struct placed){address, table->rows[i].count, code_place_of(located->binary, place)}))
				return false;
		}
	}
	return true;
}

bool code_places_take(struct located_counts *located, struct code_places *out, struct bc_error *err)
{
	struct placed_vec placed = {0};

	*out = (struct code_places){0};
	if (!list_addresses(located, &placed)) {
		placed_vec_free(&placed);
		return bc_fail_nomem(err);
	}
	if (placed.len)
		sort_placed(placed.at, placed.len);
	for (size_t i = 0; i < placed.len; i++)
		out->sum = count_add_saturating(out->sum, placed.at[i].count);
	uint64_t wanted = out->sum / 100 * HOTTEST_PERCENT + out->sum % 100 * HOTTEST_PERCENT / 100;
	for (size_t i = 0; i < placed.len; i++) {
		const struct placed *p = &placed.at[i];
		out->all[p->place] = count_add_saturating(out->all[p->place], p->count);
		if (out->hottest_sum >= wanted)
			continue;
		out->hottest[p->place] = count_add_saturating(out->hottest[p->place], p->count);
		out->hottest_sum = count_add_saturating(out->hottest_sum, p->count);
	}
	placed_vec_free(&placed);
	return true;
}
