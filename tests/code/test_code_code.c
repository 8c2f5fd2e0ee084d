/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The code of random functions: what code.h says of it, against a model that goes through all
 * instructions and blocks one by one.
 */
#include <string.h>

#include "src/code/code.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

#define BASE        UINT64_C(0x401000)
#define OUTSIDE     UINT64_C(0x900000)
#define MOST_BLOCKS 20 /* as they are generated: blocks of the graph */
#define MOST_INSNS  (MOST_BLOCKS * 8)

/* A function, its graph and its table, and the model: by instruction, by block as llvm-bolt cuts
 * them. */
static struct made {
	struct prng random;
	struct function function;
	struct insn insns[MOST_INSNS];
	uint32_t insn_count;
	uint32_t aim[MOST_INSNS]; /* a jump goes to this block of the graph; NO_BLOCK: it leaves */
	struct block blocks[MOST_BLOCKS];
	uint32_t first[MOST_BLOCKS + 1], block_count;
	bool in_table[MOST_BLOCKS][MOST_BLOCKS]; /* where the indirect jump of a block can lead */
	uint32_t first_next[MOST_BLOCKS + 1], next[MOST_BLOCKS * MOST_BLOCKS];
	struct graph graph;
	struct bat_entry entries[MOST_INSNS + 2];
	struct bat_block hashes[MOST_INSNS + 2];
	struct bat_fragment fragments[2];
	struct bat_table bat;
	bool starts[MOST_INSNS + 1];
	uint32_t begin[MOST_INSNS + 1], cut_count; /* the blocks: first instructions, and the end */
	bool leads[MOST_INSNS][MOST_INSNS];
	const struct code *code;
} m;

static uint32_t any(uint32_t below)
{
	return (uint32_t)prng_below(&m.random, below);
}

/* ---- a function ---- */

static void put(enum insn_kind kind, bool nop, uint32_t aim)
{
	m.aim[m.insn_count] = aim;
	m.insns[m.insn_count++] =
		(struct insn){.kind = (uint8_t)kind, .nop = nop, .size = (uint8_t)(1 + any(7))};
}

static void put_nops(uint32_t count)
{
	while (count--)
		put(INSN_NEXT, true, NO_BLOCK);
}

static uint32_t any_target(void)
{
	return any(8) ? any(m.block_count) : NO_BLOCK;
}

/* How a block with other instructions ends. */
static void put_end(uint32_t block)
{
	switch (any(8)) {
	case 0: put(INSN_RETURN, false, NO_BLOCK); break;
	case 1: put(INSN_TRAP, false, NO_BLOCK); break;
	case 2: put(INSN_CALL, false, NO_BLOCK); break;
	case 3:
		put(INSN_JUMP_INDIRECT, false, NO_BLOCK);
		m.blocks[block].indirect = !any(2);
		for (uint32_t i = any(5); i; i--)
			m.in_table[block][any(m.block_count)] = true;
		break;
	case 4:
		put(INSN_CONDITIONAL, false, any_target());
		put(INSN_JUMP, false, any_target());
		break;
	case 5: put(INSN_JUMP, false, any_target()); break;
	case 6: put(INSN_CONDITIONAL, false, any_target()); break;
	default: put(INSN_NEXT, false, NO_BLOCK);
	}
}

static void put_block(uint32_t block)
{
	switch (any(5)) {
	case 0:
		put_nops(any(3));
		put(INSN_JUMP, false, any_target());
		break;
	case 1: put_nops(1 + any(3)); break;
	case 2:
		put_nops(any(2));
		put(INSN_CONDITIONAL, false, any_target());
		put_nops(any(2));
		break;
	default:
		for (uint32_t i = any(5); i; i--)
			put(any(5) ? INSN_NEXT : INSN_CALL, !any(3), NO_BLOCK);
		put_end(block);
	}
}

static void place_insns(void)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < m.insn_count; at += m.insns[i++].size) {
		m.insns[i].offset = at;
		if (m.insns[i].kind == INSN_CALL)
			m.insns[i].target = any(2) ? OUTSIDE : BASE;
	}
	for (uint32_t i = 0; i < m.insn_count; i++)
		if (insn_jumps(m.insns[i]))
			m.insns[i].target = m.aim[i] == NO_BLOCK ?
						    OUTSIDE + any(2) :
						    BASE + m.insns[m.first[m.aim[i]]].offset;
	m.function = (struct function){
		.address = BASE, .size = at, .extent = at, .primary = "f", .printed = "f"};
}

