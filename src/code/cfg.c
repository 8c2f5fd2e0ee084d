/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/cfg.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/parallel.h"
#include "src/base/sort.h"
#include "src/code/fragments.h"
#include "src/code/jump_tables.h"
#include "src/code/labels.h"
#include "src/isa/x86_insn.h"

DEFINE_VEC(block_vec, struct block);
DEFINE_VEC(number_vec, uint32_t);
DEFINE_SEARCH(blocks_up_to, struct block, uint64_t, item->start <= key)

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* ---- the blocks of a function ---- */

/* What is known of the binary before a function is looked at. */
struct graph_input {
	const struct image *image;
	const struct function_table *functions;
	struct relocs relocs;
	struct fragment_vec fragments;      /* none if there are relocations */
	struct label_vec labels;            /* sorted */
	struct table_references references; /* of code to jump tables, of all functions */
	bool keep_code;
};

/* Marks of an instruction, as bits. */
enum {
	AT_LABEL = 1,
	AT_ENTRY = 2,
	AT_DATA = 4,  /* data shows its address */
	AT_TABLE = 8, /* a jump that uses a table */
	AT_PAD = 16,
};

struct builder {
	struct graph_input *input;
	struct decoder *decoder;
	const struct function *function;
	struct insn_vec insns;
	uint64_t *starts; /* a bit for each byte of the function */
	uint8_t *marks;   /* per instruction: AT_... */
	struct jump_tables tables;
	struct block_vec blocks;
	bool takes_own;
	bool refused; /* BOLT builds no graph */
};

static void builder_free(struct builder *b)
{
	insn_vec_free(&b->insns);
	free(b->starts);
	free(b->marks);
	jump_tables_free(&b->tables);
	block_vec_free(&b->blocks);
}

/* A jump to the very end, if that is padding, is what compilers make of
 * unreachable code: BOLT replaces it by a nop. */
static void replace_jump_past_end(const struct function *f, struct insn *insn)
{
	if (insn_jumps(*insn) && insn->target == f->address + f->size && f->size < f->extent)
		*insn = (struct insn){
			.offset = insn->offset, .size = insn->size, .kind = INSN_NEXT};
}

static bool is_zero(struct bytes b)
{
	for (size_t i = 0; i < b.size; i++)
		if (b.data[i])
			return false;
	return true;
}

/* Decode the whole function.  What cannot be decoded must be zeros to its end. */
static bool decode(struct builder *b)
{
	const struct function *f = b->function;
	struct bytes code = image_bytes_at(b->input->image, (struct vaddr){f->address});
	struct bytes body = bytes_first(code, f->size);
	struct bytes all = bytes_first(code, f->extent); /* an instruction can reach over the end */
	struct insn insn;

	b->refused = body.size != f->size || f->size > UINT32_MAX ||
		     fragments_is_part(&b->input->fragments, &b->input->functions->symbols, f);
	if (b->refused)
		return true;
	b->starts = calloc(f->size / 64 + 1, sizeof(*b->starts));
	if (!b->starts)
		return false;
	for (uint64_t at = 0; at < f->size && !b->refused; at += insn.size) {
		if (!decoder_next(b->decoder, bytes_from(all, at), f->address + at, &insn)) {
			b->refused = !is_zero(bytes_from(body, at));
			break;
		}
		insn.offset = (uint32_t)at;
		replace_jump_past_end(f, &insn);
		b->refused = insn.short_only;
		b->starts[at / 64] |= UINT64_C(1) << at % 64;
		if (!insn_vec_push(&b->insns, insn))
			return false;
	}
	b->refused |= !b->insns.len;
	return true;
}

static void mark(struct builder *b, uint64_t offset, uint8_t bits)
{
	uint32_t insn = insns_at(&b->insns, offset);

	if (insn == NO_INSN)
		b->refused = true; /* a label in the middle of an instruction */
	else
		b->marks[insn] |= bits;
}

/* Targets of direct branches and calls; addresses of its own code that the
 * function takes, which could then be reached from anywhere. */
static void mark_own_targets(struct builder *b)
{
	const struct function *f = b->function;

	for (size_t i = 0; i < b->insns.len; i++) {
		const struct insn *insn = &b->insns.at[i];
		bool taken = insn->kind == INSN_NEXT || insn->kind == INSN_JUMP_INDIRECT;
		if (!insn->target || insn->target == f->address || !insn_stays(f, insn))
			continue;
		b->takes_own |= taken;
		mark(b, insn->target - f->address, taken ? AT_LABEL | AT_ENTRY : AT_LABEL);
	}
}

