/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/inlined_bodies.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/isa/same_insn.h"

/* ---- code and calls of small functions of the input ---- */

bool known_calls_open(const struct pair *pair, const struct targets *targets,
		      struct decoder *decoder, struct known_calls *out)
{
	size_t size = (pair->functions.count + 1) * sizeof(*out->begin);

	*out = (struct known_calls){.pair = pair,
				    .targets = targets,
				    .decoder = decoder,
				    .begin = malloc(size),
				    .end = malloc(size),
				    .codes = calloc(pair->functions.count + 1, sizeof(*out->codes)),
				    .looks = pair->image.file.size * LOOKS_EACH + LOOKS_ALWAYS};
	if (!out->begin || !out->end || !out->codes)
		return false;
	memset(out->begin, 0xff, size); /* KNOWN_CALLS_NONE */
	return true;
}

void known_calls_close(struct known_calls *calls)
{
	for (size_t i = 0; calls->codes && i < calls->pair->functions.count; i++) {
		if (calls->codes[i])
			insn_vec_free(calls->codes[i]);
		free(calls->codes[i]);
	}
	free(calls->codes);
	known_call_vec_free(&calls->at);
	free(calls->begin);
	free(calls->end);
}

bool known_calls_spend(struct known_calls *calls, uint64_t looks)
{
	bool enough = calls->looks >= looks;

	calls->looks = enough ? calls->looks - looks : 0;
	return enough;
}

/* Reads the code of a function, as far as it can be decoded; none of a large one.  Returns false
 * when out of memory. */
static bool known_calls_load(struct known_calls *calls, uint32_t function)
{
	const struct function *f = &calls->pair->functions.at[function];
	struct insn_vec *out = calls->codes[function];

	if (out)
		return true;
	out = calls->codes[function] = calloc(1, sizeof(*out));
	if (!out || f->kind == FUNCTION_PLT || f->size > INLINED_MOST)
		return out;
	struct bytes code = bytes_first(
		image_bytes_at(&calls->pair->image, (struct vaddr){f->address}), f->size);
	return decoder_read(calls->decoder, code, f->address, out);
}

/* Where an instruction leaves its function for.  False: it does not, or may not, or that is not
 * known. */
static bool leads_out(const struct known_calls *calls, const struct function *f,
		      const struct insn *insn, struct known_call *out)
{
	const struct function_table *functions = &calls->pair->functions;
	uint32_t callee = targets_beyond(calls->targets, f, insn);
	const struct function *into = NULL;

	if (insn->kind == INSN_CONDITIONAL)
		return false;
	if (callee == NO_TARGET && insn_is_tail_call(f, insn))
		into = functions_find(functions, (struct vaddr){insn->target});
	if (into)
		callee = (uint32_t)(into - functions->at);
	*out = (struct known_call){insn->offset, callee,
				   into ? (uint32_t)(insn->target - into->address) : 0};
	return callee != NO_TARGET;
}

bool known_calls_read(struct known_calls *calls, uint32_t function)
{
	const struct function *f = &calls->pair->functions.at[function];

	if (calls->begin[function] != KNOWN_CALLS_NONE)
		return true;
	if (!known_calls_load(calls, function))
		return false;
	const struct insn_vec *insns = known_calls_code(calls, function);
	calls->begin[function] = calls->end[function] = (uint32_t)calls->at.len;
	for (size_t i = 0; i < insns->len; i++) {
		struct known_call call;
		if (leads_out(calls, f, &insns->at[i], &call) &&
		    !known_call_vec_push(&calls->at, call))
			return false;
	}
	calls->end[function] = (uint32_t)calls->at.len;
	return true;
}

/* ---- calls that a function always makes ---- */

/* The instructions of a function; `open` and `seen` have room for one number, and one mark, for
 * each. */
struct ways {
	const struct function *f;
	const struct insn_vec *insns;
	uint32_t *open;
	bool *seen;
	size_t open_count;
};

/* Notes that control continues at an offset.  False: none of the code that was read begins there.
 * */
