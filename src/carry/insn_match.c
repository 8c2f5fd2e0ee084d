/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/carry/insn_match.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"

/* Pairs of tokens that are looked at. */
#define BUDGET_EACH   ((uint64_t)4096)
#define BUDGET_ALWAYS ((uint64_t)1 << 20)

bool match_is_same(const struct match_side *a, const struct match_side *b)
{
	bool same = a->count == b->count;

	for (uint32_t i = 0; same && i < a->count; i++)
		same = a->tokens[i].exact == b->tokens[i].exact;
	return same;
}

struct matching {
	const struct match_side *sides[2];
	struct match *out;
	uint64_t budget;
};

static bool is_matched(const struct matching *m, int side, uint32_t insn)
{
	return (side ? m->out->from : m->out->to)[insn] != ALIGN_NONE;
}

static void pair(struct matching *m, uint32_t a, uint32_t b, enum match_way way)
{
	m->out->to[a] = b;
	m->out->from[b] = a;
	m->out->ways[a] = (unsigned char)way;
}

/* ---- some instructions of both, in the order of their addresses ---- */

struct chosen_insns {
	uint32_t *insns;
	struct token *tokens;
	uint32_t count;
};

static bool chosen_make(struct chosen_insns out[2], const struct matching *m)
{
	for (int side = 0; side < 2; side++) {
		size_t count = (size_t)m->sides[side]->count + 1;
		out[side] = (struct chosen_insns){.insns = malloc(count * sizeof(*out->insns)),
						  .tokens = malloc(count * sizeof(*out->tokens))};
	}
	return out[0].insns && out[0].tokens && out[1].insns && out[1].tokens;
}

static void chosen_free(struct chosen_insns of[2])
{
	for (int side = 0; side < 2; side++) {
		free(of[side].insns);
		free(of[side].tokens);
	}
}

static void choose(const struct matching *m, struct chosen_insns *out, int side, uint32_t insn)
{
	if (is_matched(m, side, insn))
		return;
	out->insns[out->count] = insn;
	out->tokens[out->count++] = m->sides[side]->tokens[insn];
}

/* Aligns what was chosen. */
static bool align_chosen(struct matching *m, const struct chosen_insns of[2], bool weak,
			 enum match_way way)
{
	uint32_t *to = malloc(((size_t)of[0].count + 1) * sizeof(*to));
	const struct token_span a = {of[0].tokens, of[0].count}, b = {of[1].tokens, of[1].count};
	bool ok = to && align(a, b, weak, &m->budget, to);

	for (uint32_t i = 0; ok && i < of[0].count; i++)
		if (to[i] != ALIGN_NONE)
			pair(m, of[0].insns[i], of[1].insns[to[i]], way);
	free(to);
	return ok;
}

/* ---- by lines ---- */

struct insn_key {
	uint64_t key; /* of its location in the source; 0: none */
	uint32_t insn;
};

static bool insn_key_less(const struct insn_key *a, const struct insn_key *b)
{
	return a->key != b->key ? a->key < b->key : a->insn < b->insn;
}
DEFINE_SORT(sort_insn_keys, struct insn_key, insn_key_less)

/* A number for the line of an instruction and those around it, `depth` in all. */
static uint64_t key_of(const struct match_side *side, uint32_t insn, uint32_t depth)
{
	uint32_t first = side->first[insn], end = side->first[insn + 1];
	uint64_t key = 1;

	end = end - first > depth ? first + depth : end;
	for (uint32_t i = first; i < end; i++) {
		if (!side->lines[i].line)
			return 0;
		key = hash_mix(key, (uint64_t)side->lines[i].function << 32 | side->lines[i].line);
	}
	return end > first ? hash_end(key) | 1 : 0;
}

static struct insn_key *key_all(const struct matching *m, int side, uint32_t depth)
{
	const struct match_side *of = m->sides[side];
	struct insn_key *out = malloc(((size_t)of->count + 1) * sizeof(*out));

	for (uint32_t i = 0; out && i < of->count; i++)
		out[i] = (struct insn_key){key_of(of, i, depth), i};
	if (out)
		sort_insn_keys(out, of->count);
	return out;
}

static uint32_t take_group(const struct matching *m, const struct insn_key *keyed, int side,
			   uint32_t at, uint64_t key, struct chosen_insns *out)
{
	out->count = 0;
	for (; at < m->sides[side]->count && keyed[at].key == key; at++)
		choose(m, out, side, keyed[at].insn);
	return at;
}

static bool match_groups(struct matching *m, const struct insn_key *a, const struct insn_key *b,
			 struct chosen_insns groups[2])
{
	bool ok = true;

	for (uint32_t i = 0, k = 0; ok && i < m->sides[0]->count && k < m->sides[1]->count;) {
		uint64_t key = a[i].key, other = b[k].key;
		if (key <= other)
			i = take_group(m, a, 0, i, key, &groups[0]);
		if (other <= key)
			k = take_group(m, b, 1, k, other, &groups[1]);
		if (key == other && key)
			ok = align_chosen(m, groups, true, MATCH_LINES);
	}
	return ok;
}

static bool match_by_lines(struct matching *m, struct chosen_insns groups[2], uint32_t depth)
{
	struct insn_key *a = key_all(m, 0, depth), *b = key_all(m, 1, depth);
	bool ok = a && b && match_groups(m, a, b, groups);

	free(a);
	free(b);
	return ok;
}

/* ---- all ---- */

static bool match_rest(struct matching *m, struct chosen_insns rest[2])
{
	for (int side = 0; side < 2; side++) {
		rest[side].count = 0;
		for (uint32_t i = 0; i < m->sides[side]->count; i++)
			choose(m, &rest[side], side, i);
	}
	return align_chosen(m, rest, false, MATCH_ALIGNED);
}

static bool match_moved(struct matching *m)
{
	struct match *out = m->out;
	const struct token_span a = {m->sides[0]->tokens, m->sides[0]->count},
				b = {m->sides[1]->tokens, m->sides[1]->count};

	if (!align_moved(a, b, out->to, out->from))
		return false;
	for (uint32_t i = 0; i < a.count; i++)
		if (out->to[i] != ALIGN_NONE && out->ways[i] == MATCH_NONE)
			out->ways[i] = MATCH_MOVED;
	return true;
}

static bool match_all(struct matching *m)
{
	struct chosen_insns chosen[2];
	bool ok = chosen_make(chosen, m);

	if (m->sides[0]->first && m->sides[1]->first)
		ok = ok && match_by_lines(m, chosen, UINT32_MAX) && match_by_lines(m, chosen, 2) &&
		     match_by_lines(m, chosen, 1);
	ok = ok && match_rest(m, chosen) && match_moved(m);
	chosen_free(chosen);
	return ok;
}

bool match_instructions(const struct match_side *a, const struct match_side *b, struct match *out)
{
	struct matching m = {{a, b}, out, BUDGET_ALWAYS};

	m.budget += BUDGET_EACH * ((uint64_t)a->count + b->count);
	for (uint32_t i = 0; i < a->count; i++) {
		out->to[i] = ALIGN_NONE;
		out->ways[i] = MATCH_NONE;
	}
	for (uint32_t i = 0; i < b->count; i++)
		out->from[i] = ALIGN_NONE;
	if (!match_is_same(a, b))
		return match_all(&m);
	for (uint32_t i = 0; i < a->count; i++)
		pair(&m, i, i, MATCH_SAME);
	return true;
}