static uint8_t label_marks(const struct label *label)
{
	switch (label->kind) {
	case LABEL_BLOCK: return AT_LABEL;
	case LABEL_DATA: return AT_LABEL | AT_DATA;
	case LABEL_PAD: return AT_LABEL | AT_PAD;
	case LABEL_ENTRY: break;
	}
	return AT_LABEL | AT_ENTRY;
}

static void mark_known_labels(struct builder *b)
{
	const struct function *f = b->function;
	const struct label_vec *labels = &b->input->labels;

	/* Where a jump table leads to another fragment, BOLT reads no landing pads. */
	for (size_t i = labels_from(labels, f->address + 1); i < labels->len; i++) {
		const struct label *label = &labels->at[i];
		uint64_t offset = label->address - f->address;
		if (offset > f->extent)
			break;
		if (offset != f->size && !(b->tables.split && label->kind == LABEL_PAD))
			mark(b, offset, label_marks(label));
	}
}

static bool mark_table_targets(struct builder *b)
{
	const struct table_search search = {b->input->image,   b->input->functions,
					    &b->input->relocs, &b->input->references,
					    b->function,       &b->insns};

	if (!jump_tables_find(&search, &b->tables))
		return false;
	for (size_t i = 0; i < b->tables.targets.len; i++)
		mark(b, b->tables.targets.at[i], AT_LABEL | AT_DATA);
	for (size_t i = 0; i < b->tables.uses.len; i++)
		if (b->tables.tables.at[b->tables.uses.at[i].table].count)
			mark(b, b->tables.uses.at[i].jump, AT_TABLE);
	return true;
}

/* A jump within the function stays in the block that ended right before it,
 * unless that ended with another such jump, an indirect one or a return, or with
 * a conditional jump that leaves the function. */
static bool joins(const struct function *f, const struct insn *before, const struct insn *insn)
{
	if (insn->kind != INSN_JUMP || !insn_stays(f, insn))
		return false;
	switch ((enum insn_kind)before->kind) {
	case INSN_CONDITIONAL: return insn_stays(f, before);
	case INSN_JUMP: return !insn_stays(f, before);
	case INSN_TRAP:
	case INSN_BREAK: return true;
	default: return false;
	}
}

static bool cut_blocks(struct builder *b)
{
	bool open = false;

	for (size_t i = 0; i < b->insns.len; i++) {
		const struct insn *insn = &b->insns.at[i];
		bool starts = !i || b->marks[i] & AT_LABEL;
		if (!starts && !open)
			starts = !joins(b->function, &insn[-1], insn);
		struct block block = {.start = insn->offset,
				      .entered = !i || b->marks[i] & (AT_ENTRY | AT_PAD),
				      .pad = i && (b->marks[i] & (AT_ENTRY | AT_PAD)) == AT_PAD};
		if (starts && !block_vec_push(&b->blocks, block))
			return false;
		b->blocks.at[b->blocks.len - 1].last = insn->offset;
		open = insn_goes_on(*insn);
	}
	return true;
}

/* Where relocations show all addresses in data, BOLT lets an indirect jump that
 * uses no table it knows lead to every location whose address is in data. */
static bool may_lead_to(const struct builder *b, const struct insn *jump, const struct insn *to)
{
	return b->input->relocs.present && jump->kind == INSN_JUMP_INDIRECT &&
	       to < b->insns.at + b->insns.len && b->marks[to - b->insns.at] & AT_DATA &&
	       !jump_tables_used_by(&b->tables, jump->offset);
}

/* What follows a block's last instruction. */
static void link_last(const struct builder *b, const struct insn *last, struct block *block)
{
	bool leaving = last->kind == INSN_CONDITIONAL && !insn_stays(b->function, last);

	block->to_next |= insn_goes_on(*last) || last->kind == INSN_CONDITIONAL ||
			  may_lead_to(b, last, last + 1);
	block->calls = insn_is_call(*last) || leaving; /* a tail call */
	block->indirect =
		last->kind == INSN_JUMP_INDIRECT && !jump_tables_used_by(&b->tables, last->offset);
}