static bool goes_to(struct ways *ways, uint64_t offset)
{
	uint32_t i = insns_at(ways->insns, offset);

	if (i == NO_INSN)
		return false;
	if (!ways->seen[i]) {
		ways->seen[i] = true;
		ways->open[ways->open_count++] = i;
	}
	return true;
}

/* Notes where control continues after an instruction.  False: it may leave the function, or go
 * where nothing is known. */
static bool goes_on(struct ways *ways, const struct insn *insn)
{
	const struct function *f = ways->f;
	uint64_t next = (uint64_t)insn->offset + insn->size;

	if (insn_jumps(*insn) &&
	    (!insn_stays(f, insn) || !goes_to(ways, insn->target - f->address)))
		return false;
	if (insn->kind == INSN_CONDITIONAL || insn_goes_on(*insn))
		return goes_to(ways, next) ||
		       (next >= f->size && insn_is_call(*insn)); /* that call does not return */
	return insn->kind == INSN_JUMP || insn->kind == INSN_TRAP;
}

/* Can a function end without the instruction at a location? */
static bool can_avoid(struct ways *ways, uint32_t place)
{
	memset(ways->seen, 0, ways->insns->len * sizeof(*ways->seen));
	ways->open_count = 0;
	goes_to(ways, 0);
	while (ways->open_count) {
		const struct insn *insn = &ways->insns->at[ways->open[--ways->open_count]];
		if (insn->offset != place && !goes_on(ways, insn))
			return true;
	}
	return false;
}

bool known_calls_always(struct known_calls *calls, uint32_t function, struct known_call_vec *out)
{
	if (!known_calls_read(calls, function))
		return false;
	const struct insn_vec *insns = known_calls_code(calls, function);
	struct ways ways = {.f = &calls->pair->functions.at[function],
			    .insns = insns,
			    .open = malloc((insns->len + 1) * sizeof(*ways.open)),
			    .seen = malloc((insns->len + 1) * sizeof(*ways.seen))};
	bool ok = ways.open && ways.seen;

	for (uint32_t i = calls->begin[function]; ok && i < calls->end[function]; i++) {
		struct known_call call = calls->at.at[i];
		if (known_calls_spend(calls, insns->len) && !can_avoid(&ways, call.place))
			ok = known_call_vec_push(out, call);
	}
	free(ways.open);
	free(ways.seen);
	return ok;
}

/* ---- bodies ---- */

#define DEPTH_MOST 16
#define IDLE_MOST  64 /* nops and jumps in a row */

/* A location on both paths: control is there in the output, and there in the input. */
struct place {
	struct out_function *part;
	uint32_t at; /* an instruction of the part */
	uint32_t frame, insn;
	bool promoted; /* the instruction is a call through a pointer, and a comparison with it is
			  passed */
};
DEFINE_VEC(place_vec, struct place);

DEFINE_VEC(body_vec, uint32_t);

/* The function at hand. */
struct search {
	struct out_functions *all;
	struct known_calls *calls;
	const struct targets *output;
	const struct code *code; /* of the input */
	const struct function *owner;
	struct inlined_bodies *out;
	struct inlined_frame_vec *frames;
	struct place_vec open;
	uint32_t *fewer; /* per body of the output: calls that the input has, and the output not */
	struct body_vec called; /* bodies that may have some */
	bool after_call; /* the last instruction that was tied is a call, which may not return */
	bool no_memory;
};

static const struct insn_vec *code_of(const struct search *s, uint32_t frame)
{
	return frame == ROOT_FRAME ? s->code->insns :
				     known_calls_code(s->calls, s->frames->at[frame].function);
}

static const struct function *function_of(const struct search *s, uint32_t frame)
{
	return &s->calls->pair->functions.at[s->frames->at[frame].function];
}

static struct bytes bytes_of(const struct image *image, const struct function *f,
			     const struct insn *insn)
{
	return bytes_first(image_bytes_at(image, (struct vaddr){f->address + insn->offset}),
			   insn->size);
}

/* What follows is not the input's: nothing is said of the body that it is in. */
static void give_up(struct search *s, uint32_t frame)
{
	s->frames->at[frame].broken |= !s->after_call;
}