/* Does an instruction of a block lead to another block? */
static bool leads_in_graph(uint32_t from, uint32_t to)
{
	uint32_t last = m.first[from + 1] - 1;
	uint8_t kind = m.insns[last].kind;
	bool on = kind == INSN_NEXT || kind == INSN_CALL || kind == INSN_CONDITIONAL;

	for (uint32_t i = m.first[from]; i <= last; i++)
		if (insn_jumps(m.insns[i]) && m.aim[i] == to)
			return true;
	return m.in_table[from][to] || (on && to == from + 1);
}

static void make_graph(void)
{
	uint32_t edges = 0;

	for (uint32_t b = 0; b < m.block_count; b++) {
		m.blocks[b].start = m.insns[m.first[b]].offset;
		m.blocks[b].pad = b && !any(6);
		m.first_next[b] = edges;
		for (uint32_t to = 0; to < m.block_count; to++)
			if (leads_in_graph(b, to))
				m.next[edges++] = to;
	}
	m.first_next[m.block_count] = edges;
	m.graph = (struct graph){.blocks = m.blocks,
				 .count = m.block_count,
				 .size = (uint32_t)m.function.size,
				 .has_code = true};
	m.graph.code = (struct graph_code){.insns = {m.insns, m.insn_count, m.insn_count},
					   .first_insn = m.first,
					   .first_next = m.first_next,
					   .next = m.next};
}

/* Entries of the table: with a hash they cut blocks, else they say nothing.  The first and the last
 * are of another function. */
static void make_table(void)
{
	uint32_t count = 1;

	m.entries[0] = (struct bat_entry){0, 0xfffff << 1};
	for (uint32_t i = 0; i < m.insn_count; i++) {
		bool branch = !any(3), hash = !any(3);
		if (any(4))
			continue;
		m.hashes[count] = (struct bat_block){.hash = hash ? 1 + any(9) : 0};
		m.entries[count++] =
			(struct bat_entry){m.insns[i].offset, m.insns[i].offset << 1 | branch};
		m.starts[i] |= hash && !branch;
	}
	m.entries[count] = m.entries[0];
	m.fragments[1] = (struct bat_fragment){.first_entry = 1, .entry_count = count - 1};
	m.bat = (struct bat_table){.layout = BAT_LAYOUT_HASHED,
				   .fragments = m.fragments,
				   .fragment_count = 2,
				   .entries = m.entries,
				   .blocks = m.hashes,
				   .entry_count = count + 1};
}

/* ---- the model ---- */

static uint32_t cut_of(uint32_t insn)
{
	uint32_t cut = 0;

	while (m.begin[cut + 1] <= insn)
		cut++;
	return cut;
}

static uint32_t graph_block_of(uint32_t insn)
{
	uint32_t block = 0;

	while (m.first[block + 1] <= insn)
		block++;
	return block;
}

static void make_model(void)
{
	memset(m.leads, 0, sizeof(m.leads));
	for (uint32_t b = 0; b < m.block_count; b++)
		m.starts[m.first[b]] = true;
	for (uint32_t i = 0; i < m.insn_count; i++)
		if (m.starts[i])
			m.begin[m.cut_count++] = i;
	m.begin[m.cut_count] = m.insn_count;
	for (uint32_t i = 0; i < m.insn_count; i++) {
		uint32_t cut = cut_of(i), block = graph_block_of(i);
		if (insn_jumps(m.insns[i]) && m.aim[i] != NO_BLOCK)
			m.leads[cut][cut_of(m.first[m.aim[i]])] = true;
		for (uint32_t to = 0; to < m.block_count; to++)
			if (m.insns[i].kind == INSN_JUMP_INDIRECT && m.in_table[block][to] &&
			    !m.blocks[block].indirect)
				m.leads[cut][cut_of(m.first[to])] = true;
		uint8_t kind = m.insns[i].kind;
		bool on = kind == INSN_NEXT || kind == INSN_CALL || kind == INSN_CONDITIONAL;
		if (on && i + 1 == m.begin[cut + 1] && cut + 1 < m.cut_count)
			m.leads[cut][cut + 1] = true;
	}
}

