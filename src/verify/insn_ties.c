/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/verify/insn_ties.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/isa/stack_effect.h"

/* After a difference, how many instructions of both sides together are skipped to find the next
 * that are the same. */
#define SKIP_MOST 12

/* What it costs to look for them in vain, in bytes of code that is decoded. */
#define SKIP_COST 16

uint32_t tied_insn_at(const struct tied_code *code, uint64_t address)
{
	uint64_t offset = address - code->address;
	size_t i = insns_before(code->insns.at, code->insns.len, offset);

	return i < code->insns.len && code->insns.at[i].offset == offset ? (uint32_t)i : UINT32_MAX;
}

DEFINE_SEARCH(fragments_up_to, struct tied_fragment, uint64_t, item->code.address <= key)

bool untied_counts_take(struct untied_counts *counts, const struct insn_tie *tie)
{
	switch ((enum tie_kind)tie->kind) {
	case TIE_SAME:
	case TIE_CARRIED: return false;
	case TIE_PADDING: counts->padding++; return true;
	case TIE_CHANGED: counts->changed++; return true;
	case TIE_INSERTED: counts->inserted++; return true;
	case TIE_UNMAPPED: counts->unmapped++; return true;
	}
	return true;
}

const struct tied_fragment *tied_fragment_at(const struct tied_function *function, uint64_t address,
					     uint32_t *insn)
{
	size_t i = fragments_up_to(function->fragments, function->count, address);

	*insn = i ? tied_insn_at(&function->fragments[i - 1].code, address) : UINT32_MAX;
	return *insn == UINT32_MAX ? NULL : &function->fragments[i - 1];
}

/* Data in code is passed over by the machine's least step. */
static bool decode(struct decoder *decoder, struct work *work, struct tied_code *code)
{
	struct insn insn;

	if (!work_spend(work, WORK_TIES, code->bytes.size))
		return false;
	if (code->bytes.size > UINT32_MAX)
		return true;
	for (uint64_t at = 0; at < code->bytes.size; at += insn.size) {
		if (!decoder_next(decoder, bytes_from(code->bytes, at), code->address + at,
				  &insn)) {
			insn.size = decoder->machine == MACHINE_AARCH64 ? 4 :
				    decoder->machine == MACHINE_RISCV64 ? 2 :
									  1;
			continue;
		}
		insn.offset = (uint32_t)at;
		if (!insn_vec_push(&code->insns, insn))
			return false;
	}
	return true;
}

/* Where a block of the table begins in a fragment and in the input's function.  For several that
 * begin at one location of the fragment, all but the last are empty, and left out. */
struct tied_block {
	uint32_t output, input;
	bool inserted; /* it has no hash */
};
DEFINE_VEC(tied_block_vec, struct tied_block);

/* Appends the blocks of a fragment, which the table has by ascending output offset. */
static bool list_blocks(const struct binary *subject, const struct tied_fragment *f,
			struct tied_block_vec *out)
{
	const struct bat_table *bat = &subject->bat;
	const struct bat_fragment *fragment = &bat->fragments[f->fragment];
	size_t first = out->len;

	for (uint32_t i = fragment->first_entry; i < fragment->first_entry + fragment->entry_count;
	     i++) {
		struct bat_entry e = bat->entries[i];
		if (bat_entry_is_branch(e) || e.output >= f->code.bytes.size)
			continue;
		struct tied_block block = {e.output, bat_entry_input(e), block_is_unknown(bat, i)};
		if (out->len > first && out->at[out->len - 1].output == e.output)
			out->at[out->len - 1] = block;
		else if (!tied_block_vec_push(out, block))
			return false;
	}
	return true;
}

struct tying {
	enum machine machine;
	struct tied_function *function;
	struct tied_fragment *f;
	const bool *starts; /* per instruction of the input: a block of the table begins there */
	struct work *out_work, *in_work;
};

static bool same(const struct tying *t, uint32_t out, uint32_t in)
{
	const struct tied_code *a = &t->f->code, *b = &t->function->in;

	return same_instruction(t->machine, bytes_from(a->bytes, a->insns.at[out].offset),
				&a->insns.at[out], bytes_from(b->bytes, b->insns.at[in].offset),
				&b->insns.at[in]);
}