static void open_place(struct search *s, struct place place)
{
	if (!place_vec_push(&s->open, place))
		s->no_memory = true;
}

static struct inlined_code *code_of_part(const struct search *s, const struct out_function *part)
{
	return &s->out->of[part - s->all->at];
}

static struct inlined_tie *tie_of(const struct search *s, const struct place *place)
{
	return &code_of_part(s, place->part)->ties[place->at];
}

/* The location that a jump of the output leads to within the function.  False: it leaves that. */
static bool jump_in_output(const struct search *s, const struct insn *insn, struct place *out)
{
	const struct function *f =
		functions_find(&s->all->binary->functions, (struct vaddr){insn->target});
	struct out_function *part = f ? out_function_of(s->all, f) : NULL;

	if (!part || part->owner != s->owner || !code_of_part(s, part)->ties)
		return false;
	out->part = part;
	out->at = insns_at(&part->insns, (uint32_t)(insn->target - f->address));
	return out->at != NO_INSN;
}

/* Finds or makes the frame of a function that is called at a site.  0: it cannot be inlined. */
static uint32_t enter(struct search *s, uint32_t caller, uint32_t site, uint32_t callee)
{
	struct inlined_frame_vec *frames = s->frames;
	const struct function *f = &s->calls->pair->functions.at[callee];
	const struct insn_vec *code;

	s->after_call = false; /* what is there is its beginning, or not the input's */
	if (!known_calls_spend(s->calls, frames->len - caller))
		return 0;
	for (uint32_t i = caller + 1; i < frames->len; i++)
		if (frames->at[i].caller == caller && frames->at[i].site == site)
			return i;
	if (f->kind != FUNCTION_CODE || frames->at[caller].depth >= DEPTH_MOST)
		return 0;
	if (!known_calls_load(s->calls, callee)) {
		s->no_memory = true;
		return 0;
	}
	code = known_calls_code(s->calls, callee);
	if (!code->len || !known_calls_spend(s->calls, code->len))
		return 0;
	if (!inlined_frame_vec_push(frames,
				    (struct inlined_frame){callee, caller, site,
							   frames->at[caller].depth + 1, false}))
		s->no_memory = true;
	return s->no_memory ? 0 : (uint32_t)frames->len - 1;
}

/* Goes back to the call that the function of a location came from.  False: the function of the
 * output itself returns. */
static bool leave(const struct search *s, struct place *place)
{
	while (place->frame != ROOT_FRAME) {
		const struct inlined_frame *frame = &s->frames->at[place->frame];
		place->frame = frame->caller;
		place->insn = frame->site + 1;
		if (insn_is_call(code_of(s, frame->caller)->at[frame->site]))
			return true;
	}
	return false;
}

static uint32_t body_of(const struct search *s, uint32_t callee)
{
	return callee == NO_TARGET ? NO_FUNCTION : s->calls->pair->body_of[callee];
}

/* Does the output make this call of the input? */
static bool is_made(const struct search *s, const struct insn *out, uint32_t callee)
{
	uint32_t target = targets_of(s->output, out), body = body_of(s, callee);

	if (!insn_is_branch(*out) || target == NO_TARGET)
		return insn_is_call(*out) || out->kind == INSN_JUMP_INDIRECT; /* nothing is known */
	const struct function *functions = s->all->binary->functions.at;
	bool plt = body != NO_FUNCTION && functions[body].kind == FUNCTION_PLT &&
		   functions[target].kind == FUNCTION_PLT;
	return target == body || plt;
}

enum step { STEP_ON, STEP_SKIP, STEP_END };

/* What the input does between two instructions of the output: jumps, returns from inlined
 * functions, calls of them.  STEP_ON: `*place` is at an instruction that the output has, too, if it
 * is the same way. */
static enum step pass_input(struct search *s, struct place *place)
{
	const struct insn *out = &place->part->insns.at[place->at];

