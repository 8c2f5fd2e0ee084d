/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The code of a function of the input, through which traces are walked. */
#ifndef RANGES_BODY_H
#define RANGES_BODY_H

#include "src/restore/ways.h"

#define NO_INSN UINT32_MAX

struct body {
	struct code code; /* no blocks: not known */
	uint32_t *real;   /* per instruction, and one more: how many instructions before it are not nops */
	bool *pad;        /* by block: it begins a landing pad */
	uint32_t *alone;  /* by block: the one instruction that it is but for nops, or NO_INSN */
};

/* Read the code of an output function's input.  Returns false when out of memory. */
BC_MUST_USE bool body_read(const struct pair *pair, const struct function *output, struct body *out);
void body_free(struct body *body);

/* Counts, for each instruction, how many before it are not nops: insns->len + 1 numbers, for
 * free().  NULL: out of memory. */
uint32_t *count_real(const struct insn_vec *insns);

/* The number of the instruction at an offset; NO_INSN: none begins there. */
uint32_t body_insn(const struct body *body, uint32_t offset);

/* Finds the instruction that is `count` instructions behind `from`, nops not counted.  It is no nop
 * itself, and at most the last one of the block. */
uint32_t body_count_on(const struct body *body, uint32_t from, uint32_t count);

/* As body_count_on(), but returns the end of the block if the block has no more than `count`. */
uint32_t body_count_past(const struct body *body, uint32_t from, uint32_t count);

static inline uint32_t body_block_of(const struct body *body, uint32_t insn)
{
	return code_block_at(&body->code, body->code.insns->at[insn].offset);
}

static inline uint64_t body_address(const struct body *body, uint32_t insn)
{
	return body->code.input->address + body->code.insns->at[insn].offset;
}

/* Finds the last instruction that runs in a block when control leaves it for another: the jump to
 * that block, or to the first of the blocks between that llvm-bolt removed, which are put into
 * *way.  NO_INSN: no way is known. */
uint32_t body_end_towards(const struct body *body, uint32_t block, uint32_t to, struct way *way);

#endif