/* A branch can lead to the next block, too. */
static void link_branch(const struct builder *b, const struct insn *insn, uint64_t next,
			struct block *block)
{
	if (insn_jumps(*insn) && insn->target == next)
		block->to_next = true;
	if (insn->kind == INSN_JUMP_INDIRECT &&
	    jump_tables_lead_to(&b->tables, insn->offset, (uint32_t)(next - b->function->address)))
		block->to_next = true;
}

static void link_blocks(struct builder *b)
{
	const struct insn *insn = b->insns.at, *end = insn + b->insns.len;

	for (size_t i = 0; i < b->blocks.len; i++) {
		struct block *block = &b->blocks.at[i];
		bool is_last = i + 1 == b->blocks.len;
		uint64_t next = is_last ? 0 : b->function->address + block[1].start;
		for (; insn < end && insn->offset <= block->last; insn++) {
			if (insn->offset == block->last)
				link_last(b, insn, block);
			if (!is_last)
				link_branch(b, insn, next, block);
		}
	}
}

/* A walk from one block to another asks whether each between leads to the next; a location, which
 * entry it is. */
static void number_blocks(struct block_vec *blocks)
{
	uint32_t entries = 0;

	for (size_t i = 1; i < blocks->len; i++)
		if (blocks->at[i].entered)
			blocks->at[i].entry = ++entries;
	for (size_t i = blocks->len; i--;) {
		struct block *block = &blocks->at[i];
		block->reach = block->to_next && i + 1 < blocks->len ? block[1].reach : (uint32_t)i;
	}
}

static bool build(struct builder *b)
{
	if (!decode(b))
		return false;
	if (b->refused)
		return true;
	b->marks = calloc(b->insns.len, sizeof(*b->marks));
	if (!b->marks)
		return false;
	mark_own_targets(b);
	if (!mark_table_targets(b))
		return false;
	mark_known_labels(b);
	if (b->refused)
		return true;
	if (!cut_blocks(b))
		return false;
	link_blocks(b);
	number_blocks(&b->blocks);
	return true;
}

/* ---- all successors of each block ---- */

struct maker {
	const struct builder *b; /* whose blocks are cut */
	const struct graph *graph;
	struct number_vec follow; /* blocks that an indirect jump without a table can lead to */
	struct number_vec next;
	uint32_t *seen;   /* by block: the last one, plus 1, that it was found to follow */
	size_t looked_at; /* targets of tables, also those that others have */
	bool guessing;    /* the jumps without a table are being added, too */
	bool too_many;
};

static bool add_edge(struct maker *m, uint32_t from, uint32_t to)
{
	if (to >= m->graph->count || m->seen[to] == from + 1)
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
	struct jump_targets targets = jump_tables_targets(&m->b->tables, jump->offset);
	bool ok = true;

	m->looked_at += targets.count;
	m->too_many |= m->looked_at > GRAPH_MOST_EDGES;
	for (size_t i = 0; ok && !m->too_many && i < targets.count; i++)
		ok = add_edge(m, from, graph_block_starting(m->graph, targets.at[i]));
	for (size_t i = 0; ok && m->guessing && !m->too_many && !targets.count && i < m->follow.len;
	     i++)
		ok = add_edge(m, from, m->follow.at[i]);
	return ok;
}

static bool add_edges(struct maker *m, struct graph_code *out, uint32_t number)
{
	const struct insn *insns = m->b->insns.at;
	bool ok = !m->graph->blocks[number].to_next || add_edge(m, number, number + 1);

	for (uint32_t i = out->first_insn[number]; ok && i < out->first_insn[number + 1]; i++) {
		const struct insn *insn = &insns[i];
		if (insn_jumps(*insn))
			ok = add_edge(m, number,
				      graph_block_starting(m->graph,
							   insn->target - m->b->function->address));
		else if (insn->kind == INSN_JUMP_INDIRECT)
			ok = add_indirect(m, number, insn);
	}
	size_t first = out->first_next[number];
	if (m->next.len > first)
		qsort(m->next.at + first, m->next.len - first, sizeof(*m->next.at), by_number);
	out->first_next[number + 1] = (uint32_t)m->next.len;
	return ok;
}

