/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/made_blocks.h"

#include "src/base/sort.h"

static bool place_less(const struct made_place *a, const struct made_place *b)
{
	return a->fragment != b->fragment ? a->fragment < b->fragment : a->offset < b->offset;
}
DEFINE_SORT(sort_places, struct made_place, place_less)

/* How many lie at or before a place. */
static size_t places_up_to(const struct made_place_vec *places, struct made_place place)
{
	size_t low = 0;

	for (size_t high = places->len; low < high;) {
		size_t middle = low + (high - low) / 2;
		if (place_less(&place, &places->at[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool has(const struct made_place_vec *places, struct made_place place)
{
	size_t i = places_up_to(places, place);

	return i && !place_less(&places->at[i - 1], &place);
}

/* The hot fragment whose function a fragment is of, or BAT_NO_PARENT. */
static uint32_t hot_of(const struct bat_table *bat, uint32_t fragment)
{
	return bat->fragments[fragment].cold ? bat->fragments[fragment].parent : fragment;
}

/* Of fragments that are wanted (NULL: all), blocks with a hash or those without. */
static bool list(const struct bat_table *bat, const struct made_place_vec *wanted, bool hashed,
		 struct made_place_vec *out)
{
	for (uint32_t f = 0; f < bat->fragment_count; f++) {
		const struct bat_fragment *fragment = &bat->fragments[f];
		struct made_place place = {hot_of(bat, f), UINT32_MAX};
		size_t last = wanted ? places_up_to(wanted, place) : 0;
		if (place.fragment == BAT_NO_PARENT ||
		    (wanted && !(last && wanted->at[last - 1].fragment == place.fragment)))
			continue;
		for (uint32_t i = fragment->first_entry; i < fragment->first_entry + fragment->entry_count; i++) {
			place.offset = bat_entry_input(bat->entries[i]);
			if (bat_entry_is_branch(bat->entries[i]) || !bat->blocks[i].hash == hashed)
				continue;
			if ((hashed || place.offset) && !made_place_vec_push(out, place))
				return false;
		}
	}
	sort_places(out->at, out->len);
	return true;
}

/* Copies of tails have no hash either, and begin where the block does that they are of. */
static void leave_out_copies(struct made_blocks *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->made.len; i++)
		if (!has(&m->blocks, m->made.at[i]))
			m->made.at[kept++] = m->made.at[i];
	m->made.len = kept;
}

bool made_blocks_open(const struct binary *binary, struct made_blocks *out, struct bc_error *err)
{
	const struct bat_table *bat = &binary->bat;

	*out = (struct made_blocks){.binary = binary};
	if (!bat->blocks)
		return true;
	if (list(bat, NULL, false, &out->made) && (!out->made.len || list(bat, &out->made, true, &out->blocks))) {
		leave_out_copies(out);
		return true;
	}
	made_blocks_close(out);
	return bc_fail_nomem(err);
}

void made_blocks_close(struct made_blocks *made)
{
	made_place_vec_free(&made->made);
	made_place_vec_free(&made->blocks);
	*made = (struct made_blocks){0};
}

bool made_blocks_lead(const struct made_blocks *made, const struct function *function, uint32_t from, uint32_t to)
{
	if (!made->made.len)
		return false;
	uint32_t hot = made->binary->fragment_of[function - made->binary->functions.at];
	struct made_place source = {hot, from}, target = {hot, to};
	if (hot == NO_FRAGMENT || !has(&made->made, target))
		return false;
	size_t block = places_up_to(&made->blocks, source);
	return block && block == places_up_to(&made->blocks, target) && made->blocks.at[block - 1].fragment == hot;
}
