/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/ranges/body.h"

#include <stdlib.h>

#include "src/base/search.h"

uint32_t *count_real(const struct insn_vec *insns)
{
	uint32_t *real = malloc((insns->len + 1) * sizeof(*real)), sum = 0;

	for (size_t i = 0; real && i < insns->len; i++) {
		real[i] = sum;
		sum += !insns->at[i].nop;
	}
	if (real)
		real[insns->len] = sum;
	return real;
}

static bool find_alone(struct body *body)
{
	body->alone = calloc(body->code.blocks.len, sizeof(*body->alone));
	for (uint32_t i = 0; body->alone && i < body->code.blocks.len; i++) {
		const struct insn *insn = code_alone(&body->code, i);
		body->alone[i] = insn ? (uint32_t)(insn - body->code.insns->at) : NO_INSN;
	}
	return body->alone;
}

static bool find_pads(const struct graph *graph, struct body *body)
{
	body->pad = calloc(body->code.blocks.len, sizeof(*body->pad));
	for (uint32_t i = 0; body->pad && i < graph->count; i++) {
		uint32_t block = code_block_from(&body->code, graph->blocks[i].start);
		if (block != NO_BLOCK)
			body->pad[block] = graph->blocks[i].pad;
	}
	return body->pad;
}

bool body_read(const struct pair *pair, const struct function *output, struct body *out)
{
	*out = (struct body){0};
	if (!code_read(pair, output, &out->code))
		return false;
	if (!out->code.blocks.len)
		return true;
	out->real = count_real(out->code.insns);
	return out->real && find_alone(out) && find_pads(cfg_find(&pair->graphs, out->code.input), out);
}

void body_free(struct body *body)
{
	code_free(&body->code);
	free(body->real);
	free(body->pad);
	free(body->alone);
	*body = (struct body){0};
}

uint32_t body_insn(const struct body *body, uint32_t offset)
{
	const struct insn *insn = code_insn(&body->code, offset);

	return insn ? (uint32_t)(insn - body->code.insns->at) : NO_INSN;
}

DEFINE_SEARCH(real_above, uint32_t, uint32_t, *item <= key)

uint32_t body_count_past(const struct body *body, uint32_t from, uint32_t count)
{
	uint32_t end = body->code.blocks.at[body_block_of(body, from)].end;
	uint32_t found = from + (uint32_t)real_above(body->real + from, end - from + 1, body->real[from] + count);

	/* `found` is the first instruction with more than that many before the next one; we want
	 * the one before it. */
	return found - 1 < end ? found - 1 : end;
}

uint32_t body_count_on(const struct body *body, uint32_t from, uint32_t count)
{
	uint32_t last = body->code.blocks.at[body_block_of(body, from)].end - 1;
	uint32_t found = body_count_past(body, from, count);

	return found < last ? found : last;
}

/* How many instructions at the end of a block are searched for its jumps.  It has a conditional
 * jump and another one at most, so it need not be read from its beginning for each trace. */
#define JUMPS_BEFORE_END 8

static uint32_t jump_to(const struct body *body, uint32_t block, uint32_t to)
{
	const struct code_block *b = &body->code.blocks.at[block];
	uint64_t target = body_address(body, body->code.blocks.at[to].first);
	uint32_t found = b->end - 1;

	for (uint32_t i = b->end; i > b->first && b->end - i < JUMPS_BEFORE_END; i--) {
		const struct insn *insn = &body->code.insns->at[i - 1];
		if ((insn->kind == INSN_JUMP || insn->kind == INSN_CONDITIONAL) && insn->target == target)
			found = i - 1;
	}
	return found;
}

uint32_t body_end_towards(const struct body *body, uint32_t block, uint32_t to, struct way *way)
{
	const struct code *code = &body->code;

	way->count = 0;
	if (code_leads(code, block, to))
		return jump_to(body, block, to);
	if (way_find(code, code_last(code, block), code->blocks.at[to].start, way) != WAY_FOUND)
		return NO_INSN;
	return jump_to(body, block, way->blocks[0]);
}
