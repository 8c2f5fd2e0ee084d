/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/code.h"

#include <stdlib.h>

#include "src/base/sort.h"

DEFINE_VEC(start_vec, uint32_t);

static bool start_less(const uint32_t *a, const uint32_t *b)
{
	return *a < *b;
}
DEFINE_SORT(sort_starts, uint32_t, start_less)

DEFINE_SEARCH(blocks_up_to, struct code_block, uint32_t, item->start <= key)
DEFINE_SEARCH(successors_below, uint32_t, uint32_t, *item < key)

/* ---- instructions ---- */

uint32_t *count_real(const struct insn_vec *insns)
{
	uint32_t *real = malloc((insns->len + 1) * sizeof(*real)), sum = 0;

	for (size_t i = 0; real && i < insns->len; i++) {
		real[i] = sum;
		sum += !insns->at[i].nop;
	}
	if (real)
		real[insns->len] = sum;
	return real;
}

DEFINE_SEARCH(real_above, uint32_t, uint32_t, *item <= key)

uint32_t code_count_past(const struct code *code, uint32_t from, uint32_t count)
{
	uint32_t end = code->blocks.at[code_block_of(code, from)].end;
	uint32_t found = from + (uint32_t)real_above(code->real + from, end - from + 1,
						     code->real[from] + count);

	/* `found` is the first instruction with more than that many before the next one; we want
	 * the one before it. */
	return found - 1 < end ? found - 1 : end;
}

uint32_t code_count_on(const struct code *code, uint32_t from, uint32_t count)
{
	uint32_t last = code->blocks.at[code_block_of(code, from)].end - 1;
	uint32_t found = code_count_past(code, from, count);

	return found < last ? found : last;
}

bool code_is_removable(const struct function *f, const struct insn *first, const struct insn *end)
{
	const struct insn *insn = first;

	while (insn < end && insn->nop)
		insn++;
	return insn == end || (insn + 1 == end && insn->kind == INSN_JUMP && insn_stays(f, insn));
}

/* ---- reading ---- */

/* Adds the starts of a fragment's blocks in the table that begin none of the graph.  *fits: each of
 * its offsets is that of an instruction. */
static bool add_table(const struct bat_table *bat, const struct bat_fragment *fragment,
		      const struct graph *graph, const struct code *code, struct start_vec *out,
		      bool *fits)
{
	for (uint32_t i = fragment->first_entry; i < fragment->first_entry + fragment->entry_count;
	     i++) {
		uint32_t at = bat_entry_input(bat->entries[i]);
		bool hashed =
			bat->blocks && bat->blocks[i].hash && !bat_entry_is_branch(bat->entries[i]);
		if (insns_at(code->insns, at) == NO_INSN)
			*fits = false;
		else if (hashed && graph_block_starting(graph, at) == graph->count &&
			 !start_vec_push(out, at))
			return false;
	}
	return true;
}

static bool list_starts(const struct bat_table *bat, uint32_t fragment, const struct graph *graph,
			const struct code *code, struct start_vec *out, bool *fits)
{
	for (uint32_t i = 0; i < graph->count; i++)
		if (!start_vec_push(out, graph->blocks[i].start))
			return false;
	if (!add_table(bat, &bat->fragments[fragment], graph, code, out, fits))
		return false;
	if (out->len > graph->count) /* else they are in order, as the graph has them */
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
		while (insn < code->insns->len &&
		       (next == start || code->insns->at[insn].offset < next))
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
	bool ok = successor_vec_push(&code->successors, to);
	block->succ_count += ok;
	return ok;
}

/* Links a block that ends with an indirect jump to the blocks that the graph has as its targets. */
static bool link_table(struct code *code, struct code_block *block, const struct graph *graph,
		       uint32_t from)
{
	uint32_t at = graph_block_at(graph, from);
	const struct graph_code *known = &graph->code;
	bool ok = true;

	block->unknown = graph->blocks[at].indirect;
	for (uint32_t i = known->first_next[at];
	     ok && !block->unknown && i < known->first_next[at + 1]; i++)
		ok = add_successor(code, block, graph->blocks[known->next[i]].start);
	return ok;
}

static bool link_block(struct code *code, struct code_block *block, const struct graph *graph)
{
	const struct insn *last = &code->insns->at[block->end - 1];
	bool ok = true;

	block->succ = (uint32_t)code->successors.len;
	for (uint32_t i = block->first; ok && i < block->end; i++) {
		const struct insn *insn = &code->insns->at[i];
		if (insn_jumps(*insn) && insn_stays(code->input, insn))
			ok = add_successor(code, block,
					   (uint32_t)(insn->target - code->input->address));
		if (insn->kind == INSN_JUMP_INDIRECT)
			ok = ok && link_table(code, block, graph, insn->offset);
	}
	if (ok && !insn_ends_way(*last))
		ok = add_successor(code, block, last->offset + last->size);
	if (block->succ_count)
		sort_starts(code->successors.at + block->succ, block->succ_count);
	return ok;
}