static void make(uint64_t seed)
{
	m = (struct made){.random = {seed}};
	m.block_count = 2 + any(MOST_BLOCKS - 2);
	for (uint32_t b = 0; b < m.block_count; b++) {
		m.first[b] = m.insn_count;
		put_block(b);
	}
	m.first[m.block_count] = m.insn_count;
	place_insns();
	make_graph();
	make_table();
	make_model();
}

static struct code read_made(void)
{
	struct code code;

	assert_true(code_read(&m.bat, 1, &m.function, &m.graph, &code));
	return code;
}

/* ---- what is compared ---- */

static uint32_t only_insn(uint32_t cut)
{
	uint32_t count = 0, only = NO_INSN;

	for (uint32_t i = m.begin[cut]; i < m.begin[cut + 1]; i++)
		if (!m.insns[i].nop) {
			only = i;
			count++;
		}
	return count == 1 ? only : NO_INSN;
}

/* All nops, or a jump within the function after nops. */
static bool is_removed(uint32_t cut)
{
	uint32_t last = m.begin[cut + 1] - 1;

	for (uint32_t i = m.begin[cut]; i < last; i++)
		if (!m.insns[i].nop)
			return false;
	return m.insns[last].nop || (m.insns[last].kind == INSN_JUMP && m.aim[last] != NO_BLOCK);
}

/* The last instruction of a block that is no nop; if all are, the last one. */
static uint32_t last_real(uint32_t cut)
{
	uint32_t last = NO_INSN;

	for (uint32_t i = m.begin[cut]; i < m.begin[cut + 1]; i++)
		if (!m.insns[i].nop)
			last = i;
	return last == NO_INSN ? m.begin[cut + 1] - 1 : last;
}

static void blocks_are_right(const struct code *code)
{
	assert_false(code->misfits);
	assert_int_equal(code->count, m.cut_count);
	for (uint32_t b = 0; b < m.cut_count; b++) {
		const struct block *block = &code->graph->blocks[b];
		uint32_t graph_block = graph_block_of(m.begin[b]), last = m.begin[b + 1] - 1;
		struct successors next = code_successors(code, b);
		assert_int_equal(code_start(code, b), m.insns[m.begin[b]].offset);
		assert_int_equal(code_first(code, b), m.begin[b]);
		assert_int_equal(code_end(code, b), m.begin[b + 1]);
		assert_int_equal(code_removes(code, b), is_removed(b));
		assert_int_equal(block->indirect, m.insns[last].kind == INSN_JUMP_INDIRECT &&
							  m.blocks[graph_block].indirect);
		assert_int_equal(block->pad,
				 m.first[graph_block] == m.begin[b] && m.blocks[graph_block].pad);
		assert_int_equal(code_last(code, b), m.insns[last_real(b)].offset);
		for (uint32_t to = 0; to < m.cut_count; to++)
			assert_int_equal(code_leads(code, b, to), m.leads[b][to]);
		for (uint32_t s = 1; s < next.count; s++)
			assert_true(next.at[s - 1] < next.at[s]);
	}
}

static void places_are_right(const struct code *code)
{
	for (uint32_t i = 0, at = 0; at < m.function.size; at++) {
		i += i + 1 < m.insn_count && m.insns[i + 1].offset == at;
		bool begins = m.insns[i].offset == at;
		assert_int_equal(insns_at(code->insns, at), begins ? i : NO_INSN);
		assert_int_equal(code_block_at(code, at), cut_of(i));
		assert_int_equal(code_block_from(code, at),
				 begins && m.starts[i] ? cut_of(i) : NO_BLOCK);
		bool known = begins && (insn_is_branch(m.insns[i]) || i == last_real(cut_of(i)));
		assert_int_equal(code_source(code, at),
				 known ? at : m.insns[m.begin[cut_of(i)]].offset);
	}
	assert_int_equal(insns_at(code->insns, (uint32_t)m.function.size), NO_INSN);
	assert_int_equal(code_block_from(code, (uint32_t)m.function.size), NO_BLOCK);
}

static void counting_is_right(const struct code *code)
{
	for (uint32_t from = 0; from < m.insn_count; from++)
		for (uint32_t count = 0, end = m.begin[cut_of(from) + 1]; count < end - from + 2;
		     count++) {
			uint32_t at = from;
			for (uint32_t left = count; at < end && (left || m.insns[at].nop); at++)
				left -= !m.insns[at].nop;
			assert_int_equal(code_count_past(code, from, count), at);
			assert_int_equal(code_count_on(code, from, count), at < end ? at : end - 1);
		}
}

