/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of the output in which something ran, and their cold fragments: their code, the blocks
 * of the table, what the input runs on the way from each block to the next, and where in the input
 * an instruction of the output is.
 */
#ifndef CODE_OUT_FUNCTIONS_H
#define CODE_OUT_FUNCTIONS_H

#include <stdatomic.h>

#include "src/elf/binary.h"
#include "src/code/pair.h"

/* What a block of the output is in the input. */
enum out_block_kind {
	OUT_BLOCK_OWN, /* its code                                                    */
	/* A block that llvm-bolt made, at an instruction within a block of the input (a call that
	   it promoted): */
	OUT_BLOCK_CALL,  /* it begins with a call: that instruction */
	OUT_BLOCK_AFTER, /* what is after that                 */
	OUT_BLOCK_CHECK, /* a comparison: nothing of the input      */
};

/* Entries of the table of one output offset; the last one is of the code there. */
struct out_block {
	uint32_t output;
	uint32_t input, first_input; /* of the last entry and of the first */
	uint32_t first;              /* its first instruction, of the function's */
	uint32_t start;              /* the number of that instruction in the code, */
	uint32_t block;              /* and its block */
	enum out_block_kind kind;
	uint32_t end; /* the last instruction of the input before the next block; start - 1: none */
	uint32_t passed, passed_count; /* in `passed` of the function: blocks between */
};
DEFINE_VEC(out_block_vec, struct out_block);
DEFINE_VEC(passed_vec, uint32_t);

struct out_function {
	const struct function *output;
	const struct bat_fragment *fragment; /* NULL: it is not in the table */
	const struct function
		*owner; /* the output's function that represents the input's; NULL: not known */
	const struct function *input; /* the input's function itself; NULL: not known */
	struct insn_vec insns;        /* as far as they can be decoded */
	const struct code *code;      /* of a fragment, in the input; NULL: not known */
	/* All that follows is there if the functions are `walked`. */
	uint32_t *real;  /* per instruction, and one more: how many before it are no nops */
	uint32_t *stops; /* likewise: how many before it do not continue, or call */
	struct out_block_vec blocks; /* by output offset, the first at 0; none: not known */
	struct passed_vec passed;
	/* Differences of counts, by block and one more: how often what lies between its start and
	 * end ran, and how often the blocks after it were passed. */
	_Atomic uint64_t *whole, *beyond;
};

/* The number of the last instruction that begins before an output offset; NO_INSN: none does. */
uint32_t out_insn_before(const struct out_function *f, uint64_t offset);

/* The block that holds an output offset; NO_OUT_BLOCK: it lies before the first. */
#define NO_OUT_BLOCK UINT32_MAX
uint32_t out_block_at(const struct out_function *f, uint32_t offset);

/* Can control fall through from the one instruction to the other? */
static inline bool out_runs(const struct out_function *f, uint32_t from, uint32_t to)
{
	return f->stops[to] == f->stops[from];
}

/* Does the instruction before one end there, and is it a call? */
static inline bool out_follows_call(const struct out_function *f, uint32_t insn)
{
	return insn && insn_is_call(f->insns.at[insn - 1]);
}

struct out_functions {
	const struct binary *binary;
	const struct pair *pair;
	bool walked;             /* traces are to be walked through their code */
	struct out_function *at; /* by output address */
	size_t count;
	uint32_t *of; /* per function of the output: its number, or NO_OUT_FUNCTION */
};
#define NO_OUT_FUNCTION UINT32_MAX

/* Reads the code of functions of the output: those that are marked in `entered`, and with the input
 * at hand, `pair`, which has the graphs of the executed code, all fragments of each function that
 * is marked in `ran`: they are marked, too.  What a function is in the input is not known if the
 * table does not fit.  Returns false when out of memory; *out is to be closed all the same. */
BC_MUST_USE bool out_functions_open(const struct binary *binary, const struct pair *pair,
				    const atomic_bool *ran, atomic_bool *entered, bool walked,
				    unsigned threads, struct out_functions *out);
void out_functions_close(struct out_functions *all);

/* What was read of a function, or NULL. */
static inline struct out_function *out_function_of(const struct out_functions *all,
						   const struct function *output)
{
	uint32_t number = output ? all->of[output - all->binary->functions.at] : NO_OUT_FUNCTION;

	return number == NO_OUT_FUNCTION ? NULL : &all->at[number];
}

/* ---- locations in the code of the input ---- */

/* Where a branch leaves the input's code. */
struct exit_site {
	uint32_t out_block;
	uint32_t last; /* the last instruction that runs */
	uint32_t tail; /* the jump of another block that is run then, which llvm-bolt joined with
			  that; or NO_INSN */
	bool sited;    /* it is the input's own branch, not one that llvm-bolt inserted */
	bool leads; /* the input's block can go where the output's jump goes, maybe through blocks
		       that llvm-bolt removed */
};

/* For an instruction of a function whose code in the input is known, after the beginning of the
 * first block. */
struct exit_site find_exit(const struct binary *binary, const struct out_function *f,
			   uint32_t insn);

/* Where a fall-through begins in the input's code. */
struct entry_site {
	uint32_t out_block; /* the first block whose code runs; after a call that returned, the
			       block before */
	uint32_t start;     /* the first instruction; after the end of the block if nothing of that
			       runs */
};

/* after_call: a return led there, from the call that ends there. */
struct entry_site find_entry(const struct binary *binary, const struct out_function *f,
			     uint32_t insn, bool after_call);

#endif