static void note_frame(struct tying *t, const struct tied_code *code, uint32_t insn)
{
	struct stack_effect effect = stack_effect_of(t->machine, tied_bytes(code, insn));

	t->function->frame_changed |= stack_effect_is_of_frame(t->machine, &effect);
}

/* Finds the least number of instructions to skip on both sides up to two that are the same. */
static bool find_same(const struct tying *t, uint32_t out, uint32_t out_end, uint32_t in,
		      uint32_t in_end, uint32_t *skip_out, uint32_t *skip_in)
{
	for (uint32_t skip = 1; skip <= SKIP_MOST; skip++)
		for (uint32_t a = 0; a <= skip; a++) {
			uint32_t b = skip - a;
			if (a < out_end - out && b < in_end - in &&
			    !t->f->code.insns.at[out + a].nop && same(t, out + a, in + b)) {
				*skip_out = a;
				*skip_in = b;
				return true;
			}
		}
	return false;
}

static void tie(struct tying *t, uint32_t out, enum tie_kind kind, uint32_t in)
{
	t->f->ties.at[out] = (struct insn_tie){(uint8_t)kind, in};
}

static void change(struct tying *t, uint32_t out, uint32_t in)
{
	tie(t, out, TIE_CHANGED, in);
	note_frame(t, &t->f->code, out);
}

/* Instructions are the same, too, if they have other numbers in them: `sub $16,%rsp` and `sub
 * $24,%rsp`. */
static void note_numbers(struct tying *t, uint32_t out, uint32_t in)
{
	struct bytes a = tied_bytes(&t->f->code, out), b = tied_bytes(&t->function->in, in);

	if (t->f->code.insns.at[out].kind != INSN_NEXT ||
	    (a.size == b.size && !memcmp(a.data, b.data, a.size)))
		return;
	struct stack_effect now = stack_effect_of(t->machine, a),
			    before = stack_effect_of(t->machine, b);
	t->function->frame_changed |= !stack_effects_equal(&now, &before) &&
				      (stack_effect_is_of_frame(t->machine, &now) ||
				       stack_effect_is_of_frame(t->machine, &before));
}

/* Where the block of the input that begins at an instruction ends: at the next one that the table
 * has, or after what does not continue. */
static uint32_t end_of_block(const struct tying *t, uint32_t first)
{
	const struct insn_vec *insns = &t->function->in.insns;
	uint32_t end = first + 1;

	while (end < insns->len && !t->starts[end] && !insn_ends_way(insns->at[end - 1]))
		end++;
	return end;
}

/* Ties the instructions [out, out_end) with those of the input from `in` on.  False: too much work.
 */
static bool tie_block(struct tying *t, uint32_t out, uint32_t out_end, uint32_t in)
{
	const struct insn_vec *outs = &t->f->code.insns, *ins = &t->function->in.insns;
	uint32_t in_end = end_of_block(t, in);

	if (!work_spend(t->in_work, WORK_TIES, in_end - in))
		return false;
	while (out < out_end) {
		uint32_t skip_out, skip_in;
		if (outs->at[out].nop) {
			tie(t, out++, TIE_PADDING, in);
			continue;
		}
		while (in < in_end && ins->at[in].nop)
			in++;
		if (in < in_end && same(t, out, in)) {
			note_numbers(t, out, in);
			tie(t, out++, TIE_SAME, in++);
		} else if (outs->at[out].kind == INSN_JUMP) {
			bool reached = !out || !insn_ends_way(outs->at[out - 1]);
			tie(t, out++, reached ? TIE_CARRIED : TIE_PADDING, in);
		} else if (find_same(t, out, out_end, in, in_end, &skip_out, &skip_in)) {
			for (; skip_out; skip_out--)
				change(t, out++, in);
			for (; skip_in; skip_in--, in++)
				note_frame(t, &t->function->in, in);
		} else {
			if (!work_spend(t->out_work, WORK_TIES, SKIP_COST))
				return false;
			change(t, out++, in);
		}
	}
	for (; in < in_end; in++)
		note_frame(t, &t->function->in, in);
	return true;
}