/* The jump of a block that leads to another, if one does, else the last instruction. */
static uint32_t jump_to(uint32_t from, uint32_t to)
{
	for (uint32_t i = m.begin[from]; i < m.begin[from + 1]; i++)
		if (insn_jumps(m.insns[i]) && m.aim[i] != NO_BLOCK &&
		    m.first[m.aim[i]] == m.begin[to])
			return i;
	return m.begin[from + 1] - 1;
}

static void searches_are_right(const struct code *code, uint32_t one, uint32_t other)
{
	uint32_t before = NO_BLOCK, befores = 0, between = NO_BLOCK, betweens = 0;

	for (uint32_t b = 0; b < m.cut_count; b++) {
		uint32_t alone = only_insn(b);
		if (m.leads[b][one] && m.leads[b][other]) {
			before = b;
			befores++;
		}
		if (m.leads[one][b] && m.leads[b][other] && alone != NO_INSN &&
		    m.insns[alone].kind == INSN_CONDITIONAL) {
			between = b;
			betweens++;
		}
	}
	assert_int_equal(code_block_before(code, one, other), befores == 1 ? before : NO_BLOCK);
	assert_int_equal(code_condition_between(code, one, other),
			 betweens == 1 ? between : NO_BLOCK);
}

/* How many removed blocks the shortest way goes through; 0: there is none.  Distances of all
 * blocks, made smaller until none changes. */
static uint32_t way_length(uint32_t from, uint32_t to)
{
	uint32_t far[MOST_INSNS], least = 0;
	bool changed = true;

	for (uint32_t b = 0; b < m.cut_count; b++)
		far[b] = m.leads[from][b] && b != from && is_removed(b) ? 1 : UINT32_MAX;
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < m.cut_count; b++)
			for (uint32_t next = 0; far[b] < UINT32_MAX && next < m.cut_count; next++)
				if (m.leads[b][next] && next != from && is_removed(next) &&
				    far[b] + 1 < far[next]) {
					far[next] = far[b] + 1;
					changed = true;
				}
	}
	for (uint32_t b = 0; b < m.cut_count; b++)
		if (far[b] < UINT32_MAX && m.leads[b][to] && (!least || far[b] < least))
			least = far[b];
	return least;
}

/* Returns whether one was found. */
static bool way_is_right(const struct code *code, uint32_t from, uint32_t to)
{
	uint32_t length = way_length(from, to), start = code_start(code, to), end;
	bool unknown = m.insns[m.begin[from + 1] - 1].kind == INSN_JUMP_INDIRECT &&
		       m.blocks[graph_block_of(m.begin[from + 1] - 1)].indirect;
	bool found = !m.leads[from][to] && !unknown && length;
	struct way way = {.count = 99};

	enum way_kind kind = code_way(
		code, m.insns[m.begin[from] + any(m.begin[from + 1] - m.begin[from])].offset, start,
		&way);
	assert_int_equal(kind, m.leads[from][to] ? WAY_AS_IS :
			       unknown           ? WAY_ANY :
			       found             ? WAY_FOUND :
						   WAY_NONE);
	struct way towards;
	end = code_end_towards(code, from, to, &towards);
	if (!found) {
		assert_int_equal(end, m.leads[from][to] ? jump_to(from, to) : NO_INSN);
		return false;
	}
	assert_int_equal(way.count, length);
	for (uint32_t i = 0, before = from; i <= length; before = way.blocks[i++]) {
		assert_true(m.leads[before][i < length ? way.blocks[i] : to]);
		assert_true(i == length || is_removed(way.blocks[i]));
	}
	assert_int_equal(end, jump_to(from, way.blocks[0]));
	assert_int_equal(towards.count, length);
	assert_memory_equal(towards.blocks, way.blocks, length * sizeof(*way.blocks));
	return true;
}

/* ---- ways out ---- */

static bool is_jump_out(uint32_t insn)
{
	return insn_jumps(m.insns[insn]) && m.aim[insn] == NO_BLOCK;
}

/* The last instruction of a block that leaves the function, and shows where. */
static uint32_t exit_of(uint32_t block)
{
	uint32_t found = NO_INSN;

	for (uint32_t i = m.begin[block]; i < m.begin[block + 1]; i++)
		if (m.insns[i].kind == INSN_RETURN || is_jump_out(i))
			found = i;
	return found;
}

