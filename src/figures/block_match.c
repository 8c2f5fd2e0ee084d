/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/block_match.h"

#include "src/base/sort.h"

void block_match_free(struct block_match *match)
{
	fate_vec_free(&match->fates);
	for (size_t i = 0; i < SIMILAR_SEARCHES; i++)
		block_key_vec_free(&match->similar[i]);
	block_key_vec_free(&match->calling);
	call_name_vec_free(&match->names);
	taken_vec_free(&match->taken);
}

static bool key_less(const struct block_key *a, const struct block_key *b)
{
	if (a->key != b->key)
		return a->key < b->key;
	return a->kinds != b->kinds ? a->kinds < b->kinds : a->block < b->block;
}
DEFINE_SORT(sort_keys, struct block_key, key_less)
DEFINE_SEARCH(keys_below, struct block_key, const struct block_key *, key_less(item, key))

/* Where the first one stands that is no less than these. */
static size_t first_from(const struct block_key_vec *keys, uint64_t key, uint16_t kinds)
{
	const struct block_key from = {key, kinds, 0};

	return keys_below(keys->at, keys->len, &from);
}

/* ---- similar blocks ----
 * How far two blocks of equal kinds of instructions are from each other: first by how many of their two neighbours differ, then by
 * whether the instructions do, then by the distance of the offsets; and of equal ones the first counts.  So a search asks for
 * candidates that agree in ever fewer parts.  The key of a candidate has the parts that are asked for, and the offset last. */

#define OFFSET_PART UINT64_C(0xffff)
#define KIND_PART (UINT64_C(0xffff) << 16)
#define INSN_PART (UINT64_C(0xffff) << 32)
#define BEFORE_PART (UINT64_C(0xff) << 48)
#define BEHIND_PART (UINT64_C(0xff) << 56)

static const struct {
	uint64_t parts;
	bool goes_on; /* the next row is as near */
} searches[SIMILAR_SEARCHES] = {
	{BEFORE_PART | BEHIND_PART | INSN_PART, false},
	{BEFORE_PART | BEHIND_PART, false},
	{BEFORE_PART | INSN_PART, true},
	{BEHIND_PART | INSN_PART, false},
	{BEFORE_PART, true},
	{BEHIND_PART, false},
	{INSN_PART, false},
	{0, false},
};

/* The parts stand above the offset, whatever their own order is. */
static uint64_t similar_key(uint64_t hash, size_t search)
{
	return hash & (searches[search].parts | KIND_PART | OFFSET_PART);
}

