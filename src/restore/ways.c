/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/restore/ways.h"

/* Blocks that were reached, breadth first. */
struct reached {
	uint32_t block, before; /* before: a number in the search, or itself at the beginning */
};

struct search {
	const struct code *code;
	struct reached at[WAY_MOST * 2];
	uint32_t count;
	uint32_t looked; /* how many successors were visited */
};

/* The limit of successors that are visited: a jump table can have any number. */
#define LOOKED_MOST 1024

static bool has(const struct search *search, uint32_t block)
{
	for (uint32_t i = 0; i < search->count; i++)
		if (search->at[i].block == block)
			return true;
	return false;
}

static void take_way(const struct search *search, uint32_t last, struct way *out)
{
	uint32_t count = 0;

	for (uint32_t i = last; i; i = search->at[i].before)
		count++;
	out->count = count;
	for (uint32_t i = last; i; i = search->at[i].before)
		out->blocks[--count] = search->at[i].block;
}

static bool search_way(struct search *search, uint32_t to, struct way *out)
{
	const struct code *code = search->code;

	for (uint32_t i = 0; i < search->count; i++) {
		const struct code_block *block = &code->blocks.at[search->at[i].block];
		for (uint32_t s = block->succ; s < block->succ + block->succ_count; s++) {
			if (search->looked++ == LOOKED_MOST)
				return false;
			uint32_t next = code->successors.at[s];
			if (next == to && i) {
				take_way(search, i, out);
				return true;
			}
			if (code->blocks.at[next].passes && !has(search, next) && search->count <= WAY_MOST)
				search->at[search->count++] = (struct reached){next, i};
		}
	}
	return false;
}

enum way_kind way_find(const struct code *code, uint32_t from, uint32_t to, struct way *out)
{
	uint32_t source = code_block_at(code, from), target = code_block_from(code, to);

	if (target == NO_BLOCK)
		return source == code_block_at(code, to) ? WAY_WITHIN : WAY_NONE;
	if (source == NO_BLOCK)
		return WAY_NONE;
	if (code_leads(code, source, target))
		return WAY_AS_IS;
	if (code->blocks.at[source].unknown)
		return WAY_ANY;
	struct search search = {.code = code, .at = {{source, 0}}, .count = 1};
	return search_way(&search, target, out) ? WAY_FOUND : WAY_NONE;
}
