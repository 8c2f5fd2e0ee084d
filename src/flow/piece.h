/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A function of the output in which something ran, or one of its cold fragments: its code, the
 * blocks of the table, and what the input runs on the way from each block to the next.
 */
#ifndef FLOW_PIECE_H
#define FLOW_PIECE_H

#include <stdatomic.h>

#include "src/elf/translate.h"
#include "src/pair/pair.h"

/* What a block of the output is in the input. */
enum group_kind {
	GROUP_BLOCK, /* its code                                                    */
	/* A block that llvm-bolt made, at an instruction within a block of the input (a call that it promoted): */
	GROUP_CALL,  /* it begins with a call: that instruction */
	GROUP_AFTER, /* what stands behind that                 */
	GROUP_CHECK, /* a comparison: nothing of the input      */
};

/* Entries of the table of one output offset; the last one is of the code there. */
struct group {
	uint32_t output;
	uint32_t input, first_input; /* of the last entry and of the first */
	uint32_t first;  /* its first instruction, of the piece's */
	uint32_t start;  /* the number of that instruction in the code, */
	uint32_t block;  /* and its block */
	enum group_kind kind;
	uint32_t end;    /* the last instruction of the input before the next group; start - 1: none */
	uint32_t passed, passed_count; /* in piece->passed: blocks between */
};
DEFINE_VEC(group_vec, struct group);
DEFINE_VEC(passed_vec, uint32_t);

struct piece {
	const struct function *output;
	const struct bat_fragment *fragment; /* NULL: it is not in the table */
	const struct function *owner; /* the output's function that stands for the input's; NULL: not known */
	const struct function *input; /* the input's function itself; NULL: not known */
	struct insn_vec insns;
	uint32_t *real;  /* per instruction, and one more: how many before it are no nops */
	uint32_t *stops; /* likewise: how many before it do not go on, or call */
	const struct code *code; /* of a fragment; NULL: not known */
	struct group_vec groups; /* by output offset, the first at 0 */
	struct passed_vec passed;
	/* Differences of counts, by group and one more: how often what lies between its start and end ran, and how
	 * often the blocks behind it were passed. */
	_Atomic uint64_t *whole, *beyond;
};

/* Decode the code of a function, and with a code its groups; there is no code then if the table does not fit.  Sets
 * insns, real, stops, groups, passed, whole and beyond.  Returns false when out of memory. */
BC_MUST_USE bool piece_read(const struct binary *binary, struct decoder *decoder, struct piece *piece);
void piece_free(struct piece *piece);

/* The number of the instruction at an output offset; NO_INSN: none begins there. */
uint32_t piece_insn(const struct piece *piece, uint32_t offset);

/* The group that holds an output offset; NO_GROUP: it lies before the first. */
#define NO_GROUP UINT32_MAX
uint32_t piece_group(const struct piece *piece, uint32_t offset);

/* Can code run in a straight line from the one instruction to the other? */
static inline bool piece_runs(const struct piece *piece, uint32_t from, uint32_t to)
{
	return piece->stops[to] == piece->stops[from];
}

/* Does the instruction before one end there, and is it a call? */
static inline bool piece_follows_call(const struct piece *piece, uint32_t insn)
{
	return insn && insn_is_call(piece->insns.at[insn - 1]);
}

#endif
