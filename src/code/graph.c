/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/code/graph.h"

#include <stdlib.h>

#include "src/base/sort.h"
#include "src/code/jump_table.h"
#include "src/code/unknown_jumps.h"

DEFINE_VEC(block_vec, struct block);

/* Marks of an instruction, as bits. */
enum {
	AT_LABEL = 1,
	AT_ENTRY = 2,
	AT_DATA = 4, /* data tells its address */
	AT_TABLE = 8, /* a jump that uses a table */
	AT_PAD = 16,
};

struct builder {
	const struct graph_input *input;
	struct decoder *decoder;
	const struct function *function;
	struct insn_vec insns;
	uint64_t *starts; /* a bit for each byte of the function */
	uint8_t *marks; /* per instruction: AT_... */
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
 * unreachable code: BOLT puts a nop in its place. */
static void replace_jump_past_end(const struct function *f, struct insn *insn)
{
	if (insn_jumps(*insn) && insn->target == f->address + f->size && f->size < f->extent)
		*insn = (struct insn){.offset = insn->offset, .size = insn->size,
				      .kind = INSN_NEXT};
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
		     fragments_is_part(b->input->fragments, &b->input->functions->symbols, f);
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
	const struct insn *insn = insn_at(&b->insns, offset);

	if (!insn)
		b->refused = true; /* a label in the middle of an instruction */
	else
		b->marks[insn - b->insns.at] |= bits;
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
	case LABEL_BLOCK:
		return AT_LABEL;
	case LABEL_DATA:
		return AT_LABEL | AT_DATA;
	case LABEL_PAD:
		return AT_LABEL | AT_PAD;
	case LABEL_ENTRY:
		break;
	}
	return AT_LABEL | AT_ENTRY;
}

static void mark_known_labels(struct builder *b)
{
	const struct function *f = b->function;
	const struct label_vec *labels = b->input->labels;

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
	const struct table_search search = {b->input, b->function, &b->insns};

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
	case INSN_CONDITIONAL:
		return insn_stays(f, before);
	case INSN_JUMP:
		return !insn_stays(f, before);
	case INSN_TRAP:
	case INSN_BREAK:
		return true;
	default:
		return false;
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

/* Where relocations tell all addresses in data, BOLT lets an indirect jump that
 * uses no table it knows lead to every place whose address is in data. */
static bool may_lead_to(const struct builder *b, const struct insn *jump, const struct insn *to)
{
	return b->input->relocs->present && jump->kind == INSN_JUMP_INDIRECT &&
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
	block->indirect = last->kind == INSN_JUMP_INDIRECT && !jump_tables_used_by(&b->tables, last->offset);
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

/* A walk from one block to another asks whether each between leads to the next; a place, which
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

static bool keep_code(struct builder *b, struct graph *out)
{
	const struct graph_code_parts parts = {
		.graph = out, .address = b->function->address, .insns = &b->insns, .tables = &b->tables,
		.marks = b->marks, .mark_of_data = AT_DATA};

	if (!graph_code_make(&parts, &out->code))
		return false;
	if (out->code.first_insn) {
		out->code.insns = b->insns;
		b->insns = (struct insn_vec){0};
	}
	return true;
}

bool graph_build(const struct graph_input *input, struct decoder *decoder,
		 const struct function *function, struct graph *out)
{
	BC_AUTO(builder_free) struct builder b = {.input = input, .decoder = decoder,
						  .function = function};

	*out = (struct graph){.size = (uint32_t)function->size, .has_code = input->keep_code};
	if (!build(&b))
		return false;
	if (b.refused)
		return true;
	out->takes_own = b.takes_own;
	out->unknown_jumps = has_unknown_jumps(&(struct jumps_search){
		input->image, function, &b.insns, b.blocks.at, (uint32_t)b.blocks.len, b.marks, AT_TABLE});
	out->blocks = b.blocks.at;
	out->count = (uint32_t)b.blocks.len;
	out->starts = b.starts;
	b.blocks = (struct block_vec){0};
	b.starts = NULL;
	return !input->keep_code || keep_code(&b, out);
}

void graph_free(struct graph *graph)
{
	free(graph->blocks);
	free(graph->starts);
	graph_code_free(&graph->code);
	*graph = (struct graph){0};
}

DEFINE_SEARCH(blocks_below, struct block, uint64_t, item->start < key)

uint32_t graph_block_starting(const struct graph *graph, uint64_t offset)
{
	uint32_t below = (uint32_t)blocks_below(graph->blocks, graph->count, offset);

	return below < graph->count && graph->blocks[below].start == offset ? below : graph->count;
}
