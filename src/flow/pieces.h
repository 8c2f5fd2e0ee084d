/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of the output in which something ran, and their cold fragments: their code, the blocks of the table, what the input
 * runs on the way from each block to the next, and where in the input an instruction of the output stands.
 */
#ifndef FLOW_PIECES_H
#define FLOW_PIECES_H

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

/* Decodes a function.  Where an instruction cannot be decoded it ends: nothing behind that ran.  Returns false when out of memory. */
BC_MUST_USE bool function_decode(const struct image *image, const struct function *f, struct decoder *decoder, struct insn_vec *out);

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

struct pieces {
	const struct binary *binary;
	const struct pair *pair;
	struct piece *at;     /* by output address */
	size_t count;
	uint32_t *of;         /* per function of the output: its number, or NO_PIECE */
};
#define NO_PIECE UINT32_MAX

/* Reads the code of functions of the output: those that are marked in `entered`.  pair: with the graphs of these, or NULL.  A piece has
 * no code of the input if the table does not fit.  Returns false when out of memory; the pieces are to be closed all the same. */
BC_MUST_USE bool pieces_open(const struct binary *binary, const struct pair *pair, const atomic_bool *entered, unsigned threads,
			     struct pieces *out);
void pieces_close(struct pieces *pieces);

/* The piece of a function, or NULL. */
static inline struct piece *pieces_of(const struct pieces *pieces, const struct function *output)
{
	uint32_t number = output ? pieces->of[output - pieces->binary->functions.at] : NO_PIECE;

	return number == NO_PIECE ? NULL : &pieces->at[number];
}

/* ---- places in the code of the input ---- */

/* Where a branch leaves the input's code. */
struct leave {
	uint32_t group;
	uint32_t last; /* the last instruction that runs */
	uint32_t tail; /* the jump of another block that is run then, which llvm-bolt joined with that; or NO_INSN */
	bool sited;    /* it is the input's own branch, not one that llvm-bolt put in */
	bool leads;    /* the input's block can go where the output's jump goes, maybe through blocks that llvm-bolt removed */
};

/* For an instruction of a piece that has a code, behind the beginning of the first group. */
struct leave locate_leave(const struct binary *binary, const struct piece *piece, uint32_t insn);

/* Where a straight line begins in the input's code. */
struct enter {
	uint32_t group; /* the first group whose code runs; behind a call that returned, the group before */
	uint32_t start; /* the first instruction; behind the end of the group if nothing of that runs */
};

/* after_call: a return led there, from the call that ends there. */
struct enter locate_enter(const struct binary *binary, const struct piece *piece, uint32_t insn, bool after_call);

#endif