/* blocks: those of the fragment are [at, end). */
static bool tie_fragment(struct tying *t, const struct tied_block_vec *blocks, size_t at,
			 size_t end)
{
	const struct tied_code *code = &t->f->code;
	uint32_t count = (uint32_t)code->insns.len;
	bool ok = true;

	for (uint32_t i = 0; i < count; i++)
		tie(t, i, TIE_UNMAPPED, 0);
	for (; ok && at < end; at++) {
		const struct tied_block *block = &blocks->at[at];
		uint64_t behind = at + 1 < end ? blocks->at[at + 1].output : code->bytes.size;
		uint32_t first = (uint32_t)insns_before(code->insns.at, count, block->output);
		uint32_t last = (uint32_t)insns_before(code->insns.at, count, behind);
		uint32_t in =
			tied_insn_at(&t->function->in, t->function->in.address + block->input);
		for (uint32_t k = first; block->inserted && k < last; k++) {
			tie(t, k, TIE_INSERTED, 0);
			note_frame(t, code, k);
		}
		if (!block->inserted && in != UINT32_MAX && first < last &&
		    code->insns.at[first].offset == block->output)
			ok = tie_block(t, first, last, in);
	}
	return ok;
}

static void mark_starts(const struct tied_code *in, const struct tied_block_vec *blocks,
			bool *starts)
{
	for (size_t i = 0; i < blocks->len; i++) {
		uint32_t insn = blocks->at[i].inserted ?
					UINT32_MAX :
					tied_insn_at(in, in->address + blocks->at[i].input);
		if (insn != UINT32_MAX)
			starts[insn] = true;
	}
}

/* Decodes all fragments and lists their blocks: those of fragment i end at ends[i]. */
static bool read_fragments(const struct binary *subject, const uint32_t *parts, uint32_t count,
			   struct decoder *decoder, struct tied_function *out,
			   struct tied_block_vec *blocks, size_t *ends)
{
	const struct bat_table *bat = &subject->bat;

	for (uint32_t i = 0; i < count; i++) {
		struct tied_fragment *f = &out->fragments[out->count++];
		f->fragment = parts[i];
		f->code.address = bat->fragments[parts[i]].address;
		f->code.bytes = bytes_first(
			image_bytes_at(&subject->image, (struct vaddr){f->code.address}),
			binary_fragment_size(subject, parts[i]));
		if (!decode(decoder, subject->image.work, &f->code) ||
		    !insn_tie_vec_reserve(&f->ties, f->code.insns.len + 1) ||
		    !list_blocks(subject, f, blocks))
			return false;
		f->ties.len = f->code.insns.len;
		ends[i] = blocks->len;
		if (!bat->fragments[parts[i]].cold)
			out->hot = i;
	}
	return true;
}

bool insn_ties_make(const struct binary *subject, const struct input *input, uint32_t function,
		    const uint32_t *parts, uint32_t count, struct decoder *decoder,
		    struct tied_function *out)
{
	BC_AUTO(tied_block_vec_free) struct tied_block_vec blocks = {0};
	bool ok = true;

	*out = (struct tied_function){.fragments =
					      calloc(count + (size_t)1, sizeof(*out->fragments))};
	if (!out->fragments)
		return false;
	if (function != NO_FUNCTION) {
		out->in.bytes = input_code_of(input, function);
		out->in.address = input->functions.at[function].address;
		ok = decode(decoder, input->image.work, &out->in);
	}
	bool *starts = calloc(out->in.insns.len + 1, sizeof(*starts));
	size_t *ends = calloc(count + (size_t)1, sizeof(*ends));
	ok = ok && starts && ends &&
	     read_fragments(subject, parts, count, decoder, out, &blocks, ends);
	if (ok)
		mark_starts(&out->in, &blocks, starts);
	for (uint32_t i = 0; ok && i < out->count; i++) {
		struct tying t = {decoder->machine,    out,
				  &out->fragments[i],  starts,
				  subject->image.work, input->image.work};
		ok = tie_fragment(&t, &blocks, i ? ends[i - 1] : 0, ends[i]);
	}
	free(starts);
	free(ends);
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