static void find_insns(const struct maker *m, struct graph_code *out)
{
	const struct graph *graph = m->graph;
	const struct insn_vec *insns = &m->b->insns;
	uint32_t insn = 0;

	for (uint32_t i = 0; i < graph->count; i++) {
		while (insn < insns->len && insns->at[insn].offset < graph->blocks[i].start)
			insn++;
		out->first_insn[i] = insn;
	}
	out->first_insn[graph->count] = (uint32_t)insns->len;
}

static bool is_nops(const struct maker *m, const struct graph_code *code, uint32_t block)
{
	uint32_t i = code->first_insn[block];

	while (i < code->first_insn[block + 1] && m->b->insns.at[i].nop)
		i++;
	return i == code->first_insn[block + 1];
}

static bool add_all_edges(struct maker *m, struct graph_code *out)
{
	bool ok = true;

	m->next.len = m->looked_at = 0;
	memset(m->seen, 0, m->graph->count * sizeof(*m->seen));
	for (uint32_t i = 0; ok && !m->too_many && i < m->graph->count; i++)
		ok = add_edges(m, out, i);
	return ok;
}

/* Called when the known successors are added: a block that nothing leads to has not been seen. */
static bool find_follow(struct maker *m, const struct graph_code *out)
{
	const struct block *blocks = m->graph->blocks;
	bool ok = true;

	for (uint32_t i = 1; ok && i < m->graph->count; i++)
		if ((blocks[i].entered && !blocks[i].pad) ||
		    m->b->marks[out->first_insn[i]] & AT_DATA ||
		    (!blocks[i].pad && !m->seen[i] && !is_nops(m, out, i)))
			ok = number_vec_push(&m->follow, i);
	return ok;
}

static bool has_indirect(const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->count; i++)
		if (graph->blocks[i].indirect)
			return true;
	return false;
}

static bool make(struct maker *m, struct graph_code *out)
{
	if (!m->seen || !out->first_insn || !out->first_next)
		return false;
	find_insns(m, out);
	if (!add_all_edges(m, out))
		return false;
	if (!has_indirect(m->graph))
		return true;
	m->guessing = true;
	return find_follow(m, out) && add_all_edges(m, out);
}

static void graph_code_free(struct graph_code *code)
{
	insn_vec_free(&code->insns);
	free(code->first_insn);
	free(code->first_next);
	free(code->next);
	*code = (struct graph_code){0};
}

/* Makes the code of a graph, and moves the instructions into it.  Returns false when out of memory.
 */
static bool keep_code(struct builder *b, struct graph *graph)
{
	size_t blocks = (size_t)graph->count + 1;
	struct graph_code *out = &graph->code;
	struct maker m = {.b = b, .graph = graph, .seen = calloc(blocks, sizeof(*m.seen))};

	*out = (struct graph_code){.first_insn = calloc(blocks, sizeof(*out->first_insn)),
				   .first_next = calloc(blocks, sizeof(*out->first_next))};
	bool ok = make(&m, out);
	free(m.seen);
	number_vec_free(&m.follow);
	out->next = m.next.at;
	if (!ok || m.too_many) {
		graph_code_free(out);
		return ok;
	}
	out->insns = b->insns;
	b->insns = (struct insn_vec){0};
	return true;
}

/* ---- indirect jumps of which BOLT cannot know where they lead ---- */

/* pop, popf, leave: instructions that restore the stack at a function's end. */
static bool restores(struct bytes code)
{
	struct x86_insn insn;

	x86_decode(code, &insn); /* the opcode is known in any case */
	return insn.map == X86_ONE_BYTE && ((insn.opcode & 0xf8) == 0x58 || insn.opcode == 0x8f ||
					    insn.opcode == 0x9d || insn.opcode == 0xc9);
}

/* BOLT takes an indirect jump for a tail call if the stack is put right before it, in
 * the same block.  It looks for that on x86 only. */
static bool ends_function(const struct builder *b, const struct insn *jump,
			  const struct block *block)
{
	if (b->input->image->machine != MACHINE_X86_64)
		return false;
	for (const struct insn *insn = jump; insn->offset > block->start;) {
		insn--;
		struct vaddr at = {b->function->address + insn->offset};
		if (restores(bytes_first(image_bytes_at(b->input->image, at), insn->size)))
			return true;
	}
	return false;
}

