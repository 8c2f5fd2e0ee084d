/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/block_places.h"

#include <stdlib.h>

#include "src/base/file.h"
#include "src/base/sort.h"
#include "src/elf/binary.h"

static uint64_t key_of(uint32_t owner, uint64_t input)
{
	return ((uint64_t)owner << 32) + input;
}

static uint64_t place_key(const struct block_place *place)
{
	return key_of(place->owner, place->input);
}

static bool place_less(const struct block_place *a, const struct block_place *b)
{
	if (place_key(a) != place_key(b))
		return place_key(a) < place_key(b);
	return a->fragment != b->fragment ? a->fragment < b->fragment : a->entry < b->entry;
}
DEFINE_SORT(sort_places, struct block_place, place_less)
DEFINE_SEARCH(places_before, struct block_place, const struct block_place *, place_less(item, key))
DEFINE_SEARCH(places_below, struct block_place, uint64_t, place_key(item) < key)
DEFINE_SEARCH(places_up_to, struct block_place, uint64_t, place_key(item) <= key)

static bool has(const struct block_place_vec *places, uint64_t key)
{
	size_t i = places_below(places->at, places->len, key);

	return i < places->len && place_key(&places->at[i]) == key;
}

static bool has_entry(const struct block_place_vec *places, const struct block_place *place)
{
	size_t i = places_before(places->at, places->len, place);

	return i < places->len && !place_less(place, &places->at[i]);
}

bool block_is_unknown(const struct bat_table *bat, uint32_t entry)
{
	return bat->blocks && !bat_entry_is_branch(bat->entries[entry]) &&
	       !bat->blocks[entry].hash && !bat->blocks[entry].index;
}

/* As many entries share an offset as a call has promoted targets, which are few. */
#define SHARED_MOST 256

bool block_begins(const struct bat_table *bat, const struct bat_fragment *fragment, uint64_t offset)
{
	const struct bat_entry *first = bat->entries + fragment->first_entry;
	const struct bat_entry *e =
		offset <= UINT32_MAX ? bat_entry_at(bat, fragment, (uint32_t)offset) : NULL;

	for (int i = 0; e && i < SHARED_MOST && e->output == offset; i++, e--) {
		if (!bat_entry_is_branch(*e))
			return true;
		if (e == first)
			break;
	}
	return false;
}

static bool add(const struct bat_table *bat, uint32_t fragment, uint32_t entry,
		struct block_place_vec *out)
{
	return block_place_vec_push(out, (struct block_place){fragment_hot_one(bat, fragment),
							      bat_entry_input(bat->entries[entry]),
							      fragment, entry});
}

typedef bool entry_filter(const struct bat_table *bat, uint32_t entry);

/* Lists entries of one kind, in the order of the table.  Returns false when out of memory. */
static bool list(const struct bat_table *bat, entry_filter *wanted, struct block_place_vec *out)
{
	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		const struct bat_fragment *f = &bat->fragments[i];
		for (uint32_t k = f->first_entry; k < f->first_entry + f->entry_count; k++)
			if (wanted(bat, k) && !add(bat, i, k, out))
				return false;
	}
	return true;
}

/* ---- for a profile ---- */

static bool has_no_hash(const struct bat_table *bat, uint32_t entry)
{
	return !bat_entry_is_branch(bat->entries[entry]) && !bat->blocks[entry].hash;
}

/* From the table's bytes, as the hashes are most of a large table, and few are missing. */
struct reading {
	const struct bat_table *bat;
	uint32_t *hot, *cold; /* by number in their tables: indices of fragments */
	uint32_t hot_count, cold_count;
	struct block_place_vec *out;
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
	r->no_memory = !add(r->bat, fragment,
			    r->bat->fragments[fragment].first_entry + field->entry, r->out);
	return !r->no_memory;
}

static bool list_from_bytes(const struct binary *binary, struct block_place_vec *out)
{
	const struct bat_table *bat = &binary->bat;
	size_t capacity = (bat->fragment_count + (size_t)1) * sizeof(uint32_t);
	struct reading r = {
		.bat = bat, .hot = malloc(capacity), .cold = malloc(capacity), .out = out};
	struct bat_error err;

	for (uint32_t i = 0; r.hot && r.cold && i < bat->fragment_count; i++)
		if (bat->fragments[i].cold)
			r.cold[r.cold_count++] = i;
		else
			r.hot[r.hot_count++] = i;
	bool ok = r.hot && r.cold &&
		  bat_fields(binary->bat.layout, binary->desc.data, binary->desc.size, take_field,
			     &r, &err);
	free(r.hot);
	free(r.cold);
	file_release(binary->desc.data, binary->desc.size);
	return ok && !r.no_memory;
}

/* Lists the blocks of the input in functions that have others, too. */
static bool list_beside(const struct bat_table *bat, const struct block_place_vec *unhashed,
			struct block_place_vec *out)
{
	for (uint32_t f = 0; f < bat->fragment_count; f++) {
		const struct bat_fragment *fragment = &bat->fragments[f];
		struct block_place place = {.owner = fragment_hot_one(bat, f), .fragment = f};
		size_t first = places_below(unhashed->at, unhashed->len, key_of(place.owner, 0));
		if (first == unhashed->len || unhashed->at[first].owner != place.owner)
			continue;
		for (uint32_t i = fragment->first_entry;
		     i < fragment->first_entry + fragment->entry_count; i++) {
			place.input = bat_entry_input(bat->entries[i]);
			place.entry = i;
			if (!bat_entry_is_branch(bat->entries[i]) && !has_entry(unhashed, &place) &&
			    !block_place_vec_push(out, place))
				return false;
		}
	}
	sort_places(out->at, out->len);
	return true;
}