	for (uint32_t steps = 0; steps < INLINED_MOST; steps++) {
		const struct insn_vec *code = code_of(s, place->frame);
		if (place->insn >= code->len) {
			give_up(s, place->frame);
			return STEP_END;
		}
		const struct insn *in = &code->at[place->insn];
		uint32_t callee = targets_beyond(s->calls->targets, function_of(s, place->frame),
						 in),
			 to;
		if (in->nop) {
			place->insn++;
		} else if (in->kind == INSN_JUMP &&
			   (to = insn_jumps_to(function_of(s, place->frame),
					       code_of(s, place->frame), in)) != NO_INSN) {
			place->insn = to;
		} else if (in->kind == INSN_RETURN && place->frame != ROOT_FRAME) {
			struct place behind = *place;
			if (!leave(s, &behind))
				return STEP_ON;
			*place = behind;
		} else if (callee != NO_TARGET && in->kind != INSN_CONDITIONAL &&
			   !is_made(s, out, callee)) {
			uint32_t frame = enter(s, place->frame, place->insn, callee);
			if (!frame) {
				give_up(s, place->frame);
				return STEP_END;
			}
			place->frame = frame;
			place->insn = 0;
		} else {
			return STEP_ON;
		}
	}
	give_up(s, place->frame);
	return STEP_END;
}

/* Follows the two ways after a conditional jump. */
static enum step part_ways(struct search *s, struct place *place, const struct insn *out,
			   const struct insn *in, bool turned)
{
	struct place jumped = *place, on = *place;
	uint32_t to = insn_jumps_to(function_of(s, place->frame), code_of(s, place->frame), in),
		 frame = place->frame;

	on.at++;
	if (to == NO_INSN) { /* a conditional tail call */
		uint32_t callee = targets_beyond(s->calls->targets, function_of(s, frame), in);
		const struct insn *there = turned && on.at < place->part->insns.len ?
						   &place->part->insns.at[on.at] :
						   out;
		bool made = callee == NO_TARGET || is_made(s, there, callee);
		frame = made ? 0 : enter(s, frame, place->insn, callee);
		to = 0;
	}
	bool inside = jump_in_output(s, out, &jumped);
	struct place *taken = turned ? &on : &jumped, *next = turned ? &jumped : &on;
	taken->frame = frame;
	taken->insn = to;
	next->insn++;
	if (frame && (inside || taken == &on))
		open_place(s, *taken);
	if (!inside && next == &jumped) {
		give_up(s, place->frame);
		return STEP_END;
	}
	*place = *next;
	return STEP_ON;
}

#define CHECK_MOST 3 /* instructions before the conditional jump of a comparison */

/* Is there a comparison, and no body of a function that was promoted and then inlined? */
static bool is_check(const struct place *place)
{
	const struct insn_vec *insns = &place->part->insns;
	uint32_t at = place->at;

	while (at < insns->len && at < place->at + CHECK_MOST && insns->at[at].kind == INSN_NEXT)
		at++;
	return at < insns->len && (insns->at[at].kind == INSN_CONDITIONAL ||
				   insn_leads_out(place->part->output, &insns->at[at]));
}

/* llvm-bolt promoted a call through a pointer: comparisons are before it, and before direct calls.
 * All ways lead to that call, but those where a direct call was inlined, too. */
static enum step pass_check(struct search *s, struct place *place, const struct insn *out)
{
	struct place jumped = *place;

	if (!is_check(place)) {
		if (!place->promoted)
			give_up(s, place->frame);
		return STEP_END;
	}
	*tie_of(s, place) = (struct inlined_tie){place->frame, place->insn, .between = true};
	jumped.promoted = true;
	if (out->kind == INSN_CONDITIONAL && jump_in_output(s, out, &jumped))
		open_place(s, jumped);
	place->promoted |= out->kind == INSN_CONDITIONAL;
	place->at++;
	return STEP_SKIP;
}

/* Are two instructions that are not the same one call, as far as it is known? */
static bool is_one_call(const struct place *place, const struct insn *out, const struct insn *in)
{
	bool jumps = in->kind == INSN_JUMP || in->kind == INSN_JUMP_INDIRECT;

	if (insn_is_call(*out)) /* a tail call of an inlined function */
		return jumps && place->frame != ROOT_FRAME;
	return jumps && (out->kind == INSN_JUMP ||
			 out->kind == INSN_JUMP_INDIRECT); /* through the GOT, or promoted */
}

