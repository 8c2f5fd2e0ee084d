/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/check/insn_ties.h"

#include <stdlib.h>

#include "src/base/search.h"
#include "src/base/sort.h"
#include "src/isa/stack_effect.h"

/* After a difference, how many instructions of both sides together are skipped to find the next that are the same. */
#define SKIP_MOST 12


uint32_t tied_insn_at(const struct tied_code *code, uint64_t offset)
{
	size_t i = insns_before(code->insns.at, code->insns.len, offset);

	return i < code->insns.len && code->insns.at[i].offset == offset ? (uint32_t)i : UINT32_MAX;
}

/* Data in code is passed over by the machine's least step. */
static bool decode(struct decoder *decoder, struct tied_code *code)
{
	struct insn insn;

	code->insns.len = 0;
	if (code->bytes.size > UINT32_MAX)
		return true;
	for (uint64_t at = 0; at < code->bytes.size; at += insn.size) {
		if (!decoder_next(decoder, bytes_from(code->bytes, at), code->address + at, &insn)) {
			insn.size = decoder->machine == MACHINE_AARCH64 ? 4 : decoder->machine == MACHINE_RISCV64 ? 2 : 1;
			continue;
		}
		insn.offset = (uint32_t)at;
		if (!insn_vec_push(&code->insns, insn))
			return false;
	}
	return true;
}

/* A block of the table in a fragment: the last of those of its output offset. */
struct tied_block {
	uint32_t output, input;
	bool inserted;
};
DEFINE_VEC(tied_block_vec, struct tied_block);

static bool block_less(const struct tied_block *a, const struct tied_block *b)
{
	return a->output < b->output;
}
DEFINE_SORT(sort_blocks, struct tied_block, block_less)

static bool list_blocks(const struct binary *subject, const struct tied_fragment *f, struct tied_block_vec *out)
{
	const struct bat_table *bat = &subject->bat;
	const struct bat_fragment *fragment = &bat->fragments[f->fragment];
	bool sorted = true;

	out->len = 0;
	for (uint32_t i = fragment->first_entry; i < fragment->first_entry + fragment->entry_count; i++) {
		struct bat_entry e = bat->entries[i];
		if (bat_entry_is_branch(e) || e.output >= f->code.bytes.size)
			continue;
		struct tied_block block = {e.output, bat_entry_input(e), block_is_unknown(bat, i)};
		if (out->len && out->at[out->len - 1].output == e.output) {
			out->at[out->len - 1] = block;
			continue;
		}
		sorted &= !out->len || out->at[out->len - 1].output < e.output;
		if (!tied_block_vec_push(out, block))
			return false;
	}
	if (!sorted)
		sort_blocks(out->at, out->len);
	return true;
}

struct tying {
	enum machine machine;
	struct tied_function *function;
	struct tied_fragment *f;
	const bool *starts; /* per instruction of the input: a block of the table begins there */
};

static bool same(const struct tying *t, uint32_t out, uint32_t in)
{
	const struct tied_code *a = &t->f->code, *b = &t->function->in;

	return same_instruction(t->machine, bytes_from(a->bytes, a->insns.at[out].offset), &a->insns.at[out],
				bytes_from(b->bytes, b->insns.at[in].offset), &b->insns.at[in]);
}

static void note_frame(struct tying *t, const struct tied_code *code, uint32_t insn)
{
	struct stack_effect effect = stack_effect_of(t->machine, tied_bytes(code, insn));

	t->function->frame_changed |= stack_effect_is_of_frame(t->machine, &effect);
}

/* Finds the least number of instructions to skip on both sides up to two that are the same. */
static bool find_same(const struct tying *t, uint32_t out, uint32_t out_end, uint32_t in, uint32_t in_end, uint32_t *skip_out, uint32_t *skip_in)
{
	for (uint32_t skip = 1; skip <= SKIP_MOST; skip++)
		for (uint32_t a = 0; a <= skip; a++) {
			uint32_t b = skip - a;
			if (a < out_end - out && b < in_end - in && !t->f->code.insns.at[out + a].nop && same(t, out + a, in + b)) {
				*skip_out = a;
				*skip_in = b;
				return true;
			}
		}
	return false;
}

static void tie(struct tying *t, uint32_t out, enum tie_kind kind, uint32_t in, bool removed)
{
	t->f->ties.at[out] = (struct insn_tie){(uint8_t)kind, removed, in};
}

static void change(struct tying *t, uint32_t out, uint32_t in)
{
	tie(t, out, TIE_CHANGED, in, false);
	note_frame(t, &t->f->code, out);
}

static bool ends_way(const struct insn *insn)
{
	return insn->kind == INSN_JUMP || insn->kind == INSN_JUMP_INDIRECT || insn->kind == INSN_RETURN || insn->kind == INSN_TRAP ||
	       insn->kind == INSN_BREAK;
}

/* Where the block of the input that begins at an instruction ends: at the next one that the table has, or behind what does not go on. */
static uint32_t end_of_block(const struct tying *t, uint32_t first)
{
	const struct insn_vec *insns = &t->function->in.insns;
	uint32_t end = first + 1;

	while (end < insns->len && !t->starts[end] && !ends_way(&insns->at[end - 1]))
		end++;
	return end;
}

