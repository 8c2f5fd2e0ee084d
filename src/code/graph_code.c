/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/graph_code.h"

#include <stdlib.h>
#include <string.h>

#include "src/code/graph.h"
#include "src/code/jump_table.h"

DEFINE_VEC(number_vec, uint32_t);

struct maker {
	const struct graph_code_parts *parts;
	struct number_vec follow; /* blocks that an indirect jump without a table can lead to */
	struct number_vec next;
	uint32_t *seen; /* by block: the last one, plus 1, that it was found to follow */
	size_t looked_at; /* targets of tables, also those that others have */
	bool guessing;  /* the jumps without a table are being added, too */
	bool too_many;
};

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool add(struct maker *m, uint32_t from, uint32_t to)
{
	if (to >= m->parts->graph->count || m->seen[to] == from + 1)
		return true;
	m->seen[to] = from + 1;
	if (m->next.len >= GRAPH_MOST_EDGES) {
		m->too_many = true;
		return true;
	}
	return number_vec_push(&m->next, to);
}

static bool add_indirect(struct maker *m, uint32_t from, const struct insn *jump)
{
	struct jump_targets targets = jump_tables_targets(m->parts->tables, jump->offset);
	bool ok = true;

	m->looked_at += targets.count;
	m->too_many |= m->looked_at > GRAPH_MOST_EDGES;
	for (size_t i = 0; ok && !m->too_many && i < targets.count; i++)
		ok = add(m, from, graph_block_starting(m->parts->graph, targets.at[i]));
	for (size_t i = 0; ok && m->guessing && !m->too_many && !targets.count && i < m->follow.len; i++)
		ok = add(m, from, m->follow.at[i]);
	return ok;
}

static bool add_block(struct maker *m, struct graph_code *out, uint32_t number)
{
	const struct graph_code_parts *parts = m->parts;
	const struct insn *insns = parts->insns->at;
	bool ok = !parts->graph->blocks[number].to_next || add(m, number, number + 1);

	for (uint32_t i = out->first_insn[number]; ok && i < out->first_insn[number + 1]; i++) {
		const struct insn *insn = &insns[i];
		if (insn_jumps(*insn))
			ok = add(m, number, graph_block_starting(parts->graph, insn->target - parts->address));
		else if (insn->kind == INSN_JUMP_INDIRECT)
			ok = add_indirect(m, number, insn);
	}
	size_t first = out->first_next[number];
	if (m->next.len > first)
		qsort(m->next.at + first, m->next.len - first, sizeof(*m->next.at), by_number);
	out->first_next[number + 1] = (uint32_t)m->next.len;
	return ok;
}

static void find_insns(const struct graph_code_parts *parts, struct graph_code *out)
{
	const struct graph *graph = parts->graph;
	uint32_t insn = 0;

	for (uint32_t i = 0; i < graph->count; i++) {
		while (insn < parts->insns->len && parts->insns->at[insn].offset < graph->blocks[i].start)
			insn++;
		out->first_insn[i] = insn;
	}
	out->first_insn[graph->count] = (uint32_t)parts->insns->len;
}

static bool is_nops(const struct graph_code_parts *parts, const struct graph_code *code, uint32_t block)
{
	uint32_t i = code->first_insn[block];

	while (i < code->first_insn[block + 1] && parts->insns->at[i].nop)
		i++;
	return i == code->first_insn[block + 1];
}

static bool add_blocks(struct maker *m, struct graph_code *out)
{
	bool ok = true;

	m->next.len = m->looked_at = 0;
	memset(m->seen, 0, m->parts->graph->count * sizeof(*m->seen));
	for (uint32_t i = 0; ok && !m->too_many && i < m->parts->graph->count; i++)
		ok = add_block(m, out, i);
	return ok;
}

/* Called when the known successors are added: a block that nothing leads to has not been seen. */
static bool find_follow(struct maker *m, const struct graph_code *out)
{
	const struct graph_code_parts *parts = m->parts;
	const struct block *blocks = parts->graph->blocks;
	bool ok = true;

	for (uint32_t i = 1; ok && i < parts->graph->count; i++)
		if ((blocks[i].entered && !blocks[i].pad) || parts->marks[out->first_insn[i]] & parts->mark_of_data ||
		    (!blocks[i].pad && !m->seen[i] && !is_nops(parts, out, i)))
			ok = number_vec_push(&m->follow, i);
	return ok;
}

static bool has_unknown_jump(const struct graph_code_parts *parts)
{
	for (uint32_t i = 0; i < parts->graph->count; i++)
		if (parts->graph->blocks[i].indirect)
			return true;
	return false;
}

static bool make(struct maker *m, struct graph_code *out)
{
	if (!m->seen || !out->first_insn || !out->first_next)
		return false;
	find_insns(m->parts, out);
	if (!add_blocks(m, out))
		return false;
	if (!has_unknown_jump(m->parts))
		return true;
	m->guessing = true;
	return find_follow(m, out) && add_blocks(m, out);
}

bool graph_code_make(const struct graph_code_parts *parts, struct graph_code *out)
{
	size_t blocks = (size_t)parts->graph->count + 1;
	struct maker m = {.parts = parts, .seen = calloc(blocks, sizeof(*m.seen))};

	*out = (struct graph_code){.first_insn = calloc(blocks, sizeof(*out->first_insn)),
				   .first_next = calloc(blocks, sizeof(*out->first_next))};
	bool ok = make(&m, out);
	free(m.seen);
	number_vec_free(&m.follow);
	out->next = m.next.at;
	if (!ok || m.too_many)
		graph_code_free(out);
	return ok;
}

void graph_code_free(struct graph_code *code)
{
	insn_vec_free(&code->insns);
	free(code->first_insn);
	free(code->first_next);
	free(code->next);
	*code = (struct graph_code){0};
}

const struct insn *graph_code_source(const struct graph *graph, uint64_t address, uint32_t from, uint32_t to)
{
	const struct graph_code *code = &graph->code;
	uint32_t first = code->first_insn[from], last = code->first_insn[from + 1] - 1;
	const struct insn *insn = &code->insns.at[last];

	/* At most the last two are branches. */
	if (last > first && insn_jumps(insn[-1]) &&
	    insn[-1].target - address == graph->blocks[to].start)
		return insn - 1;
	return insn;
}
