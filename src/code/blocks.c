/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/blocks.h"

#include "src/base/sort.h"

DEFINE_VEC(chosen_vec, uint32_t);

/* Functions that BAT does not have, PLT entries left out: these have no blocks. */
static bool list_others(const struct binary *binary, const struct name_number *functions,
			size_t count, struct chosen_vec *out)
{
	for (size_t i = 0; i < count; i++) {
		struct code_number function;
		if (functions_code_of(&binary->functions, functions[i], &function) &&
		    binary->fragment_of[function.v] == NO_FRAGMENT &&
		    binary->functions.at[function.v].kind == FUNCTION_CODE &&
		    !chosen_vec_push(out, function.v))
			return false;
	}
	return true;
}

static bool entry_less(const struct secondary_entry *a, const struct secondary_entry *b)
{
	if (a->fragment != b->fragment)
		return a->fragment < b->fragment;
	return a->offset != b->offset ? a->offset < b->offset : a->number < b->number;
}
DEFINE_SORT(sort_entries, struct secondary_entry, entry_less)
DEFINE_SEARCH(entries_below, struct secondary_entry, const struct secondary_entry *,
	      entry_less(item, key))

/* The number of the first one there; 0: there is none. */
static uint32_t entry_at(const struct secondary_entry_vec *entries, uint32_t fragment,
			 uint32_t offset)
{
	const struct secondary_entry wanted = {fragment, offset, 0};
	size_t below = entries_below(entries->at, entries->len, &wanted);
	const struct secondary_entry *found = below < entries->len ? &entries->at[below] : NULL;

	return found && found->fragment == fragment && found->offset == offset ? found->number : 0;
}

static bool list_secondary(const struct bat_table *bat, struct secondary_entry_vec *out)
{
	for (uint32_t f = 0; f < bat->fragment_count; f++) {
		const struct bat_fragment *fragment = &bat->fragments[f];
		for (uint32_t i = 0; !fragment->cold && i < fragment->secondary_count; i++)
			if (!secondary_entry_vec_push(
				    out, (struct secondary_entry){
						 f, bat->secondary[fragment->first_secondary + i],
						 i + 1}))
				return false;
	}
	sort_entries(out->at, out->len);
	return true;
}

static bool list_blocks(const struct bat_table *bat, struct table_blocks *out)
{
	out->bat = bat;
	return fragments_by_function_list(bat, &out->fragments) &&
	       list_secondary(bat, &out->secondary);
}

static void free_table_blocks(struct table_blocks *blocks)
{
	fragments_by_function_free(&blocks->fragments);
	secondary_entry_vec_free(&blocks->secondary);
}

bool blocks_build_graphs(const struct binary *binary, const struct name_number *functions,
			 size_t count, struct cfg *graphs, unsigned threads, struct bc_error *err)
{
	struct chosen_vec others = {0};

	bool ok = (list_others(binary, functions, count, &others) || bc_fail_nomem(err)) &&
		  cfg_build(&binary->image, &binary->functions, others.at, others.len, threads,
			    graphs, err);
	chosen_vec_free(&others);
	return ok;
}

bool blocks_open(const struct binary *binary, const struct hash_source *hashes,
		 const struct cfg *graphs, struct block_source *out, struct bc_error *err)
{
	struct block_source source = {.binary = binary, .hashes = hashes, .graphs = graphs};

	if (list_blocks(&binary->bat, &source.own) &&
	    (!hashes || list_blocks(&hashes->table.bat, &source.other)) &&
	    made_blocks_open(binary, &source.made, err)) {
		*out = source;
		return true;
	}
	blocks_close(&source);
	return bc_fail_nomem(err);
}

void blocks_close(struct block_source *source)
{
	free_table_blocks(&source->own);
	free_table_blocks(&source->other);
	made_blocks_close(&source->made);
}