/* Ties the instructions of a location, and continues after them. */
static enum step tie(struct search *s, struct place *place)
{
	const struct image *image = &s->all->binary->image;
	const struct insn *out = &place->part->insns.at[place->at],
			  *in = &code_of(s, place->frame)->at[place->insn];
	struct bytes a = bytes_of(image, place->part->output, out),
		     b = bytes_of(&s->calls->pair->image, function_of(s, place->frame), in);
	bool through_pointer = in->kind == INSN_CALL_INDIRECT || in->kind == INSN_JUMP_INDIRECT;
	bool parts = out->kind == INSN_CONDITIONAL && in->kind == INSN_CONDITIONAL;
	enum same_condition condition =
		parts ? same_condition(image->machine, a, b) : CONDITION_SAME;

	if (through_pointer && (out->kind == INSN_NEXT || out->kind == INSN_CONDITIONAL))
		return pass_check(s, place, out);
	if (condition == CONDITION_OTHER ||
	    !(is_one_call(place, out, in) || same_instruction(image->machine, a, out, b, in))) {
		give_up(s, place->frame);
		return STEP_END;
	}
	*tie_of(s, place) = (struct inlined_tie){place->frame, place->insn,
						 .turned = condition == CONDITION_TURNED};
	s->after_call = insn_is_call(*out);
	place->promoted = false;
	if (parts)
		return part_ways(s, place, out, in, condition == CONDITION_TURNED);
	if (!insn_goes_on(*out))
		return STEP_END;
	place->at++;
	place->insn++;
	return insn_goes_on(*in) || leave(s, place) ? STEP_ON : STEP_END;
}

/* Does a jump to the beginning of the function do what the input does there, which calls it in a
 * body? */
static bool is_own_call(const struct search *s, const struct place *place, const struct insn *out)
{
	const struct insn_vec *code = code_of(s, place->frame);
	const struct insn *in = place->insn < code->len ? &code->at[place->insn] : NULL;

	return in && in->kind == INSN_JUMP && place->frame != ROOT_FRAME &&
	       targets_of(s->output, out) != NO_TARGET &&
	       targets_of(s->output, out) == body_of(s, targets_of(s->calls->targets, in));
}

/* begins: a block of the table begins at the location. */
static void follow(struct search *s, struct place place, bool begins)
{
	enum step step = STEP_ON;

	s->after_call = false;
	for (uint32_t idle = 0; idle < IDLE_MOST && place.at < place.part->insns.len &&
				!s->no_memory && known_calls_spend(s->calls, 1);
	     idle++) {
		const struct insn *out = &place.part->insns.at[place.at];
		const struct inlined_tie *known = tie_of(s, &place);
		bool is_start = known->insn == NO_INSN && !begins;
		if (out->nop) {
			place.at++;
			continue;
		}
		struct place jump = place;
		if (out->kind == INSN_JUMP && !is_start && !known->frame &&
		    !is_own_call(s, &place, out) && jump_in_output(s, out, &place)) {
			if (!begins)
				*tie_of(s, &jump) = (struct inlined_tie){place.frame, place.insn,
									 .between = true};
			begins = false;
			continue;
		}
		if (step == STEP_ON && pass_input(s, &place) == STEP_END)
			return;
		if (known->frame || is_start) {
			if (place.frame != ROOT_FRAME && !place.promoted &&
			    (known->frame != place.frame || known->insn != place.insn))
				give_up(s, place.frame);
			return;
		}
		begins = false;
		step = tie(s, &place);
		if (step == STEP_END)
			return;
		if (step == STEP_ON)
			idle = 0;
	}
}

/* A block of the table, by its entry: where the output has it, and which one of the input it is. */
struct table_block {
	uint32_t entry, at, block;
};

/* Continues to the next block of the table that begins at an instruction of the part, and one of
 * the input. */