static uint32_t find_alone(const struct code *code, const struct code_block *block)
{
	uint32_t alone = NO_INSN;

	for (uint32_t i = block->first; i < block->end; i++) {
		if (code->insns->at[i].nop)
			continue;
		if (alone != NO_INSN)
			return NO_INSN;
		alone = i;
	}
	return alone;
}

static bool describe_blocks(const struct graph *graph, struct code *code)
{
	const struct insn *insns = code->insns->at;
	bool ok = true;

	for (size_t i = 0; ok && i < code->blocks.len; i++) {
		struct code_block *block = &code->blocks.at[i];
		ok = link_block(code, block, graph);
		block->alone = find_alone(code, block);
		block->removable =
			code_is_removable(code->input, &insns[block->first], insns + block->end);
	}
	for (uint32_t i = 0; i < graph->count; i++) {
		uint32_t block = code_block_from(code, graph->blocks[i].start);
		if (block != NO_BLOCK)
			code->blocks.at[block].pad = graph->blocks[i].pad;
	}
	return ok;
}

bool code_read(const struct bat_table *bat, uint32_t fragment, const struct function *input,
	       const struct graph *graph, struct code *out)
{
	struct start_vec starts = {0};
	bool fits = true;

	*out = (struct code){.input = input, .insns = &graph->code.insns};
	bool ok = list_starts(bat, fragment, graph, out, &starts, &fits);
	out->misfits = ok && !fits;
	if (ok && fits) {
		out->real = count_real(out->insns);
		ok = out->real && cut(out, &starts) && describe_blocks(graph, out);
	}
	start_vec_free(&starts);
	return ok;
}

void code_free(struct code *code)
{
	code_block_vec_free(&code->blocks);
	successor_vec_free(&code->successors);
	free(code->real);
	*code = (struct code){0};
}

/* ---- blocks ---- */

bool code_leads(const struct code *code, uint32_t from, uint32_t to)
{
	const struct code_block *block = &code->blocks.at[from];

	if (!block->succ_count) /* successors.at can be NULL */
		return false;
	const uint32_t *successors = code->successors.at + block->succ;
	size_t first = successors_below(successors, block->succ_count, to);
	return first < block->succ_count && successors[first] == to;
}

/* How many instructions at the end of a block are searched for its jumps.  It has a conditional
 * jump and another one at most, so it need not be read from its beginning for each trace. */
#define JUMPS_BEFORE_END 8

uint32_t code_jump(const struct code *code, uint32_t from, uint32_t to)
{
	const struct code_block *block = &code->blocks.at[from];
	uint64_t target = code->input->address + code->blocks.at[to].start;
	uint32_t found = block->end - 1;

	for (uint32_t i = block->end; i > block->first && block->end - i < JUMPS_BEFORE_END; i--)
		if (insn_jumps(code->insns->at[i - 1]) && code->insns->at[i - 1].target == target)
			found = i - 1;
	return found;
}

uint32_t code_last(const struct code *code, uint32_t block)
{
	const struct code_block *b = &code->blocks.at[block];

	for (uint32_t i = b->end; i-- > b->first;)
		if (!code->insns->at[i].nop)
			return code->insns->at[i].offset;
	return code->insns->at[b->end - 1].offset;
}

uint32_t code_source(const struct code *code, uint32_t offset)
{
	uint32_t block = code_block_at(code, offset), insn = insns_at(code->insns, offset);

	if (block == NO_BLOCK || offset == code_last(code, block) ||
	    (insn != NO_INSN && insn_is_branch(code->insns->at[insn])))
		return offset;
	return code->blocks.at[block].start;
}

uint32_t code_block_before(const struct code *code, uint32_t one, uint32_t other)
{
	uint32_t found = NO_BLOCK;

	for (uint32_t i = 0; i < code->blocks.len; i++) {
		if (!code_leads(code, i, one) || !code_leads(code, i, other))
			continue;
		if (found != NO_BLOCK)
			return NO_BLOCK;
		found = i;
	}
	return found;
}

uint32_t code_only_successor(const struct code *code, uint32_t block)
{
	const struct code_block *b = &code->blocks.at[block];

	if (insn_is_tail_call(code->input, &code->insns->at[b->end - 1]))
		return NO_BLOCK;
	for (uint32_t s = 1; s < b->succ_count; s++)
		if (code->successors.at[b->succ + s] != code->successors.at[b->succ])
			return NO_BLOCK;
	return b->succ_count ? code->successors.at[b->succ] : NO_BLOCK;
}

