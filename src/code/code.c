/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/code.h"

#include <stdlib.h>

#include "src/base/sort.h"

DEFINE_VEC(number_vec, uint32_t);

static bool number_less(const uint32_t *a, const uint32_t *b)
{
	return *a < *b;
}
DEFINE_SORT(sort_numbers, uint32_t, number_less)

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
	uint32_t end = code_end(code, code_block_of(code, from));
	uint32_t found = from + (uint32_t)real_above(code->real + from, end - from + 1,
						     code->real[from] + count);

	/* `found` is the first instruction with more than that many before the next one; we want
	 * the one before it. */
	return found - 1 < end ? found - 1 : end;
}

uint32_t code_count_on(const struct code *code, uint32_t from, uint32_t count)
{
	uint32_t last = code_end(code, code_block_of(code, from)) - 1;
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

/* How many instructions of a block are no nops. */
static uint32_t real_count(const struct code *code, uint32_t block)
{
	return code->real[code_end(code, block)] - code->real[code_first(code, block)];
}

bool code_removes(const struct code *code, uint32_t block)
{
	const struct insn *last = &code->insns->at[code_end(code, block) - 1];
	uint32_t real = real_count(code, block);

	return !real || (real == 1 && !last->nop && code_is_removable(code->input, last, last + 1));
}

/* ---- reading ---- */

/* Adds the starts of a fragment's blocks in the table that begin none of the graph.  *fits: each of
 * its offsets is that of an instruction. */
static bool list_cuts(const struct bat_table *bat, const struct bat_fragment *fragment,
		      const struct graph *graph, struct number_vec *out, bool *fits)
{
	for (uint32_t i = fragment->first_entry; i < fragment->first_entry + fragment->entry_count;
	     i++) {
		uint32_t at = bat_entry_input(bat->entries[i]);
		bool hashed =
			bat->blocks && bat->blocks[i].hash && !bat_entry_is_branch(bat->entries[i]);
		if (insns_at(&graph->code.insns, at) == NO_INSN)
			*fits = false;
		else if (hashed && graph_block_starting(graph, at) == graph->count &&
			 !number_vec_push(out, at))
			return false;
	}
	return true;
}

/* Lists the blocks that block number `block` of a cut graph leads to. */
static bool link_block(const struct function *f, const struct graph *graph, const struct graph *cut,
		       uint32_t block, struct number_vec *out)
{
	const struct graph_code *code = &graph->code;
	uint32_t end = cut->code.first_insn[block + 1];
	bool ok = true;

	for (uint32_t i = cut->code.first_insn[block]; ok && i < end; i++) {
		const struct insn *insn = &code->insns.at[i];
		if (insn_jumps(*insn) && insn_stays(f, insn))
			ok = number_vec_push(out,
					     graph_block_starting(cut, insn->target - f->address));
		if (insn->kind != INSN_JUMP_INDIRECT || cut->blocks[block].indirect)
			continue;
		uint32_t at = graph_block_at(graph, insn->offset);
		for (uint32_t k = code->first_next[at]; ok && k < code->first_next[at + 1]; k++)
			ok = number_vec_push(
				out, graph_block_starting(cut, graph->blocks[code->next[k]].start));
	}
	if (ok && !insn_ends_way(code->insns.at[end - 1]))
		ok = number_vec_push(out, block + 1);
	return ok;
}

/* Sorts the numbers from `first` on, and leaves each once, of those below `most`. */
static void tidy(struct number_vec *numbers, size_t first, uint32_t most)
{
	size_t len = first;

	if (numbers->len > first)
		sort_numbers(numbers->at + first, numbers->len - first);
	for (size_t i = first; i < numbers->len && numbers->at[i] < most; i++)
		if (len == first || numbers->at[len - 1] != numbers->at[i])
			numbers->at[len++] = numbers->at[i];
	numbers->len = len;
}

/* A block of a graph, cut at `start`: its part from there on, up to `last`. */
static struct block part_of(const struct graph *graph, uint32_t start, const struct insn *last)
{
	struct block block = graph->blocks[graph_block_at(graph, start)];
	bool begins = block.start == start;

	return (struct block){.start = start,
			      .last = last->offset,
			      .indirect = block.indirect && last->kind == INSN_JUMP_INDIRECT,
			      .entered = begins && block.entered,
			      .pad = begins && block.pad};
}

static void cut_free(struct graph *cut)
{
	if (!cut)
		return;
	free(cut->blocks);
	free(cut->code.first_insn);
	free(cut->code.first_next);
	free(cut->code.next);
	free(cut);
}

/* Makes the graph whose blocks begin at the starts, as far as code.h says of its blocks. */
static bool cut_graph(const struct function *f, const struct graph *graph,
		      const struct number_vec *starts, struct graph *out)
{
	const struct insn_vec *insns = &graph->code.insns;
	size_t count = starts->len;
	struct number_vec next = {0};

	*out = (struct graph){.blocks = calloc(count, sizeof(*out->blocks)),
			      .count = (uint32_t)count,
			      .size = graph->size,
			      .code.first_insn = calloc(count + 1, sizeof(uint32_t)),
			      .code.first_next = calloc(count + 1, sizeof(uint32_t))};
	bool ok = out->blocks && out->code.first_insn && out->code.first_next;
	for (size_t i = 0; ok && i < count; i++)
		out->code.first_insn[i] = insns_at(insns, starts->at[i]);
	if (ok)
		out->code.first_insn[count] = (uint32_t)insns->len;
	for (size_t i = 0; ok && i < count; i++)
		out->blocks[i] =
			part_of(graph, starts->at[i], &insns->at[out->code.first_insn[i + 1] - 1]);
	for (uint32_t i = 0; ok && i < count; i++) {
		ok = link_block(f, graph, out, i, &next);
		tidy(&next, out->code.first_next[i], (uint32_t)count);
		out->code.first_next[i + 1] = (uint32_t)next.len;
	}
	out->code.next = next.at;
	return ok;
}

bool code_read(const struct bat_table *bat, uint32_t fragment, const struct function *input,
	       const struct graph *graph, struct code *out)
{
	struct number_vec starts = {0};
	bool fits = true;

	*out = (struct code){.input = input, .insns = &graph->code.insns, .graph = graph};
	bool ok = list_cuts(bat, &bat->fragments[fragment], graph, &starts, &fits);
	out->misfits = ok && !fits;
	if (ok && fits && starts.len) {
		for (uint32_t i = 0; ok && i < graph->count; i++)
			ok = number_vec_push(&starts, graph->blocks[i].start);
		tidy(&starts, 0, UINT32_MAX);
		out->graph = out->cut = calloc(1, sizeof(*out->cut));
		ok = ok && out->cut && cut_graph(input, graph, &starts, out->cut);
	}
	if (ok && fits) {
		out->count = out->graph->count;
		out->real = count_real(out->insns);
		ok = out->real;
	}
	number_vec_free(&starts);
	return ok;
}

void code_free(struct code *code)
{
	cut_free(code->cut);
	free(code->real);
	*code = (struct code){0};
}

/* ---- blocks ---- */

uint32_t code_block_at(const struct code *code, uint32_t offset)
{
	return code->count ? graph_block_at(code->graph, offset) : NO_BLOCK;
}

uint32_t code_block_from(const struct code *code, uint32_t offset)
{
	uint32_t block = code_block_at(code, offset);

	return block != NO_BLOCK && code_start(code, block) == offset ? block : NO_BLOCK;
}

/* A block's only instruction, nops not counted; NO_INSN: it has several, or none. */
static uint32_t only_insn(const struct code *code, uint32_t block)
{
	uint32_t first = code_first(code, block), count = code_end(code, block) - first + 1;

	if (real_count(code, block) != 1)
		return NO_INSN;
	return first + (uint32_t)real_above(code->real + first, count, code->real[first]) - 1;
}

bool code_leads(const struct code *code, uint32_t from, uint32_t to)
{
	struct successors next = code_successors(code, from);
	size_t first = successors_below(next.at, next.count, to);

	return first < next.count && next.at[first] == to;
}

/* How many instructions at the end of a block are searched for its jumps.  It has a conditional
 * jump and another one at most, so it need not be read from its beginning for each trace. */
#define JUMPS_BEFORE_END 8

uint32_t code_jump(const struct code *code, uint32_t from, uint32_t to)
{
	uint64_t target = code->input->address + code_start(code, to);
	uint32_t end = code_end(code, from), found = end - 1;

	for (uint32_t i = end; i > code_first(code, from) && end - i < JUMPS_BEFORE_END; i--)
		if (insn_jumps(code->insns->at[i - 1]) && code->insns->at[i - 1].target == target)
			found = i - 1;
	return found;
}

uint32_t code_last(const struct code *code, uint32_t block)
{
	uint32_t end = code_end(code, block);

	for (uint32_t i = end; i-- > code_first(code, block);)
		if (!code->insns->at[i].nop)
			return code->insns->at[i].offset;
	return code->insns->at[end - 1].offset;
}

uint32_t code_source(const struct code *code, uint32_t offset)
{
	uint32_t block = code_block_at(code, offset), insn = insns_at(code->insns, offset);

	if (block == NO_BLOCK || offset == code_last(code, block) ||
	    (insn != NO_INSN && insn_is_branch(code->insns->at[insn])))
		return offset;
	return code_start(code, block);
}

uint32_t code_block_before(const struct code *code, uint32_t one, uint32_t other)
{
	uint32_t found = NO_BLOCK;

	for (uint32_t i = 0; i < code->count; i++) {
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
	struct successors next = code_successors(code, block);
	bool leaves = insn_is_tail_call(code->input, &code->insns->at[code_end(code, block) - 1]);

	return next.count == 1 && !leaves ? next.at[0] : NO_BLOCK;
}

bool code_is_tail_call(const struct code *code, uint32_t block)
{
	uint32_t alone = only_insn(code, block);
	const struct insn *insn = alone == NO_INSN ? NULL : &code->insns->at[alone];

	return insn && insn->kind == INSN_JUMP && !insn_stays(code->input, insn);
}

static bool is_lone_condition(const struct code *code, uint32_t block)
{
	uint32_t alone = only_insn(code, block);

	return alone != NO_INSN && code->insns->at[alone].kind == INSN_CONDITIONAL;
}

uint32_t code_condition_between(const struct code *code, uint32_t from, uint32_t to)
{
	struct successors next = code_successors(code, from);
	uint32_t found = NO_BLOCK;

	for (uint32_t s = 0; s < next.count; s++) {
		if (!is_lone_condition(code, next.at[s]) || !code_leads(code, next.at[s], to))
			continue;
		if (found != NO_BLOCK)
			return NO_BLOCK;
		found = next.at[s];
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
		struct successors successors = code_successors(code, search->at[i].block);
		for (uint32_t s = 0; s < successors.count; s++) {
			if (search->looked++ == LOOKED_MOST)
				return false;
			uint32_t next = successors.at[s];
			if (next == to && i) {
				take_way(search, i, out);
				return true;
			}
			if (code_removes(code, next) && !has(search, next) &&
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
	if (code->graph->blocks[source].indirect)
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
	uint32_t end = code_end(code, block);

	for (uint32_t i = end; i > code_first(code, block) && end - i < JUMPS_BEFORE_END; i--)
		if (code->insns->at[i - 1].kind == INSN_RETURN ||
		    insn_is_tail_call(code->input, &code->insns->at[i - 1]))
			return i - 1;
	return NO_INSN;
}

/* Can llvm-bolt lead a block past another one, or put a copy of it after the block? */
static bool is_passed(const struct code *code, uint32_t from, uint32_t next)
{
	return code_removes(code, next) || code_is_tail_call(code, next) ||
	       code_only_successor(code, from) == next;
}

uint32_t code_ways_out(const struct code *code, uint32_t block, struct way_out out[WAYS_OUT_MOST])
{
	struct search search = {.code = code, .at = {{block, 0}}, .count = 1};
	uint32_t count = 0;

	for (uint32_t i = 0; i < search.count && count < WAYS_OUT_MOST; i++) {
		uint32_t reached = search.at[i].block;
		struct successors successors = code_successors(code, reached);
		uint32_t insn = insn_out_of(code, reached);
		if (insn != NO_INSN) {
			out[count] = (struct way_out){.block = block, .insn = insn};
			take_way(&search, i, &out[count++].way);
		}
		for (uint32_t s = 0; s < successors.count && search.looked++ < LOOKED_MOST; s++) {
			uint32_t next = successors.at[s];
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
	if (code_way(code, code_last(code, block), code_start(code, to), way) != WAY_FOUND)
		return NO_INSN;
	return code_jump(code, block, way->blocks[0]);
}