static bool next_block(const struct search *s, const struct out_function *part,
		       struct table_block *next)
{
	const struct bat_entry *entries = s->all->binary->bat.entries + part->fragment->first_entry;

	while (next->entry < part->fragment->entry_count) {
		struct bat_entry entry = entries[next->entry++];
		next->at =
			bat_entry_is_branch(entry) ? NO_INSN : insns_at(&part->insns, entry.output);
		next->block = next->at == NO_INSN ?
				      NO_BLOCK :
				      code_block_from(s->code, bat_entry_input(entry));
		if (next->block != NO_BLOCK)
			return true;
	}
	return false;
}

/* The body of a function that an instruction of the input calls and that can be inlined;
 * NO_FUNCTION: none. */
static uint32_t inlinable(const struct search *s, const struct insn *insn)
{
	const struct pair *pair = s->calls->pair;
	bool may = insn->kind != INSN_NEXT && insn_leads_out(s->code->input, insn);
	uint32_t callee = may ? targets_of(s->calls->targets, insn) : NO_TARGET;
	const struct function *f = callee == NO_TARGET ? NULL : &pair->functions.at[callee];

	return f && f->kind == FUNCTION_CODE && f->size <= INLINED_MOST ? pair->body_of[callee] :
									  NO_FUNCTION;
}

/* Does a block of the input call a function that the output calls less often? */
static bool may_have_bodies(const struct search *s, uint32_t block)
{
	uint32_t first = code_first(s->code, block), end = code_end(s->code, block);

	if (!known_calls_spend(s->calls, end - first))
		return false;
	for (uint32_t i = first; i < end; i++) {
		uint32_t body = inlinable(s, &s->code->insns->at[i]);
		if (body != NO_FUNCTION && s->fewer[body])
			return true;
	}
	return false;
}

/* Counts how often the input calls each function, less how often the output does.  *any: one is
 * called less often there.  Returns false when out of memory. */
static bool count_fewer(struct search *s, struct out_function **parts, size_t count, bool *any)
{
	const struct insn_vec *in = s->code->insns;
	size_t left = 0;

	for (size_t i = 0; i < s->called.len; i++)
		s->fewer[s->called.at[i]] = 0;
	s->called.len = 0;
	for (size_t i = 0; i < in->len; i++) {
		uint32_t body = inlinable(s, &in->at[i]);
		if (body == NO_FUNCTION)
			continue;
		if (!s->fewer[body]++ && !body_vec_push(&s->called, body))
			return false;
		left++;
	}
	for (size_t k = 0; k < count && left; k++)
		for (size_t i = 0; i < parts[k]->insns.len && left; i++) {
			const struct insn *insn = &parts[k]->insns.at[i];
			bool may =
				insn->kind != INSN_NEXT && insn_leads_out(parts[k]->output, insn);
			uint32_t to = may ? targets_of(s->output, insn) : NO_TARGET;
			if (to == NO_TARGET || !s->fewer[to])
				continue;
			s->fewer[to]--;
			left--;
		}
	*any = left;
	return true;
}

static void follow_blocks(struct search *s, struct out_function *part)
{
	for (struct table_block next = {0}; next_block(s, part, &next);) {
		if (!may_have_bodies(s, next.block))
			continue;
		follow(s,
		       (struct place){part, next.at, ROOT_FRAME, code_first(s->code, next.block),
				      false},
		       true);
		while (s->open.len)
			follow(s, s->open.at[--s->open.len], false);
	}
}

/* A body within one that is broken is broken. */
static void spread_broken(struct inlined_frame_vec *frames)
{
	for (size_t i = frames->len; i-- > ROOT_FRAME + 1;)
		if (frames->at[i].broken && frames->at[i].caller != ROOT_FRAME)
			frames->at[frames->at[i].caller].broken = true;
	for (size_t i = ROOT_FRAME + 1; i < frames->len; i++)
		if (frames->at[i].caller != ROOT_FRAME)
			frames->at[i].broken |= frames->at[frames->at[i].caller].broken;
}