/* BOLT believes in a table only if all instructions that lead to it are in the block of the
 * jump: not if a loop that it is used in has its address from before. */
static bool is_table_jump(const struct builder *b, const struct insn *jump,
			  const struct block *block)
{
	const struct insn *first = jump;
	struct table_ref ref;

	while (first->offset > block->start)
		first--;
	size_t before = (size_t)(jump - first);
	struct insn_vec insns = {(struct insn *)first, before + 1, before + 1};
	return jump_pattern(b->input->image, b->function, &insns, before, &ref);
}

/* Is there an indirect jump that surely uses no table, and that is no tail call? */
static bool has_unknown_jumps(const struct builder *b)
{
	const struct block *block = b->blocks.at;

	if (b->blocks.len < 2)
		return false;
	for (size_t i = 0; i < b->insns.len; i++) {
		const struct insn *insn = &b->insns.at[i];
		while (insn->offset > block->last)
			block++;
		if (insn->kind != INSN_JUMP_INDIRECT)
			continue;
		if (b->marks[i] & AT_TABLE ? !is_table_jump(b, insn, block) :
					     !ends_function(b, insn, block))
			return true;
	}
	return false;
}

/* ---- one graph ---- */

uint32_t graph_block_at(const struct graph *graph, uint64_t offset)
{
	size_t above = blocks_up_to(graph->blocks, graph->count, offset);

	return above ? (uint32_t)above - 1 : 0;
}

uint32_t graph_block_starting(const struct graph *graph, uint64_t offset)
{
	size_t above = blocks_up_to(graph->blocks, graph->count, offset);

	return above && graph->blocks[above - 1].start == offset ? (uint32_t)above - 1 :
								   graph->count;
}

const struct insn *graph_code_source(const struct graph *graph, uint64_t address, uint32_t from,
				     uint32_t to)
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

/* Does the fall-through continue after a call that the block before ends with? */
static bool continues_call(const struct graph *graph, uint32_t block,
			   const struct fall_through *fall)
{
	const struct block *b = &graph->blocks[block];

	if (!fall->may_follow_call || !block || fall->from != b->start)
		return false;
	if (!fall->after_return && b->entered)
		return false;
	return b[-1].to_next && b[-1].calls;
}

enum walk_result graph_walk(const struct graph *graph, const struct fall_through *fall,
			    uint32_t *first, uint32_t *last)
{
	if (!graph->count || fall->from >= graph->size || fall->to >= graph->size)
		return WALK_INVALID;
	*first = graph_block_at(graph, fall->from);
	*last = graph_block_at(graph, fall->to);
	*first -= continues_call(graph, *first, fall);
	if (*first < *last && graph->blocks[*first].reach < *last)
		return WALK_INVALID;
	return *first < *last ? WALK_EDGES : WALK_ONE_BLOCK;
}

/* Builds the graph of a function.  Returns false when out of memory, or when it is too much work.
 */
static bool graph_build(struct graph_input *input, struct decoder *decoder,
			const struct function *function, struct graph *out)
{
	BC_AUTO(builder_free)
	struct builder b = {.input = input, .decoder = decoder, .function = function};

	*out = (struct graph){.size = (uint32_t)function->size, .has_code = input->keep_code};
	if (!build(&b))
		return false;
	if (b.refused)
		return true;
	out->takes_own = b.takes_own;
	out->unknown_jumps = has_unknown_jumps(&b);
	out->blocks = b.blocks.at;
	out->count = (uint32_t)b.blocks.len;
	out->starts = b.starts;
	b.blocks = (struct block_vec){0};
	b.starts = NULL;
	return !input->keep_code || keep_code(&b, out);
}

static void graph_free(struct graph *graph)
{
	free(graph->blocks);
	free(graph->starts);
	graph_code_free(&graph->code);
	*graph = (struct graph){0};
}

/* ---- many of them ---- */

/* Bytes of code per thread: so many take about half a millisecond. */
#define BYTES_PER_THREAD (UINT64_C(32) << 10)

/* What a call builds: the numbers of functions, ascending. */
struct job {
	struct graph_input input;
	struct cfg *cfg;
	uint32_t *chosen;
	size_t count;
	struct decoder decoders[PARALLEL_MOST]; /* one a worker: they have state */
	atomic_bool failed;                     /* no memory, or too much work */
};