/* Ties the instructions [out, out_end) with those of the input from `in` on. */
static void tie_block(struct tying *t, uint32_t out, uint32_t out_end, uint32_t in)
{
	const struct insn_vec *outs = &t->f->code.insns, *ins = &t->function->in.insns;
	uint32_t in_end = end_of_block(t, in);
	bool removed = false;

	while (out < out_end) {
		uint32_t skip_out, skip_in;
		if (outs->at[out].nop) {
			tie(t, out++, TIE_PADDING, in, false);
			continue;
		}
		while (in < in_end && ins->at[in].nop)
			in++;
		if (in < in_end && same(t, out, in)) {
			tie(t, out++, TIE_SAME, in++, removed);
			removed = false;
		} else if (outs->at[out].kind == INSN_JUMP) {
			bool reached = !out || !ends_way(&outs->at[out - 1]);
			tie(t, out++, reached ? TIE_CARRIED : TIE_PADDING, in, removed);
		} else if (find_same(t, out, out_end, in, in_end, &skip_out, &skip_in)) {
			for (; skip_out; skip_out--)
				change(t, out++, in);
			for (; skip_in; skip_in--, in++) {
				note_frame(t, &t->function->in, in);
				removed = true;
			}
		} else {
			change(t, out++, in);
		}
	}
	for (; in < in_end; in++)
		note_frame(t, &t->function->in, in);
}

static void tie_fragment(struct tying *t, const struct tied_block_vec *blocks)
{
	const struct tied_code *code = &t->f->code;
	uint32_t count = (uint32_t)code->insns.len;

	for (uint32_t i = 0; i < count; i++)
		tie(t, i, TIE_UNMAPPED, 0, false);
	for (size_t i = 0; i < blocks->len; i++) {
		const struct tied_block *block = &blocks->at[i];
		uint64_t end = i + 1 < blocks->len ? blocks->at[i + 1].output : code->bytes.size;
		uint32_t first = (uint32_t)insns_before(code->insns.at, count, block->output);
		uint32_t last = (uint32_t)insns_before(code->insns.at, count, end);
		uint32_t in = tied_insn_at(&t->function->in, block->input);
		bool inserted = block->inserted;
		for (uint32_t k = first; k < last; k++) {
			if (inserted) {
				tie(t, k, TIE_INSERTED, 0, false);
				note_frame(t, code, k);
			}
		}
		if (!inserted && in != UINT32_MAX && first < last && code->insns.at[first].offset == block->output)
			tie_block(t, first, last, in);
	}
}

static void mark_starts(const struct tied_function *function, const struct tied_block_vec *blocks, bool *starts)
{
	for (size_t i = 0; i < blocks->len; i++) {
		uint32_t in = blocks->at[i].inserted ? UINT32_MAX : tied_insn_at(&function->in, blocks->at[i].input);
		if (in != UINT32_MAX)
			starts[in] = true;
	}
}

bool insn_ties_make(const struct binary *subject, const struct input *input, uint32_t function, const uint32_t *parts, uint32_t count,
		    struct decoder *decoder, struct tied_function *out)
{
	BC_AUTO(tied_block_vec_free) struct tied_block_vec blocks = {0};
	bool ok = true;

	*out = (struct tied_function){.input = function};
	out->fragments = calloc(count + (size_t)1, sizeof(*out->fragments));
	if (!out->fragments)
		return false;
	if (function != NO_FUNCTION) {
		out->in.bytes = input_code_of(input, function);
		out->in.address = input->functions.at[function].address;
		ok = decode(decoder, &out->in);
	}
	bool *starts = ok ? calloc(out->in.insns.len + 1, sizeof(*starts)) : NULL;
	ok = starts;
	for (uint32_t i = 0; ok && i < count; i++) {
		struct tied_fragment *f = &out->fragments[out->count++];
		f->fragment = parts[i];
		f->code.address = subject->bat.fragments[parts[i]].address;
		f->code.bytes = bytes_first(image_bytes_at(&subject->image, (struct vaddr){f->code.address}), binary_fragment_size(subject, parts[i]));
		ok = decode(decoder, &f->code) && insn_tie_vec_reserve(&f->ties, f->code.insns.len + 1) && list_blocks(subject, f, &blocks);
		if (ok)
			mark_starts(out, &blocks, starts);
		f->ties.len = f->code.insns.len;
	}
	for (uint32_t i = 0; ok && i < out->count; i++) {
		struct tying t = {decoder->machine, out, &out->fragments[i], starts};
		ok = list_blocks(subject, t.f, &blocks);
		if (ok)
			tie_fragment(&t, &blocks);
	}
	free(starts);
	return ok;
}

void insn_ties_free(struct tied_function *function)
{
	for (uint32_t i = 0; i < function->count; i++) {
		insn_vec_free(&function->fragments[i].code.insns);
		insn_tie_vec_free(&function->fragments[i].ties);
	}
	insn_vec_free(&function->in.insns);
	free(function->fragments);
	*function = (struct tied_function){0};
}