static bool has_sound(const struct inlined_frame_vec *frames)
{
	for (size_t i = ROOT_FRAME + 1; i < frames->len; i++)
		if (!frames->at[i].broken)
			return true;
	return false;
}

/* Makes what a part is followed with.  The ways end, and begin, at the instructions that blocks of
 * the table begin with, which are marked. */
static bool make_ties(struct search *s, struct out_function *part)
{
	struct inlined_code *code = code_of_part(s, part);

	code->ties = calloc(part->insns.len + 1, sizeof(*code->ties));
	for (struct table_block next = {0}; code->ties && next_block(s, part, &next);)
		code->ties[next.at].insn = NO_INSN;
	return code->ties;
}

/* Makes what a part is counted with, if the function has bodies. */
static bool make_counts(struct search *s, struct out_function *part, bool sound)
{
	struct inlined_code *code = code_of_part(s, part);

	if (!sound) {
		free(code->ties);
		code->ties = NULL;
		return true;
	}
	code->frames = s->frames;
	code->runs = calloc(part->insns.len + 1, sizeof(*code->runs));
	code->taken = calloc(part->insns.len + 1, sizeof(*code->taken));
	return code->runs && code->taken;
}

/* Finds the bodies in the parts of one function. */
static bool find_in(struct search *s, struct out_function **parts, size_t count)
{
	struct inlined_frame root = {
		.function = (uint32_t)(s->code->input - s->calls->pair->functions.at)};
	bool ok = (s->frames = calloc(1, sizeof(*s->frames))) &&
		  inlined_frame_vec_push(s->frames, (struct inlined_frame){0}) &&
		  inlined_frame_vec_push(s->frames, root);

	for (size_t i = 0; ok && i < count; i++)
		ok = make_ties(s, parts[i]);
	for (size_t i = 0; ok && i < count; i++)
		follow_blocks(s, parts[i]);
	ok = ok && !s->no_memory;
	if (ok)
		spread_broken(s->frames);
	bool sound = ok && s->calls->looks && has_sound(s->frames);
	for (size_t i = 0; i < count; i++)
		ok &= make_counts(s, parts[i], sound);
	if (sound && inlined_frames_vec_push(&s->out->frames, s->frames))
		return ok;
	if (s->frames)
		inlined_frame_vec_free(s->frames);
	free(s->frames);
	return ok && !sound;
}

typedef struct out_function *part;
DEFINE_VEC(part_vec, part);

static bool part_less(const part *a, const part *b)
{
	return (*a)->owner != (*b)->owner ? (*a)->owner < (*b)->owner : *a < *b;
}
DEFINE_SORT(sort_parts, part, part_less)

bool inlined_bodies_open(struct out_functions *functions, struct known_calls *calls,
			 const struct targets *output, struct inlined_bodies *out)
{
	struct search search = {.all = functions,
				.calls = calls,
				.output = output,
				.out = out,
				.fewer = calloc(functions_named(&functions->binary->functions) + 1,
						sizeof(*search.fewer))};
	struct part_vec parts = {0};

	*out = (struct inlined_bodies){.functions = functions,
				       .calls = calls,
				       .of = calloc(functions->count + 1, sizeof(*out->of))};
	bool ok = out->of && search.fewer;
	for (size_t i = 0; ok && i < functions->count; i++)
		if (functions->at[i].code && functions->at[i].owner)
			ok = part_vec_push(&parts, &functions->at[i]);
	sort_parts(parts.at, parts.len);
	for (size_t i = 0, end; ok && i < parts.len; i = end) {
		for (end = i + 1; end < parts.len && parts.at[end]->owner == parts.at[i]->owner;)
			end++;
		search.code = parts.at[i]->code;
		search.owner = parts.at[i]->owner;
		bool any;
		ok = count_fewer(&search, parts.at + i, end - i, &any) &&
		     (!any || find_in(&search, parts.at + i, end - i));
	}
	body_vec_free(&search.called);
	free(search.fewer);
	place_vec_free(&search.open);
	part_vec_free(&parts);
	return ok;
}

