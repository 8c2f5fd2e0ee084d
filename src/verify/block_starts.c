/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/block_starts.h"

#include <stdlib.h>

#include "src/base/sort.h"

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int by_start(const void *a, const void *b)
{
	const struct block_start *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->fragment != y->fragment)
		return x->fragment < y->fragment ? -1 : 1;
	return (x->entry > y->entry) - (x->entry < y->entry);
}

static uint64_t key_of(uint32_t parent, uint64_t input)
{
	return (uint64_t)parent << 32 | input;
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

DEFINE_SEARCH(first_from, uint64_t, uint64_t, *item < key)
DEFINE_SEARCH(first_start_from, struct block_start, uint64_t, item->key < key)

static bool has_value(const uint64_t *at, size_t count, uint64_t value)
{
	size_t i = first_from(at, count, value);

	return i < count && at[i] == value;
}

static size_t from_key(const struct block_starts *starts, uint64_t key)
{
	return first_start_from(starts->at, starts->count, key);
}

static bool has_key(const struct block_starts *starts, uint64_t key)
{
	size_t i = from_key(starts, key);

	return i < starts->count && starts->at[i].key == key;
}

/* Entries of a table of one kind, in its order. */
enum wanted { KNOWN_BLOCKS, UNKNOWN_BLOCKS, BRANCHES };

static bool is_wanted(const struct bat_table *bat, uint32_t entry, enum wanted wanted)
{
	if (bat_entry_is_branch(bat->entries[entry]))
		return wanted == BRANCHES;
	return wanted == (block_is_unknown(bat, entry) ? UNKNOWN_BLOCKS : KNOWN_BLOCKS);
}

static size_t list(const struct bat_table *bat, enum wanted wanted, struct block_start *out)
{
	size_t count = 0;

	for (uint32_t i = 0; i < bat->fragment_count; i++) {
		const struct bat_fragment *f = &bat->fragments[i];
		for (uint32_t k = f->first_entry; k < f->first_entry + f->entry_count; k++)
			if (is_wanted(bat, k, wanted))
				out[count++] = (struct block_start){
					key_of(f->parent, bat_entry_input(bat->entries[k])), i, k};
	}
	return count;
}

/* Ascending keys of all branch entries. */
static uint64_t *branch_keys(const struct bat_table *bat, struct block_start *capacity, size_t *count)
{
	*count = list(bat, BRANCHES, capacity);
	uint64_t *keys = malloc((*count + 1) * sizeof(*keys));
	if (!keys)
		return NULL;
	for (size_t i = 0; i < *count; i++)
		keys[i] = capacity[i].key;
	qsort(keys, *count, sizeof(*keys), by_value);
	return keys;
}

static bool is_promoted(const struct block_start *unknown, const struct block_starts *starts,
			const uint64_t *branches, size_t branch_count)
{
	return !has_key(starts, unknown->key) && has_value(branches, branch_count, unknown->key);
}

static void add_promoted(struct block_starts *starts, uint64_t key)
{
	if (!starts->promoted_count || starts->promoted[starts->promoted_count - 1] != key)
		starts->promoted[starts->promoted_count++] = key;
}

/* Keep the blocks without a hash that BOLT made: those with the branch entry of a promoted call
 * at their input offset.  Other blocks without a hash are blocks of the input, whose hash is
 * wrong.  `capacity` is scratch memory for all entries. */
static bool sort_out_unknown(const struct bat_table *bat, struct block_start *capacity,
			     struct block_starts *starts)
{
	size_t count = list(bat, UNKNOWN_BLOCKS, capacity), branch_count;

	if (!count)
		return true;
	struct block_start *unknown = malloc(count * sizeof(*unknown));
	uint64_t *branches = unknown ? branch_keys(bat, capacity, &branch_count) : NULL;
	starts->promoted = branches ? malloc(count * sizeof(*starts->promoted)) : NULL;
	if (starts->promoted) {
		size_t rest = 0;
		list(bat, UNKNOWN_BLOCKS, unknown);
		qsort(unknown, count, sizeof(*unknown), by_start);
		for (size_t i = 0; i < count; i++)
			if (is_promoted(&unknown[i], starts, branches, branch_count))
				add_promoted(starts, unknown[i].key);
			else
				unknown[rest++] = unknown[i];
		for (size_t i = 0; i < rest; i++)
			starts->at[starts->count++] = unknown[i];
		qsort(starts->at, starts->count, sizeof(*starts->at), by_start);
	}
	free(unknown);
	free(branches);
	return starts->promoted;
}

bool block_starts_make(const struct bat_table *bat, struct block_starts *out)
{
	struct block_starts starts = {malloc((bat->entry_count + (size_t)1) * sizeof(*starts.at)),
				      0, NULL, 0};
	struct block_start *capacity = malloc((bat->entry_count + (size_t)1) * sizeof(*capacity));
	bool ok = starts.at && capacity;

	if (ok) {
		starts.count = list(bat, KNOWN_BLOCKS, starts.at);
		qsort(starts.at, starts.count, sizeof(*starts.at), by_start);
		ok = sort_out_unknown(bat, capacity, &starts);
	}
	free(capacity);
	if (!ok)
		block_starts_free(&starts);
	*out = starts;
	return ok;
}

void block_starts_free(struct block_starts *starts)
{
	free(starts->at);
	free(starts->promoted);
	*starts = (struct block_starts){0};
}

size_t block_starts_from(const struct block_starts *starts, uint32_t parent, uint64_t input)
{
	return from_key(starts, key_of(parent, input));
}

bool block_starts_has(const struct block_starts *starts, uint32_t parent, uint64_t input)
{
	return input <= UINT32_MAX && has_key(starts, key_of(parent, input));
}

bool block_starts_copied(const struct block_starts *starts, uint32_t parent, uint64_t input)
{
	size_t i = block_starts_from(starts, parent, input);

	return i + 1 < starts->count && starts->at[i].key == key_of(parent, input) &&
	       starts->at[i + 1].key == starts->at[i].key;
}

bool block_starts_promoted(const struct block_starts *starts, uint32_t parent, uint64_t input)
{
	return has_value(starts->promoted, starts->promoted_count, key_of(parent, input));
}
