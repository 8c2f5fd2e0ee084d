/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function of the input: its code, in which a trace is walked. */
#ifndef RANGES_BODY_H
#define RANGES_BODY_H

#include "src/restore/ways.h"

#define NO_INSN UINT32_MAX

struct body {
	struct code code; /* no blocks: not known */
	uint32_t *real;   /* per instruction, and one more: how many before it are no nops */
	bool *pad;        /* by block: it begins a landing pad */
	uint32_t *alone;  /* by block: the one instruction that it is but for nops, or NO_INSN */
};

/* Read the code of an output function's input.  Returns false when out of memory. */
BC_MUST_USE bool body_read(const struct pair *pair, const struct cfg *graphs, const struct function *output,
			   struct body *out);
void body_free(struct body *body);

/* How many instructions before each one are no nops: insns->len + 1 numbers, for free().  NULL: out of memory. */
uint32_t *count_real(const struct insn_vec *insns);

/* The number of the instruction at an offset; NO_INSN: none begins there. */
uint32_t body_insn(const struct body *body, uint32_t offset);

/* The instruction that so many others than nops stand before, counted from instruction `from` on: itself no nop, and at
 * most the last of its block. */
uint32_t body_count_on(const struct body *body, uint32_t from, uint32_t count);

/* The same, or the end of the block: it has no more than those. */
uint32_t body_count_past(const struct body *body, uint32_t from, uint32_t count);

static inline uint32_t body_block_of(const struct body *body, uint32_t insn)
{
	return code_block_at(&body->code, body->code.insns->at[insn].offset);
}

static inline uint64_t body_address(const struct body *body, uint32_t insn)
{
	return body->code.input->address + body->code.insns->at[insn].offset;
}

/* The last instruction that runs in a block which is left for another: the jump to that, or to the first of the
 * blocks on the way there that llvm-bolt took out, which are in *way.  NO_INSN: no way is known. */
uint32_t body_end_towards(const struct body *body, uint32_t block, uint32_t to, struct way *way);

#endif
