/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/flow/known_calls.h"

#include <stdlib.h>
#include <string.h>

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

bool known_calls_load(struct known_calls *calls, uint32_t function)
{
	const struct function *f = &calls->pair->functions.at[function];
	struct insn_vec *out = calls->codes[function];

	if (out)
		return true;
	out = calls->codes[function] = calloc(1, sizeof(*out));
	if (!out || f->kind == FUNCTION_PLT || f->size > INLINED_MOST)
		return out;
	struct bytes code = bytes_first(image_bytes_at(&calls->pair->image, (struct vaddr){f->address}), f->size);
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

/* Notes that control goes on at an offset.  False: none of the code that was read begins there. */
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

/* Notes where control goes on behind an instruction.  False: it may leave the function, or go where
 * nothing is known. */
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

/* Can a function end without the instruction at a place? */
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