static bool is_only_next(uint32_t from, uint32_t next)
{
	bool only = m.leads[from][next] && !is_jump_out(m.begin[from + 1] - 1);

	for (uint32_t b = 0; b < m.cut_count; b++)
		only &= b == next || !m.leads[from][b];
	assert_int_equal(code_only_successor(m.code, from) == next, only);
	return only;
}

static bool is_lone_tail_call(uint32_t block)
{
	uint32_t alone = only_insn(block);
	bool lone =
		alone != NO_INSN && m.insns[alone].kind == INSN_JUMP && m.aim[alone] == NO_BLOCK;

	assert_int_equal(code_is_tail_call(m.code, block), lone);
	return lone;
}

static bool passes(uint32_t from, uint32_t next)
{
	bool only = is_only_next(from, next), lone = is_lone_tail_call(next);

	return m.leads[from][next] && (only || lone || is_removed(next));
}

/* Each way is one, and there is one for each block that is reached and leaves.  Returns how many
 * there are. */
static uint32_t ways_out_are_right(const struct code *code, uint32_t from)
{
	bool reached[MOST_INSNS] = {false}, changed = true;
	uint32_t reached_count = 0, exits = 0;
	struct way_out ways[WAYS_OUT_MOST], back;

	for (reached[from] = true; changed;) {
		changed = false;
		for (uint32_t b = 0; b < m.cut_count; b++)
			for (uint32_t next = 0; reached[b] && next < m.cut_count; next++)
				if (!reached[next] && passes(b, next))
					reached[next] = changed = true;
	}
	for (uint32_t b = 0; b < m.cut_count; b++) {
		reached_count += reached[b];
		exits += reached[b] && exit_of(b) != NO_INSN;
	}
	uint32_t count = code_ways_out(code, from, ways), returns = 0;
	if (reached_count <= WAY_MOST)
		assert_int_equal(count, exits < WAYS_OUT_MOST ? exits : WAYS_OUT_MOST);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t last = from;
		for (uint32_t k = 0; k < ways[i].way.count; last = ways[i].way.blocks[k++])
			assert_true(passes(last, ways[i].way.blocks[k]));
		assert_int_equal(ways[i].insn, exit_of(last));
		if (m.insns[ways[i].insn].kind == INSN_RETURN && !returns++) {
			assert_true(code_way_to_return(code, from, &back));
			assert_int_equal(back.insn, ways[i].insn);
		}
	}
	assert_int_equal(code_way_to_return(code, from, &back), returns > 0);
	return count;
}

/* To an offset at which no block begins. */
static void within_is_right(const struct code *code)
{
	for (uint32_t i = 0; i < m.insn_count; i++) {
		struct way way;
		uint32_t from = any(m.insn_count);
		bool unknown = code->graph->blocks[cut_of(from)].indirect;
		if (m.starts[i])
			continue;
		assert_int_equal(code_way(code, m.insns[from].offset, m.insns[i].offset, &way),
				 cut_of(i) == cut_of(from) ? WAY_WITHIN :
				 unknown                   ? WAY_ANY :
							     WAY_NONE);
	}
}

static void random_functions(void **state)
{
	uint32_t found = 0, longest = 0, ways_out = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 1500; seed++) {
		make(seed);
		struct code code = read_made();
		m.code = &code;
		blocks_are_right(&code);
		places_are_right(&code);
		counting_is_right(&code);
		for (uint32_t from = 0; from < m.cut_count; from++)
			for (uint32_t to = 0; to < m.cut_count; to++) {
				assert_int_equal(code_jump(&code, from, to), jump_to(from, to));
				searches_are_right(&code, from, to);
				uint32_t length =
					way_is_right(&code, from, to) ? way_length(from, to) : 0;
				found += length > 0;
				longest = length > longest ? length : longest;
			}
		within_is_right(&code);
		for (uint32_t from = 0; from < m.cut_count; from++)
			ways_out += ways_out_are_right(&code, from);
		code_free(&code);
	}
	assert_true(found > 5000 && longest > 6 && ways_out > 5000);
}

