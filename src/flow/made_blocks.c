/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/made_blocks.h"

#include "src/base/file.h"
#include "src/base/sort.h"
#include "src/elf/fragments_by_function.h"

static bool place_less(const struct made_place *a, const struct made_place *b)
{
	return a->fragment != b->fragment ? a->fragment < b->fragment : a->offset < b->offset;
}
DEFINE_SORT(sort_places, struct made_place, place_less)

DEFINE_SEARCH(count_up_to, struct made_place, const struct made_place *, !place_less(key, item))

/* How many lie at or before a place. */
static size_t places_up_to(const struct made_place_vec *places, struct made_place place)
{
	return count_up_to(places->at, places->len, &place);
}

static bool has(const struct made_place_vec *places, struct made_place place)
{
	size_t i = places_up_to(places, place);

	return i && !place_less(&places->at[i - 1], &place);
}

/* An entry of a block that has no hash: indices of both in the table. */
struct unhashed {
	uint32_t fragment, entry;
};
DEFINE_VEC(unhashed_vec, struct unhashed);

static bool unhashed_less(const struct unhashed *a, const struct unhashed *b)
{
	return a->entry < b->entry;
}
DEFINE_SORT(sort_unhashed, struct unhashed, unhashed_less)

/* From a table that was decoded with its hashes. */
static bool find_in_table(const struct bat_table *bat, struct unhashed_vec *out)
{
	for (uint32_t f = 0; f < bat->fragment_count; f++) {
		const struct bat_fragment *fragment = &bat->fragments[f];
		for (uint32_t i = fragment->first_entry; i < fragment->first_entry + fragment->entry_count; i++)
			if (!bat_entry_is_branch(bat->entries[i]) && !bat->blocks[i].hash &&
			    !unhashed_vec_push(out, (struct unhashed){f, i}))
				return false;
	}
	return true;
}

/* Else from its bytes, as the hashes are most of a large table, and few are missing. */
struct reading {
	const struct bat_table *bat;
	uint32_t *hot, *cold; /* by number in their tables: indices of fragments */
	uint32_t hot_count, cold_count;
	struct unhashed_vec *out;
	bool no_memory;
};

static bool take_field(void *ctx, const struct bat_field *field)
{
	struct reading *r = ctx;

	/* The only number of 64 bits that an entry has is its block's hash. */
	if (field->encoding != BAT_ENCODING_U64 || field->entry == BAT_NO_INDEX || field->stored)
		return true;
	if (field->fragment >= (field->cold ? r->cold_count : r->hot_count))
		return true;
	uint32_t fragment = (field->cold ? r->cold : r->hot)[field->fragment];
	if (field->entry >= r->bat->fragments[fragment].entry_count)
		return true;
	r->no_memory = !unhashed_vec_push(
		r->out, (struct unhashed){fragment, r->bat->fragments[fragment].first_entry + field->entry});
	return !r->no_memory;
}

static bool find_in_bytes(const struct binary *binary, struct unhashed_vec *out)
{
	const struct bat_table *bat = &binary->bat;
	size_t capacity = (bat->fragment_count + (size_t)1) * sizeof(uint32_t);
	struct reading r = {.bat = bat, .hot = malloc(capacity), .cold = malloc(capacity), .out = out};
	struct bat_error err;

	for (uint32_t i = 0; r.hot && r.cold && i < bat->fragment_count; i++)
		if (bat->fragments[i].cold)
			r.cold[r.cold_count++] = i;
		else
			r.hot[r.hot_count++] = i;
	bool ok = r.hot && r.cold && bat_fields(BAT_LAYOUT_HASHED, binary->desc.data, binary->desc.size, take_field, &r, &err);
	free(r.hot);
	free(r.cold);
	file_release(binary->desc.data, binary->desc.size);
	return ok && !r.no_memory;
}

static bool list_made(const struct bat_table *bat, const struct unhashed_vec *unhashed, struct made_place_vec *out)
{
	for (size_t i = 0; i < unhashed->len; i++) {
		struct made_place place = {fragment_hot_one(bat, unhashed->at[i].fragment),
					   bat_entry_input(bat->entries[unhashed->at[i].entry])};
		if (place.fragment != BAT_NO_PARENT && place.offset && !made_place_vec_push(out, place))
			return false;
	}
	sort_places(out->at, out->len);
	return true;
}

DEFINE_SEARCH(unhashed_below, struct unhashed, uint32_t, item->entry < key)

static bool is_unhashed(const struct unhashed_vec *unhashed, uint32_t entry)
{
	size_t below = unhashed_below(unhashed->at, unhashed->len, entry);

	return below < unhashed->len && unhashed->at[below].entry == entry;
}

/* The blocks of the input in functions that have others, too. */
static bool list_blocks(const struct bat_table *bat, const struct unhashed_vec *unhashed,
			const struct made_place_vec *made, struct made_place_vec *out)
{
	for (uint32_t f = 0; f < bat->fragment_count; f++) {
		const struct bat_fragment *fragment = &bat->fragments[f];
		struct made_place place = {fragment_hot_one(bat, f), UINT32_MAX};
		size_t last = places_up_to(made, place);
		if (!last || made->at[last - 1].fragment != place.fragment)
			continue;
		for (uint32_t i = fragment->first_entry; i < fragment->first_entry + fragment->entry_count; i++) {
			place.offset = bat_entry_input(bat->entries[i]);
			if (!bat_entry_is_branch(bat->entries[i]) && !is_unhashed(unhashed, i) &&
			    !made_place_vec_push(out, place))
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
	struct unhashed_vec unhashed = {0};

	*out = (struct made_blocks){.binary = binary};
	if (bat->layout != BAT_LAYOUT_HASHED || !(bat->blocks || (bat->unhashed_count && binary->desc.size)))
		return true;
	bool ok = bat->blocks ? find_in_table(bat, &unhashed) : find_in_bytes(binary, &unhashed);
	sort_unhashed(unhashed.at, unhashed.len);
	ok = ok && list_made(bat, &unhashed, &out->made) &&
	     (!out->made.len || list_blocks(bat, &unhashed, &out->made, &out->blocks));
	unhashed_vec_free(&unhashed);
	if (ok) {
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