static bool add_fragment(const struct bat_table *bat, uint32_t index, struct input_block_vec *out)
{
	const struct bat_fragment *fragment = &bat->fragments[index];

	for (uint32_t i = 0; i < fragment->entry_count; i++) {
		uint32_t at = fragment->first_entry + i;
		struct input_block block = {.offset = bat_entry_input(bat->entries[at]),
					    .index = bat->blocks[at].index,
					    .hash = bat->blocks[at].hash,
					    .entered = true,
					    .jump = BLOCK_NO_JUMP};
		if (bat_entry_is_branch(bat->entries[at]) ||
		    (block.offset && block_is_unknown(bat, at)))
			continue;
		if (!input_block_vec_push(out, block))
			return false;
	}
	return true;
}

/* Where damage gives two blocks one offset, the lower index is kept. */
static bool block_less(const struct input_block *a, const struct input_block *b)
{
	if (a->offset != b->offset)
		return a->offset < b->offset;
	return a->index != b->index ? a->index < b->index : a->hash < b->hash;
}
DEFINE_SORT(sort_blocks, struct input_block, block_less)
DEFINE_UNIFY(unify_blocks, struct input_block, last->offset == item->offset, (void)0)

const uint32_t *blocks_fragments(const struct block_source *source, uint32_t hot, size_t *count)
{
	const struct fragments_by_function *fragments = &source->own.fragments;

	*count = fragments->first[hot + 1] - fragments->first[hot];
	return fragments->at + fragments->first[hot];
}

static bool from_table(const struct table_blocks *table, uint32_t hot, struct input_function *out)
{
	const struct bat_table *bat = table->bat;
	const struct fragments_by_function *fragments = &table->fragments;

	out->hashed = true;
	out->hash = bat->fragments[hot].hash;
	out->block_count = bat->fragments[hot].block_count;
	for (uint32_t i = fragments->first[hot]; i < fragments->first[hot + 1]; i++)
		if (!add_fragment(bat, fragments->at[i], &out->blocks))
			return false;
	sort_blocks(out->blocks.at, out->blocks.len);
	out->blocks.len = unify_blocks(out->blocks.at, out->blocks.len);
	return true;
}

/* How many instructions begin in [from, to). */
static uint32_t insns_in(const struct graph *graph, uint64_t from, uint64_t to)
{
	uint32_t count = 0;

	to = to < graph->size ? to : graph->size;
	for (uint64_t at = from; at < to;) {
		uint64_t word = graph->starts[at / 64] >> at % 64, room = 64 - at % 64;
		if (to - at < room)
			word &= (UINT64_C(1) << (to - at)) - 1;
		count += (uint32_t)__builtin_popcountll(word);
		at += room;
	}
	return count;
}

static void take_from_code(const struct block *block, struct input_block *out)
{
	out->entered = block->entered;
	out->entry = block->entered && !block->pad;
	out->jump = block->calls || block->indirect ? BLOCK_NO_JUMP : block->last;
}

static void count_insns(const struct graph *graph, struct input_block_vec *blocks)
{
	for (size_t i = 0; i < blocks->len; i++)
		blocks->at[i].insns =
			insns_in(graph, blocks->at[i].offset,
				 i + 1 < blocks->len ? blocks->at[i + 1].offset : graph->size);
}

static bool from_graph(const struct graph *graph, struct input_function *out)
{
	for (uint32_t i = 0; i < graph->count; i++) {
		struct input_block add = {.offset = graph->blocks[i].start, .index = i};
		take_from_code(&graph->blocks[i], &add);
		if (!input_block_vec_push(&out->blocks, add))
			return false;
	}
	count_insns(graph, &out->blocks);
	out->block_count = (uint32_t)out->blocks.len;
	out->has_code = true;
	return true;
}

DEFINE_SEARCH(input_blocks_up_to, struct input_block, uint32_t, item->offset <= key)

/* Does the code show the same blocks as a table, under the same numbers?  The table can lack some.
 */
