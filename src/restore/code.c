/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/restore/code.h"

#include "src/base/search.h"
#include "src/base/sort.h"

DEFINE_VEC(start_vec, uint32_t);

static bool start_less(const uint32_t *a, const uint32_t *b)
{
	return *a < *b;
}
DEFINE_SORT(sort_starts, uint32_t, start_less)

DEFINE_SEARCH(insns_before, struct insn, uint32_t, item->offset < key)
DEFINE_SEARCH(blocks_up_to, struct code_block, uint32_t, item->start <= key)
DEFINE_SEARCH(graph_blocks_up_to, struct block, uint32_t, item->start <= key)
DEFINE_SEARCH(successors_below, uint32_t, uint32_t, *item < key)

const struct insn *code_insn(const struct code *code, uint32_t offset)
{
	const struct insn_vec *insns = code->insns;
	size_t first = insns_before(insns->at, insns->len, offset);

	return first < insns->len && insns->at[first].offset == offset ? &insns->at[first] : NULL;
}

/* Adds the starts of a fragment's blocks in the table.  *fits: each of its offsets is that of an
 * instruction. */
static bool add_table(const struct bat_table *bat, const struct bat_fragment *fragment, const struct code *code,
		      struct start_vec *out, bool *fits)
{
	for (uint32_t i = fragment->first_entry; i < fragment->first_entry + fragment->entry_count; i++) {
		uint32_t at = bat_entry_input(bat->entries[i]);
		bool hashed = bat->blocks && bat->blocks[i].hash && !bat_entry_is_branch(bat->entries[i]);
		if (!code_insn(code, at))
			*fits = false;
		else if (hashed && !start_vec_push(out, at))
			return false;
	}
	return true;
}

static bool list_starts(const struct pair *pair, const struct graph *graph, const struct function *output,
			const struct code *code, struct start_vec *out, bool *fits)
{
	const struct binary *binary = pair->output;
	uint32_t fragment = binary->fragment_of[output - binary->functions.at];

	for (uint32_t i = 0; i < graph->count; i++)
		if (!start_vec_push(out, graph->blocks[i].start))
			return false;
	if (fragment != NO_FRAGMENT &&
	    !add_table(&binary->bat, &binary->bat.fragments[fragment], code, out, fits))
		return false;
	sort_starts(out->at, out->len);
	return true;
}

/* Splits the instructions into blocks at the starts. */
static bool cut(struct code *code, const struct start_vec *starts)
{
	uint32_t insn = 0;

	for (size_t i = 0; i < starts->len; i++) {
		uint32_t start = starts->at[i];
		uint32_t next = start;
		if (code->blocks.len && code->blocks.at[code->blocks.len - 1].start == start)
			continue;
		for (size_t k = i; k < starts->len && next == start; k++)
			next = starts->at[k];
		struct code_block block = {.start = start, .first = insn};
		while (insn < code->insns->len && (next == start || code->insns->at[insn].offset < next))
			insn++;
		block.end = insn;
		if (block.first < block.end && !code_block_vec_push(&code->blocks, block))
			return false;
	}
	return true;
}

uint32_t code_block_at(const struct code *code, uint32_t offset)
{
	size_t behind = blocks_up_to(code->blocks.at, code->blocks.len, offset);

	return behind ? (uint32_t)(behind - 1) : NO_BLOCK;
}

uint32_t code_block_from(const struct code *code, uint32_t offset)
{
	uint32_t block = code_block_at(code, offset);

	return block != NO_BLOCK && code->blocks.at[block].start == offset ? block : NO_BLOCK;
}

static bool add_successor(struct code *code, struct code_block *block, uint32_t offset)
{
	uint32_t to = code_block_from(code, offset);

	if (to == NO_BLOCK)
		return true;
	block->succ_count++;
	return successor_vec_push(&code->successors, to);
}

/* The block of a graph that holds an offset. */
static uint32_t graph_block_at(const struct graph *graph, uint32_t offset)
{
	size_t behind = graph_blocks_up_to(graph->blocks, graph->count, offset);

	return behind ? (uint32_t)(behind - 1) : 0;
}

/* Links a block that ends with an indirect jump to the blocks that the graph has as its targets. */
static bool link_table(struct code *code, struct code_block *block, const struct graph *graph, uint32_t from)
{
	uint32_t at = graph_block_at(graph, from);
	const struct graph_code *known = &graph->code;
	bool ok = true;

	block->unknown = graph->blocks[at].indirect;
	for (uint32_t i = known->first_next[at]; ok && !block->unknown && i < known->first_next[at + 1]; i++)
		ok = add_successor(code, block, graph->blocks[known->next[i]].start);
	return ok;
}

