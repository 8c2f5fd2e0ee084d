/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the bodies of inlined functions counted: each instruction of them in the output is one of
 * the input, and ran as often.  What the output does not have, as calls, returns and jumps, ran as
 * often as control came there.
 */
#include <stdlib.h>

#include "src/flow/restore_pass.h"

/* An instruction of a frame's function. */
struct insn_count {
	uint64_t ran, jumped;
	uint64_t arrives; /* what the ways here bring, if it is not known how often it ran */
	bool known;
	bool begins; /* a jump leads there */
};

struct sums {
	struct pass *pass;
	const struct inlined_frame_vec *frames;
	size_t *first; /* per frame: its first instruction in `at` */
	struct insn_count *at;
};

static const struct insn_vec *code_of(const struct sums *s, uint32_t frame)
{
	return known_calls_code(s->pass->calls, s->frames->at[frame].function);
}

static const struct function *function_of(const struct sums *s, uint32_t frame)
{
	return &s->pass->how->pair->functions.at[s->frames->at[frame].function];
}

static bool is_sound(const struct sums *s, uint32_t frame)
{
	return frame > ROOT_FRAME && !s->frames->at[frame].broken;
}

/* Adds what one fragment counted. */
static void add_fragment(struct sums *s, const struct function *f)
{
	const struct inlined_bodies *inlined = s->pass->how->inlined;
	const struct inlined_code *code = inlined_code_of(inlined, f);
	size_t count = code ? out_function_of(inlined->functions, f)->insns.len : 0;
	uint64_t ran = 0;

	for (size_t i = 0; i < count; i++) {
		const struct inlined_tie *tie = &code->ties[i];
		uint64_t jumped = code->taken[i];
		ran += code->runs[i];
		if (!is_sound(s, tie->frame) || tie->between)
			continue;
		struct insn_count *insn = &s->at[s->first[tie->frame] + tie->insn];
		if (tie->turned)
			jumped = ran > jumped ? ran - jumped : 0;
		insn->known = true;
		insn->ran = count_add_saturating(insn->ran, ran);
		insn->jumped = count_add_saturating(insn->jumped, jumped);
	}
}

/* Gives each instruction that the output does not have what comes there.  Twice: once more for
 * jumps back. */
static void fill_in(struct sums *s, uint32_t frame, uint64_t entered)
{
	const struct insn_vec *code = code_of(s, frame);
	struct insn_count *at = s->at + s->first[frame];

	for (unsigned round = 0; round < 2; round++) {
		for (size_t i = 0; i < code->len; i++)
			at[i].arrives = i ? 0 : entered;
		for (size_t i = 0; i < code->len; i++) {
			const struct insn *insn = &code->at[i];
			uint32_t to = insn_jumps_to(function_of(s, frame), code, insn);
			if (!at[i].known && (!round || at[i].arrives > at[i].ran))
				at[i].ran = at[i].arrives;
			if (insn->kind == INSN_JUMP)
				at[i].jumped = at[i].ran;
			if (to != NO_INSN) {
				at[to].begins = true;
				at[to].arrives = count_add_saturating(at[to].arrives, at[i].jumped);
			}
			if (i + 1 < code->len &&
			    (insn_goes_on(*insn) || insn->kind == INSN_CONDITIONAL))
				at[i + 1].arrives = count_add_saturating(
					at[i + 1].arrives,
					at[i].ran - (at[i].jumped < at[i].ran ? at[i].jumped
									      : at[i].ran));
		}
	}
}

static void add_edge(struct sums *s, const struct function *f, uint32_t from, uint32_t to,
		     uint64_t count)
{
	if (count)
		pass_add(s->pass, (struct record){RECORD_BRANCH, {f, from}, {f, to}, count, 0, 0});
}

/* Does a block end with an instruction that goes on?  A jump within the function right behind a
 * conditional one is in its block. */
static bool ends_block(const struct function *f, const struct insn_vec *code,
		       const struct insn_count *at, size_t insn)
{
	if (insn + 1 == code->len)
		return false;
	const struct insn *next = &code->at[insn + 1];
	if (code->at[insn].kind == INSN_CONDITIONAL)
		return next->kind != INSN_JUMP || !insn_stays(f, next) || at[insn + 1].begins;
	return insn_goes_on(code->at[insn]) && at[insn + 1].begins;
}

/* Adds the steps between the blocks of a body. */
static void add_edges(struct sums *s, uint32_t frame, const struct function *f)
{
	const struct insn_vec *code = code_of(s, frame);
	const struct insn_count *at = s->at + s->first[frame];

	for (size_t i = 0; i < code->len; i++) {
		const struct insn *insn = &code->at[i];
		uint32_t to = insn_jumps_to(function_of(s, frame), code, insn);
		if (to != NO_INSN)
			add_edge(s, f, insn->offset, code->at[to].offset, at[i].jumped);
		if (ends_block(function_of(s, frame), code, at, i) && at[i].ran > at[i].jumped)
			add_edge(s, f, insn->offset, code->at[i + 1].offset,
				 at[i].ran - at[i].jumped);
	}
}

static void add_frame(struct sums *s, uint32_t number, uint64_t entered)
{
	const struct pair *pair = s->pass->how->pair;
	const struct inlined_frame *frame = &s->frames->at[number];
	const struct function *f = pair_output_of(pair, function_of(s, number));

	if (frame->caller != ROOT_FRAME) {
		const struct insn *site = &code_of(s, frame->caller)->at[frame->site];
		const struct insn_count *count = &s->at[s->first[frame->caller] + frame->site];
		const struct function *caller = pair_output_of(pair, function_of(s, frame->caller));
		entered = site->kind == INSN_CONDITIONAL ? count->jumped : count->ran;
		if (f && caller && entered)
			inlined_add_call(s->pass, caller,
					 (struct known_call){site->offset, frame->function, 0},
					 entered);
	}
	fill_in(s, number, entered);
	if (f)
		add_edges(s, number, f);
}

bool bodies_restore(struct pass *pass, const struct inlined_frame_vec *frames,
		    const uint64_t *entered)
{
	struct sums s = {
		.pass = pass, .frames = frames, .first = calloc(frames->len + 1, sizeof(*s.first))};
	const struct binary *binary = pass->binary;
	uint32_t hot = binary->fragment_of[pass->function - binary->functions.at];
	size_t count = 0;

	if (!s.first)
		return false;
	for (uint32_t i = ROOT_FRAME + 1; i < frames->len; i++) {
		s.first[i] = count;
		count += is_sound(&s, i) ? code_of(&s, i)->len : 0;
	}
	s.at = calloc(count + 1, sizeof(*s.at));
	for (uint32_t i = pass->fragments.first[hot]; s.at && i < pass->fragments.first[hot + 1];
	     i++)
		add_fragment(&s, binary_fragment_function(binary, pass->fragments.at[i]));
	for (uint32_t i = ROOT_FRAME + 1; s.at && i < frames->len; i++)
		if (is_sound(&s, i))
			add_frame(&s, i, entered[i]);
	bool ok = s.at;
	free(s.at);
	free(s.first);
	return ok && !pass->out_of_memory;
}