bool code_is_tail_call(const struct code *code, uint32_t block)
{
	uint32_t alone = code->blocks.at[block].alone;
	const struct insn *insn = alone == NO_INSN ? NULL : &code->insns->at[alone];

	return insn && insn->kind == INSN_JUMP && !insn_stays(code->input, insn);
}

static bool is_lone_condition(const struct code *code, uint32_t block)
{
	uint32_t alone = code->blocks.at[block].alone;

	return alone != NO_INSN && code->insns->at[alone].kind == INSN_CONDITIONAL;
}

uint32_t code_condition_between(const struct code *code, uint32_t from, uint32_t to)
{
	const struct code_block *block = &code->blocks.at[from];
	uint32_t found = NO_BLOCK;

	for (uint32_t s = block->succ; s < block->succ + block->succ_count; s++) {
		uint32_t next = code->successors.at[s];
		if (next == found || !is_lone_condition(code, next) || !code_leads(code, next, to))
			continue;
		if (found != NO_BLOCK)
			return NO_BLOCK;
		found = next;
	}
	return found;
}

/* ---- ways ---- */

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
			if (code->blocks.at[next].removable && !has(search, next) &&
			    search->count <= WAY_MOST)
				search->at[search->count++] = (struct reached){next, i};
		}
	}
	return false;
}

enum way_kind code_way(const struct code *code, uint32_t from, uint32_t to, struct way *out)
{
	uint32_t source = code_block_at(code, from), target = code_block_from(code, to);

	if (target == NO_BLOCK && source == code_block_at(code, to))
		return WAY_WITHIN;
	if (source == NO_BLOCK)
		return WAY_NONE;
	if (target != NO_BLOCK && code_leads(code, source, target))
		return WAY_AS_IS;
	if (code->blocks.at[source].unknown)
		return WAY_ANY;
	if (target == NO_BLOCK)
		return WAY_NONE;
	struct search search = {.code = code, .at = {{source, 0}}, .count = 1};
	return search_way(&search, target, out) ? WAY_FOUND : WAY_NONE;
}

/* The direct jump to another function at the end of a block, or the return there; NO_INSN: there is
 * none. */
static uint32_t insn_out_of(const struct code *code, uint32_t block)
{
	uint32_t end = code->blocks.at[block].end;

	for (uint32_t i = end; i > code->blocks.at[block].first && end - i < JUMPS_BEFORE_END; i--)
		if (code->insns->at[i - 1].kind == INSN_RETURN ||
		    insn_is_tail_call(code->input, &code->insns->at[i - 1]))
			return i - 1;
	return NO_INSN;
}

/* Can llvm-bolt lead a block past another one, or put a copy of it behind the block? */
static bool is_passed(const struct code *code, uint32_t from, uint32_t next)
{
	return code->blocks.at[next].removable || code_is_tail_call(code, next) ||
	       code_only_successor(code, from) == next;
}

uint32_t code_ways_out(const struct code *code, uint32_t block, struct way_out out[WAYS_OUT_MOST])
{
	struct search search = {.code = code, .at = {{block, 0}}, .count = 1};
	uint32_t count = 0;

	for (uint32_t i = 0; i < search.count && count < WAYS_OUT_MOST; i++) {
		uint32_t reached = search.at[i].block;
		const struct code_block *b = &code->blocks.at[reached];
		uint32_t insn = insn_out_of(code, reached);
		if (insn != NO_INSN) {
			out[count] = (struct way_out){.block = block, .insn = insn};
			take_way(&search, i, &out[count++].way);
		}
		for (uint32_t s = b->succ;
		     s < b->succ + b->succ_count && search.looked++ < LOOKED_MOST; s++) {
			uint32_t next = code->successors.at[s];
			if (is_passed(code, reached, next) && !has(&search, next) &&
			    search.count <= WAY_MOST)
				search.at[search.count++] = (struct reached){next, i};
		}
	}
	return count;
}

bool code_way_to_return(const struct code *code, uint32_t block, struct way_out *out)
{
	struct way_out ways[WAYS_OUT_MOST];
	uint32_t count = code_ways_out(code, block, ways);

	for (uint32_t i = 0; i < count; i++)
		if (code->insns->at[ways[i].insn].kind == INSN_RETURN) {
			*out = ways[i];
			return true;
		}
	return false;
}

uint32_t code_end_towards(const struct code *code, uint32_t block, uint32_t to, struct way *way)
{
	way->count = 0;
	if (code_leads(code, block, to))
		return code_jump(code, block, to);
	if (code_way(code, code_last(code, block), code->blocks.at[to].start, way) != WAY_FOUND)
		return NO_INSN;
	return code_jump(code, block, way->blocks[0]);
}