/* An entry of the table that is on no instruction, or after all: the table is of other code. */
static void misfits(void **state)
{
	(void)state;
	for (uint64_t seed = 1, tried = 0; tried < 100; seed++) {
		make(seed);
		uint32_t at = any((uint32_t)m.function.size + 2);
		bool on = false;
		for (uint32_t i = 0; i < m.insn_count; i++)
			on |= m.insns[i].offset == at;
		if (on || !m.fragments[1].entry_count)
			continue;
		tried++;
		uint32_t entry = m.fragments[1].first_entry + any(m.fragments[1].entry_count);
		m.entries[entry].input = at << 1;
		struct code code = read_made();
		assert_true(code.misfits);
		assert_int_equal(code.count, 0);
		code_free(&code);
	}
}

/* A table without hashes cuts nothing. */
static void no_hashes(void **state)
{
	(void)state;
	make(7);
	m.bat.blocks = NULL;
	struct code code = read_made();
	assert_int_equal(code.count, m.block_count);
	code_free(&code);
}

/* ---- how far a search goes ---- */

/* A block that can lead to each of `fan` others, of two instructions; then removed ones, each to
 * the next; then a return.  The first removed one is what the last of the fan would be. */
static struct code chain(uint32_t fan, uint32_t removed)
{
	static struct insn insns[2 * WAY_MOST + 3000];
	static struct block blocks[WAY_MOST + 1500];
	static uint32_t first_insn[WAY_MOST + 1501], first_next[WAY_MOST + 1501],
		next[WAY_MOST + 1501];
	static const struct bat_fragment none;
	static const struct bat_table bat = {.fragments = (struct bat_fragment *)&none,
					     .fragment_count = 1};
	static struct function function;
	static struct graph graph;
	uint32_t insn = 0, block = 0;
	struct code code;

	function = (struct function){.address = BASE, .size = 1 << 20};
	insns[insn++] = (struct insn){.kind = INSN_JUMP_INDIRECT, .size = 1};
	for (uint32_t i = 0; i < fan; i++) {
		next[i] = 1 + i;
		blocks[++block].start = insn;
		insns[insn] = (struct insn){.kind = INSN_NEXT, .size = 1, .offset = insn};
		insn++;
		insns[insn] = (struct insn){.kind = INSN_RETURN, .size = 1, .offset = insn};
		insn++;
	}
	next[fan] = 1 + fan;
	for (uint32_t i = 0; i < removed; i++) {
		blocks[++block].start = insn;
		next[block] = block + 1;
		insns[insn] = (struct insn){
			.kind = INSN_JUMP, .size = 1, .offset = insn, .target = BASE + insn + 1};
		insn++;
	}
	blocks[++block].start = insn;
	insns[insn] = (struct insn){.kind = INSN_RETURN, .size = 1, .offset = insn};
	for (uint32_t i = 0; i <= block; i++) {
		first_insn[i] = blocks[i].start;
		first_next[i + 1] = i <= fan ? fan + 1 : i < block ? i + 1 : block;
	}
	first_insn[block + 1] = insn + 1;
	graph = (struct graph){.blocks = blocks, .count = block + 1, .has_code = true};
	graph.code = (struct graph_code){.insns = {insns, insn + 1, insn + 1},
					 .first_insn = first_insn,
					 .first_next = first_next,
					 .next = next};
	assert_true(code_read(&bat, 0, &function, &graph, &code));
	assert_int_equal(code.count, fan + removed + 2);
	return code;
}

static void chain_is(uint32_t fan, uint32_t removed, enum way_kind kind)
{
	struct code code = chain(fan, removed);
	struct way way;

	assert_int_equal(code_way(&code, 0, code_start(&code, fan + removed + 1), &way), kind);
	if (kind == WAY_FOUND)
		assert_int_equal(way.count, removed);
	code_free(&code);
}

/* As many removed blocks as a way can have, and one more; as many successors as are looked at
 * (those of the fan, and one for each removed block), and one more. */
static void limits(void **state)
{
	(void)state;
	chain_is(0, WAY_MOST, WAY_FOUND);
	chain_is(0, WAY_MOST + 1, WAY_NONE);
	chain_is(1022, 1, WAY_FOUND);
	chain_is(1023, 1, WAY_NONE);
	chain_is(1012, 11, WAY_FOUND);
	chain_is(1013, 11, WAY_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_functions),
		cmocka_unit_test(misfits),
		cmocka_unit_test(no_hashes),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
