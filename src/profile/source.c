/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/source.h"

#include <stdlib.h>

#include "src/base/sort.h"

/* A function whose probes are looked for. */
struct seeker {
	const struct probe_source *source;
	const struct input_function *blocks;
	struct function_probes *out;
	uint32_t root;
};

bool probe_source_open(const struct binary *binary, const struct pair *pair, struct probe_source *out,
		       struct bc_error *err)
{
	*out = (struct probe_source){.binary = binary};
	if (pair && placed_probes_are_in(&pair->image)) {
		out->pair = pair;
		out->found = true;
		return placed_probes_open(&pair->image, &pair->functions, NULL, &out->placed, err);
	}
	if (!placed_probes_are_in(&binary->image))
		return true;
	out->found = true;
	return placed_probes_open(&binary->image, &binary->functions, binary, &out->placed, err);
}

void probe_source_close(struct probe_source *source)
{
	placed_probes_close(&source->placed);
}

uint32_t probe_source_function(const struct probe_source *source, const struct function *function)
{
	if (source->pair)
		return source->pair->input_of[function - source->binary->functions.at];
	size_t index = (size_t)(function - source->binary->functions.at);
	return index < source->binary->functions.count ? (uint32_t)index : NO_FUNCTION;
}

/* By depth, then as in the section: that is breadth first, as the section has nodes depth first. */
static bool node_less(const struct tree_node *a, const struct tree_node *b)
{
	return a->parent != b->parent ? a->parent < b->parent : a->node < b->node;
}
DEFINE_SORT(sort_nodes, struct tree_node, node_less)

static bool make_room(struct function_probes *out, size_t nodes)
{
	if (nodes <= out->number_room)
		return true;
	uint32_t *more = realloc(out->number_of, nodes * sizeof(*more));
	if (!more)
		return false;
	out->number_of = more;
	out->number_room = nodes;
	return true;
}

/* While the nodes are sorted, `parent` is the depth of each, and so is number_of. */
static bool take_tree(const struct seeker *s)
{
	const struct placed_probes *placed = &s->source->placed;
	const struct probe_node *nodes = placed->section.nodes.at;
	size_t end = placed_record_end(placed, s->root);
	struct function_probes *out = s->out;

	if (!make_room(out, end - s->root))
		return false;
	for (size_t i = s->root; i < end; i++) {
		uint32_t depth = i == s->root ? 0 : out->number_of[nodes[i].parent - s->root] + 1;
		out->number_of[i - s->root] = depth;
		if (!tree_node_vec_push(&out->tree, (struct tree_node){(uint32_t)i, depth, nodes[i].site, nodes[i].guid}))
			return false;
	}
	sort_nodes(out->tree.at, out->tree.len);
	for (size_t i = 0; i < out->tree.len; i++) {
		struct tree_node *node = &out->tree.at[i];
		out->number_of[node->node - s->root] = (uint32_t)i;
		node->parent = i ? out->number_of[nodes[node->node].parent - s->root] : 0;
	}
	return true;
}

/* fragment: whose table translates; NULL: none does */
static bool take_range(const struct seeker *s, uint64_t from, uint64_t size, const struct bat_fragment *fragment)
{
	const struct placed_probes *placed = &s->source->placed;
	size_t end;

	for (size_t i = placed_probes_in(placed, from, size, &end); i < end; i++) {
		const struct probe *probe = &placed->section.probes.at[placed->at.at[i].number];
		uint64_t at = placed->at.at[i].vaddr - from;
		if (placed->section.nodes.at[probe->node].root != s->root || at > UINT32_MAX)
			continue;
		uint32_t offset = fragment ? bat_translate(&s->source->binary->bat, fragment, (uint32_t)at, true)
					   : (uint32_t)at;
		const struct input_block *block = blocks_find(s->blocks, offset);
		struct block_probe found = {.node = s->out->number_of[probe->node - s->root],
					    .index = probe->index, .kind = probe->kind};
		if (!block)
			continue;
		found.block = (uint32_t)(block - s->blocks->blocks.at);
		found.offset = offset - block->offset;
		if (!block_probe_vec_push(&s->out->probes, found))
			return false;
	}
	return true;
}

static bool take_fragment(const struct seeker *s, uint32_t fragment)
{
	const struct function *function = binary_fragment_function(s->source->binary, fragment);

	return !function ||
	       take_range(s, function->address, function->size, &s->source->binary->bat.fragments[fragment]);
}

/* The cold fragments come first, as in BOLT: of two call probes of one place the last one counts. */
static bool take_fragments(const struct seeker *s, uint32_t hot, const struct block_source *parts)
{
	size_t count;
	const uint32_t *fragments = blocks_fragments(parts, hot, &count);

	for (size_t i = 0; i < count; i++)
		if (fragments[i] != hot && !take_fragment(s, fragments[i]))
			return false;
	return take_fragment(s, hot);
}

/* Stable: within a block the order stays. */
static bool sort_by_block(struct block_probe_vec *probes, size_t blocks)
{
	size_t *start = calloc(blocks + 1, sizeof(*start));
	struct block_probe *sorted = malloc((probes->len + 1) * sizeof(*sorted));
	bool ok = start && sorted;

	for (size_t i = 0; ok && i < probes->len; i++)
		start[probes->at[i].block + 1]++;
	for (size_t i = 1; ok && i <= blocks; i++)
		start[i] += start[i - 1];
	for (size_t i = 0; ok && i < probes->len; i++)
		sorted[start[probes->at[i].block]++] = probes->at[i];
	for (size_t i = 0; ok && i < probes->len; i++)
		probes->at[i] = sorted[i];
	free(start);
	free(sorted);
	return ok;
}

bool probe_source_of(const struct probe_source *source, const struct function *function,
		     const struct input_function *blocks, const struct block_source *parts,
		     struct function_probes *out)
{
	struct seeker s = {source, blocks, out, NO_PROBE_NODE};
	uint32_t own = source->found ? probe_source_function(source, function) : NO_FUNCTION;

	out->tree.len = out->probes.len = 0;
	if (own == NO_FUNCTION)
		return true;
	s.root = source->placed.record_of[own];
	if (s.root == NO_PROBE_NODE)
		return true;
	if (!take_tree(&s))
		return false;
	uint32_t hot = source->binary->fragment_of[function - source->binary->functions.at];
	const struct function *it = source->pair ? &source->pair->functions.at[own] : function;
	bool ok = source->pair || hot == NO_FRAGMENT ? take_range(&s, it->address, it->size, NULL)
						     : take_fragments(&s, hot, parts);
	return ok && sort_by_block(&out->probes, blocks->blocks.len);
}

void function_probes_free(struct function_probes *probes)
{
	tree_node_vec_free(&probes->tree);
	block_probe_vec_free(&probes->probes);
	free(probes->number_of);
	*probes = (struct function_probes){0};
}