/* Leaves blocks of known functions, within a block of the input: no copies, and none where the
 * function begins. */
static void keep_within(struct made_blocks *m)
{
	size_t kept = 0;

	for (size_t i = 0; i < m->made.len; i++) {
		const struct block_place *place = &m->made.at[i];
		if (place->owner != BAT_NO_PARENT && place->input &&
		    !has(&m->blocks, place_key(place)))
			m->made.at[kept++] = *place;
	}
	m->made.len = kept;
}

bool made_blocks_open(const struct binary *binary, struct made_blocks *out, struct bc_error *err)
{
	const struct bat_table *bat = &binary->bat;

	*out = (struct made_blocks){.binary = binary};
	if (!bat->blocks && !(bat_layout_has(bat->layout, BAT_FEATURE_BLOCKS) &&
			      bat->unhashed_count && binary->desc.size))
		return true;
	bool ok = bat->blocks ? list(bat, has_no_hash, &out->made) :
				list_from_bytes(binary, &out->made);
	sort_places(out->made.at, out->made.len);
	if (!ok || (out->made.len && !list_beside(bat, &out->made, &out->blocks))) {
		made_blocks_close(out);
		return bc_fail_nomem(err);
	}
	keep_within(out);
	return true;
}

void made_blocks_close(struct made_blocks *made)
{
	block_place_vec_free(&made->made);
	block_place_vec_free(&made->blocks);
	*made = (struct made_blocks){0};
}

bool made_blocks_have(const struct made_blocks *made, struct input_place place)
{
	uint32_t hot =
		made->made.len ?
			made->binary->fragment_of[place.function - made->binary->functions.at] :
			NO_FRAGMENT;

	return hot != NO_FRAGMENT && has(&made->made, key_of(hot, place.offset));
}

bool some_made_block_leads(const struct made_blocks *made, const struct function *function,
			   uint32_t from, uint32_t to)
{
	if (!made_blocks_have(made, (struct input_place){function, to}))
		return false;
	const struct block_place_vec *blocks = &made->blocks;
	uint32_t hot = made->binary->fragment_of[function - made->binary->functions.at];
	size_t block = places_up_to(blocks->at, blocks->len, key_of(hot, from));
	return block && block == places_up_to(blocks->at, blocks->len, key_of(hot, to)) &&
	       blocks->at[block - 1].owner == hot;
}

/* ---- for `verify` ---- */

static bool is_branch(const struct bat_table *bat, uint32_t entry)
{
	return bat_entry_is_branch(bat->entries[entry]);
}

static bool is_known_block(const struct bat_table *bat, uint32_t entry)
{
	return !is_branch(bat, entry) && !block_is_unknown(bat, entry);
}

/* Sorts blocks without a hash into those that llvm-bolt inserted and those of the input. */
static bool sort_out_unknown(const struct bat_table *bat, const struct block_place_vec *unknown,
			     struct block_starts *starts)
{
	struct block_place_vec branches = {0};
	size_t known = starts->at.len;
	bool ok = list(bat, is_branch, &branches);

	sort_places(branches.at, branches.len);
	for (size_t i = 0; ok && i < unknown->len; i++) {
		const struct block_place_vec sorted = {starts->at.at, known, known};
		uint64_t key = place_key(&unknown->at[i]);
		bool promoted = !has(&sorted, key) && has(&branches, key);
		ok = block_place_vec_push(promoted ? &starts->promoted : &starts->at,
					  unknown->at[i]);
	}
	sort_places(starts->at.at, starts->at.len);
	sort_places(starts->promoted.at, starts->promoted.len);
	block_place_vec_free(&branches);
	return ok;
}

bool block_starts_make(const struct bat_table *bat, struct block_starts *out)
{
	struct block_place_vec unknown = {0};

	*out = (struct block_starts){0};
	bool ok = list(bat, is_known_block, &out->at) && list(bat, block_is_unknown, &unknown);
	sort_places(out->at.at, out->at.len);
	ok = ok && (!unknown.len || sort_out_unknown(bat, &unknown, out));
	block_place_vec_free(&unknown);
	if (!ok)
		block_starts_free(out);
	return ok;
}

void block_starts_free(struct block_starts *starts)
{
	block_place_vec_free(&starts->at);
	block_place_vec_free(&starts->promoted);
}

size_t block_starts_from(const struct block_starts *starts, uint32_t owner, uint64_t input)
{
	return places_below(starts->at.at, starts->at.len, key_of(owner, input));
}

bool block_starts_has(const struct block_starts *starts, uint32_t owner, uint64_t input)
{
	return input <= UINT32_MAX && has(&starts->at, key_of(owner, input));
}

bool block_starts_copied(const struct block_starts *starts, uint32_t owner, uint64_t input)
{
	size_t next = block_starts_from(starts, owner, input) + 1;

	return next < starts->at.len && place_key(&starts->at.at[next]) == key_of(owner, input);
}

bool block_starts_promoted(const struct block_starts *starts, uint32_t owner, uint64_t input)
{
	return has(&starts->promoted, key_of(owner, input));
}