static bool is_same_graph(const struct graph *graph, const struct input_function *listed)
{
	if (graph->count != listed->block_count)
		return false;
	for (size_t i = 0; i < listed->blocks.len; i++) {
		const struct input_block *block = &listed->blocks.at[i];
		if (block->index >= graph->count ||
		    graph->blocks[block->index].start != block->offset)
			return false;
	}
	return true;
}

/* Adds the blocks of the graph that the table lacks, because llvm-bolt deleted or joined them. */
static bool add_missing(const struct graph *graph, struct input_block_vec *blocks)
{
	size_t listed = blocks->len, next = 0;

	for (uint32_t i = 0; i < graph->count; i++) {
		uint32_t offset = graph->blocks[i].start;
		if (next < listed && blocks->at[next].offset == offset)
			next++;
		else if (!input_block_vec_push(blocks,
					       (struct input_block){.offset = offset, .index = i}))
			return false;
	}
	sort_blocks(blocks->at, blocks->len);
	return true;
}

/* A table's blocks with what the function's code shows of them.  Where it shows others, BOLT's
 * count. */
static bool with_code(const struct graph *graph, struct input_function *out)
{
	if (is_same_graph(graph, out) && !add_missing(graph, &out->blocks))
		return false;
	for (size_t i = 0; i < out->blocks.len; i++) {
		uint32_t number = graph_block_starting(graph, out->blocks.at[i].offset);
		if (number < graph->count)
			take_from_code(&graph->blocks[number], &out->blocks.at[i]);
	}
	count_insns(graph, &out->blocks);
	out->has_code = true;
	return true;
}

/* The function's fragment in the hash source, or NO_FRAGMENT. */
static uint32_t hashed_there(const struct block_source *source, const struct function *function)
{
	return source->hashes ? *hash_fragments_of(&source->hashes->fragments,
						   functions_name_number(&source->binary->functions,
									 function)) :
				NO_FRAGMENT;
}

bool blocks_of(const struct block_source *source, const struct function *function,
	       struct input_function *out)
{
	const struct binary *binary = source->binary;
	size_t number = (size_t)(function - binary->functions.at);
	uint32_t own = binary->fragment_of[number], other = hashed_there(source, function);
	const struct graph *graph = cfg_find(source->graphs, function);
	bool has_graph = graph && graph->count;

	*out = (struct input_function){.blocks = out->blocks};
	out->blocks.len = 0;
	if (own != NO_FRAGMENT && binary->bat.blocks)
		return from_table(&source->own, own, out);
	if (other != NO_FRAGMENT)
		return from_table(&source->other, other, out) &&
		       (!has_graph || with_code(graph, out));
	return !has_graph || from_graph(graph, out);
}

const struct input_block *blocks_find(const struct input_function *function, uint32_t offset)
{
	size_t count = input_blocks_up_to(function->blocks.at, function->blocks.len, offset);

	return count ? &function->blocks.at[count - 1] : NULL;
}

/* In the code itself: blocks that are entered, counted in order. */
static uint32_t graph_entry_id(const struct graph *graph, uint32_t offset)
{
	uint32_t block = graph ? graph_block_starting(graph, offset) : 0;

	return graph && block < graph->count ? graph->blocks[block].entry : 0;
}

uint32_t blocks_entry_id(const struct block_source *source, struct input_place place)
{
	const struct binary *binary = source->binary;
	size_t number = (size_t)(place.function - binary->functions.at);
	bool is_own = binary->fragment_of[number] != NO_FRAGMENT && binary->bat.blocks;
	uint32_t fragment =
		is_own ? binary->fragment_of[number] : hashed_there(source, place.function);

	if (!place.offset)
		return 0;
	if (fragment == NO_FRAGMENT)
		return graph_entry_id(cfg_find(source->graphs, place.function), place.offset);
	return entry_at(is_own ? &source->own.secondary : &source->other.secondary, fragment,
			place.offset);
}