/* The nearer one of two candidates, of which either can be missing; of those that are as near, the first of the function. */
static const struct block_key *nearer(const struct block_key *a, uint64_t a_distance, const struct block_key *b, uint64_t b_distance)
{
	if (!a || !b)
		return a ? a : b;
	if (a_distance != b_distance)
		return a_distance < b_distance ? a : b;
	return a->block < b->block ? a : b;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static const struct block_key *nearer_offset(const struct block_key *a, const struct block_key *b, uint64_t hash)
{
	uint64_t offset = hash & OFFSET_PART;

	return nearer(a, a ? distance(a->key & OFFSET_PART, offset) : 0, b, b ? distance(b->key & OFFSET_PART, offset) : 0);
}

/* The nearest of those that agree in the parts of a search, or NULL. */
static const struct block_key *search_similar(const struct block_key_vec *keys, uint64_t key)
{
	size_t at = first_from(keys, key, 0);
	const struct block_key *above = NULL, *below = NULL;

	if (at < keys->len && (keys->at[at].key ^ key) <= OFFSET_PART)
		above = &keys->at[at];
	if (at && (keys->at[at - 1].key ^ key) <= OFFSET_PART)
		below = &keys->at[first_from(keys, keys->at[at - 1].key, 0)];
	return nearer_offset(above, below, key);
}

/* The most similar block of the new build; NO_BLOCK: none has these kinds of instructions. */
static uint32_t find_similar(const struct block_match *match, uint64_t hash)
{
	const struct block_key *best = NULL;

	for (size_t i = 0; i < SIMILAR_SEARCHES; i++) {
		best = nearer_offset(best, search_similar(&match->similar[i], similar_key(hash, i)), hash);
		if (best && !searches[i].goes_on)
			return best->block;
	}
	return NO_BLOCK;
}

static bool list_similar(struct block_match *match, const struct input_function *function)
{
	for (size_t i = 0; i < SIMILAR_SEARCHES; i++) {
		match->similar[i].len = 0;
		for (uint32_t b = 0; b < function->blocks.len; b++)
			if (!block_key_vec_push(&match->similar[i], (struct block_key){similar_key(function->blocks.at[b].hash, i), 0, b}))
				return false;
		sort_keys(match->similar[i].at, match->similar[i].len);
	}
	return true;
}

/* ---- blocks that call the same ---- */

static uint16_t kinds_of(uint64_t hash)
{
	return (uint16_t)((hash & KIND_PART) >> 16);
}

static bool list_calling(struct block_match *match, const struct input_function *function, const struct call_of_block_vec *calls)
{
	match->calling.len = 0;
	for (size_t i = 0; i < calls->len;) {
		uint32_t block = calls->at[i].block;
		match->names.len = 0;
		for (; i < calls->len && calls->at[i].block == block; i++)
			if (!call_name_vec_push(&match->names, calls->at[i].name))
				return false;
		struct block_key add = {call_key(match->names.at, match->names.len), kinds_of(function->blocks.at[block].hash), block};
		if (!block_key_vec_push(&match->calling, add))
			return false;
	}
	sort_keys(match->calling.at, match->calling.len);
	return true;
}

/* Of those that call the same the one whose kinds of instructions have the nearest number, as llvm-bolt chooses; NO_BLOCK: none */
static uint32_t find_calling(const struct block_match *match, const struct old_block *old)
{
	const struct block_key_vec *keys = &match->calling;
	const struct block_key *above = NULL, *below = NULL;
	uint16_t kinds = kinds_of(old->hash);
	size_t at = first_from(keys, old->callees, kinds);

	if (!old->callees)
		return NO_BLOCK;
	if (at < keys->len && keys->at[at].key == old->callees)
		above = &keys->at[at];
	if (at && keys->at[at - 1].key == old->callees)
		below = &keys->at[first_from(keys, old->callees, keys->at[at - 1].kinds)];
	const struct block_key *best = nearer(above, above ? distance(above->kinds, kinds) : 0, below, below ? distance(below->kinds, kinds) : 0);
	return best ? best->block : NO_BLOCK;
}

/* ---- giving them out ---- */

static void give(struct block_match *match, size_t old, uint32_t block, enum block_fate fate)
{
	if (block == NO_BLOCK || match->taken.at[block])
		return;
	match->taken.at[block] = true;
	match->fates.at[old] = fate;
}

static void give_exact(struct block_match *match, const struct old_block *old, size_t count, const struct input_function *function)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t block = find_similar(match, old[i].hash);
		if (block != NO_BLOCK && !((function->blocks.at[block].hash ^ old[i].hash) & INSN_PART))
			give(match, i, block, BLOCK_EXACT);
	}
}

static void give_others(struct block_match *match, const struct old_block *old, size_t count, const struct input_function *function)
{
	for (size_t i = 0; i < count; i++) {
		uint32_t block = find_calling(match, &old[i]);
		enum block_fate fate = block != NO_BLOCK ? BLOCK_CALL : BLOCK_LOOSE;
		if (block == NO_BLOCK)
			block = find_similar(match, old[i].hash);
		if (block == NO_BLOCK && !old[i].bid && function->blocks.len)
			block = 0;
		give(match, i, block, fate);
	}
}

bool blocks_match(struct block_match *match, const struct old_block *old, size_t count, const struct input_function *function,
		  const struct call_of_block_vec *calls)
{
	if (!fate_vec_reserve(&match->fates, count) || !taken_vec_reserve(&match->taken, function->blocks.len) ||
	    !list_similar(match, function) || !list_calling(match, function, calls))
		return false;
	match->fates.len = count;
	match->taken.len = function->blocks.len;
	for (size_t i = 0; i < count; i++)
		match->fates.at[i] = BLOCK_LOST;
	for (size_t i = 0; i < function->blocks.len; i++)
		match->taken.at[i] = false;
	give_exact(match, old, count, function);
	give_others(match, old, count, function);
	return true;
}