static bool is_inside(const struct function *f, uint64_t address)
{
	return address - f->address < f->size;
}

static bool ends_way(const struct insn *insn)
{
	return insn->kind != INSN_CONDITIONAL && !insn_goes_on(*insn);
}

static bool link_block(struct code *code, struct code_block *block, const struct graph *graph)
{
	const struct insn *last = &code->insns->at[block->end - 1];
	bool ok = true;

	block->succ = (uint32_t)code->successors.len;
	for (uint32_t i = block->first; ok && i < block->end; i++) {
		const struct insn *insn = &code->insns->at[i];
		bool jumps = insn->kind == INSN_JUMP || insn->kind == INSN_CONDITIONAL;
		if (jumps && is_inside(code->input, insn->target))
			ok = add_successor(code, block, (uint32_t)(insn->target - code->input->address));
		if (insn->kind == INSN_JUMP_INDIRECT)
			ok = ok && link_table(code, block, graph, insn->offset);
	}
	if (ok && !ends_way(last))
		ok = add_successor(code, block, last->offset + last->size);
	if (block->succ_count)
		sort_starts(code->successors.at + block->succ, block->succ_count);
	return ok;
}

const struct insn *code_alone(const struct code *code, uint32_t number)
{
	const struct code_block *block = &code->blocks.at[number];
	const struct insn *alone = NULL;

	for (uint32_t i = block->first; i < block->end; i++) {
		if (code->insns->at[i].nop)
			continue;
		if (alone)
			return NULL;
		alone = &code->insns->at[i];
	}
	return alone;
}

static bool passes(const struct code *code, const struct code_block *block)
{
	uint32_t i = block->first;

	while (i < block->end && code->insns->at[i].nop)
		i++;
	if (i == block->end)
		return true;
	const struct insn *insn = &code->insns->at[i];
	return insn->kind == INSN_JUMP && i + 1 == block->end && is_inside(code->input, insn->target);
}

static bool read_blocks(const struct pair *pair, const struct graph *graph, const struct function *output,
			struct code *out)
{
	struct start_vec starts = {0};
	bool fits = true;

	bool ok = list_starts(pair, graph, output, out, &starts, &fits);
	if (ok && fits)
		ok = cut(out, &starts);
	out->misfits = !fits;
	start_vec_free(&starts);
	for (size_t i = 0; ok && i < out->blocks.len; i++) {
		struct code_block *block = &out->blocks.at[i];
		ok = link_block(out, block, graph);
		block->passes = passes(out, block);
	}
	return ok;
}

bool code_read(const struct pair *pair, const struct function *output, struct code *out)
{
	out->blocks.len = out->successors.len = 0;
	out->misfits = false;
	out->insns = NULL;
	out->input = pair_input_of(pair, output);
	const struct graph *graph = out->input ? cfg_find(&pair->graphs, out->input) : NULL;
	if (!graph || !graph->count || !graph->code.first_insn)
		return true;
	out->insns = &graph->code.insns;
	return read_blocks(pair, graph, output, out);
}

void code_free(struct code *code)
{
	code_block_vec_free(&code->blocks);
	successor_vec_free(&code->successors);
	*code = (struct code){0};
}

bool code_leads(const struct code *code, uint32_t from, uint32_t to)
{
	const struct code_block *block = &code->blocks.at[from];

	if (!block->succ_count) /* successors.at can be NULL */
		return false;
	const uint32_t *successors = code->successors.at + block->succ;
	size_t first = successors_below(successors, block->succ_count, to);
	return first < block->succ_count && successors[first] == to;
}

uint32_t code_way(const struct code *code, uint32_t from, uint32_t to)
{
	const struct code_block *block = &code->blocks.at[from];
	uint64_t target = code->input->address + code->blocks.at[to].start;

	for (uint32_t i = block->first; i < block->end; i++) {
		const struct insn *insn = &code->insns->at[i];
		if ((insn->kind == INSN_JUMP || insn->kind == INSN_CONDITIONAL) && insn->target == target)
			return insn->offset;
	}
	return code_last(code, from);
}

uint32_t code_last(const struct code *code, uint32_t block)
{
	return code->insns->at[code->blocks.at[block].end - 1].offset;
}