void inlined_bodies_close(struct inlined_bodies *bodies)
{
	for (size_t i = 0; bodies->of && i < bodies->functions->count; i++) {
		struct inlined_code *code = &bodies->of[i];
		free(code->ties);
		free(code->runs);
		free(code->taken);
	}
	free(bodies->of);
	for (size_t i = 0; i < bodies->frames.len; i++) {
		inlined_frame_vec_free(bodies->frames.at[i]);
		free(bodies->frames.at[i]);
	}
	inlined_frames_vec_free(&bodies->frames);
	*bodies = (struct inlined_bodies){0};
}

const struct inlined_tie *inlined_tie_at(const struct inlined_bodies *bodies,
					 struct output_place place)
{
	const struct inlined_code *code = inlined_code_of(bodies, place.function);
	uint32_t at = code ? insns_at(&out_function_of(bodies->functions, place.function)->insns,
				      place.offset) :
			     NO_INSN;

	if (at == NO_INSN || code->ties[at].frame <= ROOT_FRAME || code->ties[at].between ||
	    code->frames->at[code->ties[at].frame].broken)
		return NULL;
	return &code->ties[at];
}

bool inlined_call_at(const struct inlined_bodies *bodies, struct output_place place,
		     struct input_place *out)
{
	const struct inlined_tie *tie = inlined_tie_at(bodies, place);

	if (!tie)
		return false;
	const struct inlined_frame *frame =
		&inlined_code_of(bodies, place.function)->frames->at[tie->frame];
	const struct function *input = &bodies->functions->pair->functions.at[frame->function];
	const struct insn *insn = &known_calls_code(bodies->calls, frame->function)->at[tie->insn];
	*out = (struct input_place){pair_output_of(bodies->functions->pair, input), insn->offset};
	return out->function && (insn_is_call(*insn) || insn_is_tail_call(input, insn) ||
				 insn->kind == INSN_JUMP_INDIRECT);
}

uint32_t inlined_offset_outside(const struct inlined_bodies *bodies, struct output_place place,
				bool before, uint32_t by_table)
{
	const struct inlined_code *code = inlined_code_of(bodies, place.function);
	const struct out_function *f =
		code ? out_function_of(bodies->functions, place.function) : NULL;
	uint32_t at = !f     ? NO_INSN :
		      before ? out_insn_before(f, place.offset) :
			       insns_at(&f->insns, place.offset);

	if (at == NO_INSN || !code->ties[at].frame)
		return by_table;
	uint32_t frame = code->ties[at].frame, insn = code->ties[at].insn;
	if (frame == ROOT_FRAME && code->ties[at].between && insn)
		insn--;
	for (; frame != ROOT_FRAME; frame = code->frames->at[frame].caller)
		insn = code->frames->at[frame].site;
	uint32_t own = f->code->insns->at[insn].offset;
	return code_block_at(f->code, own) == code_block_at(f->code, by_table) ? by_table : own;
}

void inlined_take_line(const struct inlined_bodies *bodies, struct output_place from, uint32_t to,
		       uint64_t count)
{
	struct inlined_code *code = inlined_code_of(bodies, from.function);
	const struct out_function *f =
		code ? out_function_of(bodies->functions, from.function) : NULL;
	uint32_t first = f ? insns_at(&f->insns, from.offset) : NO_INSN,
		 last = f ? insns_at(&f->insns, to) : NO_INSN;

	if (first == NO_INSN || last == NO_INSN || first > last)
		return;
	atomic_fetch_add_explicit(&code->runs[first], count, memory_order_relaxed);
	atomic_fetch_sub_explicit(&code->runs[last + 1], count, memory_order_relaxed);
}

void inlined_take_branch(const struct inlined_bodies *bodies, struct output_place from,
			 uint64_t count)
{
	struct inlined_code *code = inlined_code_of(bodies, from.function);
	uint32_t at = code ? insns_at(&out_function_of(bodies->functions, from.function)->insns,
				      from.offset) :
			     NO_INSN;

	if (at != NO_INSN)
		atomic_fetch_add_explicit(&code->taken[at], count, memory_order_relaxed);
}