static void build_one(void *ctx, size_t index, unsigned worker)
{
	struct job *job = ctx;
	uint32_t number = job->chosen[index];
	struct graph **graph = &job->cfg->of[number];

	if (*graph)
		graph_free(*graph);
	else
		*graph = malloc(sizeof(**graph));
	if (!*graph || !graph_build(&job->input, &job->decoders[worker],
				    &job->cfg->functions->at[number], *graph))
		atomic_store(&job->failed, true);
}

static unsigned worth_threads(const struct job *job, unsigned most)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < job->count; i++)
		bytes += job->cfg->functions->at[job->chosen[i]].size;
	uint64_t worth = bytes / BYTES_PER_THREAD + 1;
	return worth < most ? (unsigned)worth : most;
}

/* Copies the chosen indices of what is not built yet, sorted and each once. */
static bool choose(struct job *job, const uint32_t *chosen, size_t count, bool code)
{
	uint32_t last = UINT32_MAX;
	size_t wanted = 0;

	job->chosen = malloc((count + 1) * sizeof(*job->chosen));
	if (!job->chosen)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct graph *graph = job->cfg->of[chosen[i]];
		if (!graph || (code && !graph->has_code))
			job->chosen[wanted++] = chosen[i];
	}
	if (wanted)
		qsort(job->chosen, wanted, sizeof(*job->chosen), by_number);
	for (size_t i = 0; i < wanted; i++) {
		if (job->chosen[i] != last)
			job->chosen[job->count++] = job->chosen[i];
		last = job->chosen[i];
	}
	return true;
}

static bool build_job(const struct image *image, struct job *job, unsigned threads)
{
	struct cfg *cfg = job->cfg;
	struct graph_input *input = &job->input;
	struct chosen chosen = {image, cfg->functions, job->chosen, job->count};

	table_references_init(&input->references, image, cfg->functions);
	for (size_t i = 0; i < PARALLEL_MOST; i++)
		decoder_open(image->machine, &job->decoders[i]);
	bool ok =
		labels_read(&chosen, &job->decoders[0], threads, &input->relocs, &input->labels) &&
		(input->relocs.present ||
		 fragments_find(&cfg->functions->symbols, &input->fragments));
	if (ok)
		parallel_for(worth_threads(job, threads), job->count, build_one, job);
	for (size_t i = 0; i < PARALLEL_MOST; i++) {
		cfg->no_disassembler |= job->decoders[i].llvm_missing;
		decoder_close(&job->decoders[i]);
	}
	table_references_free(&input->references);
	fragment_vec_free(&input->fragments);
	label_vec_free(&input->labels);
	relocs_free(&input->relocs);
	return ok && !atomic_load(&job->failed);
}

static bool build_chosen(const struct image *image, const struct function_table *functions,
			 const uint32_t *chosen, size_t count, bool keep_code, unsigned threads,
			 struct cfg *cfg, struct bc_error *err)
{
	struct job job = {.input = {.image = image, .functions = functions, .keep_code = keep_code},
			  .cfg = cfg};

	if (!cfg->of)
		*cfg = (struct cfg){.functions = functions,
				    .of = calloc(functions->count + 1, sizeof(*cfg->of))};
	bool ok = cfg->of && choose(&job, chosen, count, keep_code) &&
		  (!job.count || build_job(image, &job, threads));
	free(job.chosen);
	if (!ok)
		cfg_free(cfg);
	return ok || work_fail(image->work, err);
}

bool cfg_build(const struct image *image, const struct function_table *functions,
	       const uint32_t *chosen, size_t count, unsigned threads, struct cfg *cfg,
	       struct bc_error *err)
{
	return build_chosen(image, functions, chosen, count, false, threads, cfg, err);
}

bool cfg_build_code(const struct image *image, const struct function_table *functions,
		    const uint32_t *chosen, size_t count, unsigned threads, struct cfg *cfg,
		    struct bc_error *err)
{
	return build_chosen(image, functions, chosen, count, true, threads, cfg, err);
}

void cfg_free(struct cfg *cfg)
{
	for (size_t i = 0; cfg->of && i < cfg->functions->count; i++) {
		if (cfg->of[i])
			graph_free(cfg->of[i]);
		free(cfg->of[i]);
	}
	free(cfg->of);
	*cfg = (struct cfg){0};
}
