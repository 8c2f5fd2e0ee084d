/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The code of a function of the input: its instructions, its blocks as llvm-bolt cuts them (those
 * of its control-flow graph, and those that the table has a hash of), where each block can lead,
 * and which blocks llvm-bolt removes.  Every question about code of the input is asked here.
 *
 * The code of a function is read once, by pair_build_graphs(), and then shared by all threads.
 */
#ifndef CODE_CODE_H
#define CODE_CODE_H

#include "include/bat/bat.h"
#include "src/code/cfg.h"

/* Zeroed: nothing is known. */
struct code {
	const struct function *input;
	const struct insn_vec *insns; /* borrowed from the graph */
	const struct graph *graph;    /* its blocks: the function's, or `cut` */
	uint32_t count;               /* of blocks; 0: not known */
	uint32_t *real;    /* per instruction, and one more: how many before it are no nops */
	bool misfits;      /* there are no blocks, as an offset of the table is not that of an
			   instruction */
	struct graph *cut; /* where the table has a hash and the graph has no beginning of a
			      block; else NULL */
};

/* Reads the code of a function of the input, by its graph; `fragment` is its code in the output. It
 * has no blocks if the table has an offset that is not that of an instruction.  Returns false when
 * out of memory. */
BC_MUST_USE bool code_read(const struct bat_table *bat, uint32_t fragment,
			   const struct function *input, const struct graph *graph,
			   struct code *out);
void code_free(struct code *code);

#define NO_BLOCK UINT32_MAX

/* ---- instructions, by number ---- */

static inline uint64_t code_address(const struct code *code, uint32_t insn)
{
	return code->input->address + code->insns->at[insn].offset;
}

/* Finds the instruction that is `count` instructions after `from`, nops not counted.  It is no nop
 * itself, and at most the last one of the block. */
uint32_t code_count_on(const struct code *code, uint32_t from, uint32_t count);

/* As code_count_on(), but returns the end of the block if the block has no more than `count`. */
uint32_t code_count_past(const struct code *code, uint32_t from, uint32_t count);

/* Counts, for each instruction, how many before it are not nops: insns->len + 1 numbers, for
 * free().  NULL: out of memory. */
uint32_t *count_real(const struct insn_vec *insns);

/* ---- blocks, by number ---- */

static inline uint32_t code_start(const struct code *code, uint32_t block)
{
	return code->graph->blocks[block].start;
}

/* The instructions of a block: [first, end). */
static inline uint32_t code_first(const struct code *code, uint32_t block)
{
	return code->graph->code.first_insn[block];
}

static inline uint32_t code_end(const struct code *code, uint32_t block)
{
	return code->graph->code.first_insn[block + 1];
}

/* The blocks that a block leads to, ascending; none where a jump can lead anywhere. */
struct successors {
	const uint32_t *at;
	uint32_t count;
};

static inline struct successors code_successors(const struct code *code, uint32_t block)
{
	const struct graph_code *known = &code->graph->code;
	uint32_t first = known->first_next[block], count = known->first_next[block + 1] - first;

	return count && !code->graph->blocks[block].indirect ?
		       (struct successors){known->next + first, count} :
		       (struct successors){0};
}

/* Does llvm-bolt remove a block?  code_is_removable() */
bool code_removes(const struct code *code, uint32_t block);

/* The block that holds an offset, or that begins there; NO_BLOCK: none does. */
uint32_t code_block_at(const struct code *code, uint32_t offset);
uint32_t code_block_from(const struct code *code, uint32_t offset);

static inline uint32_t code_block_of(const struct code *code, uint32_t insn)
{
	return code_block_at(code, code->insns->at[insn].offset);
}

bool code_leads(const struct code *code, uint32_t from, uint32_t to);

/* For a block that can lead to another: the instruction that jumps there, or the block's last one.
 */
uint32_t code_jump(const struct code *code, uint32_t from, uint32_t to);

/* The only block that a block leads to; NO_BLOCK: it leads to several, or out of the function, or
 * to none. */
uint32_t code_only_successor(const struct code *code, uint32_t block);

/* Is a block nothing but a jump to another function? */
bool code_is_tail_call(const struct code *code, uint32_t block);

/* The only block that can lead to each of two blocks; NO_BLOCK: none does, or several do.  Looks at
 * all blocks. */
uint32_t code_block_before(const struct code *code, uint32_t one, uint32_t other);

/* The only block that is nothing but a conditional jump, and through which control can go from a
 * block to another; NO_BLOCK: as above. */
uint32_t code_condition_between(const struct code *code, uint32_t from, uint32_t to);

/* The offset of a block's last instruction that is no nop; of a block of nops alone that of the
 * last one. */
uint32_t code_last(const struct code *code, uint32_t block);

/* The offset by which llvm-bolt knows that a step leaves a block: the same if it is that of a
 * branch, a call, or the last instruction, else that of the first one.  It ignores all others. */
uint32_t code_source(const struct code *code, uint32_t offset);

/* ---- paths through blocks that llvm-bolt removed: the output leads past them, the input goes
 * through ---- */

/* The most blocks on a way, and the most that one search visits. */
#define WAY_MOST 16

enum way_kind {
	WAY_AS_IS,  /* it is an edge of the input */
	WAY_ANY,    /* it leaves a block whose jump can lead anywhere */
	WAY_NONE,   /* it is no edge, and there is no path through removed blocks */
	WAY_WITHIN, /* it stays in the block, and begins none: no edge       */
	WAY_FOUND,  /* it leads through blocks that were removed             */
};

struct way {
	uint32_t blocks[WAY_MOST]; /* in order, without the first and last one */
	uint32_t count;
};

/* Finds the way between two offsets of a function whose code is known. */
enum way_kind code_way(const struct code *code, uint32_t from, uint32_t to, struct way *out);

/* Finds the last instruction that runs in a block when control leaves it for another: the jump to
 * that block, or to the first of the blocks between that llvm-bolt removed, which are put into
 * *way.  NO_INSN: no path is known. */
uint32_t code_end_towards(const struct code *code, uint32_t block, uint32_t to, struct way *way);

/* ---- ways out of a function ---- */

/* A direct jump to another function, or a return, and the blocks on the path there from a block,
 * the last of which ends with it; none: the block does. */
struct way_out {
	uint32_t block, insn;
	struct way way;
};

/* Lists the ways out of a function from a block on which llvm-bolt can have left out the jumps: it
 * lets a jump lead past blocks that only jump on, to another function, too, and puts a copy of a
 * block instead of the jump to it.  Returns how many there are, at most WAYS_OUT_MOST. */
#define WAYS_OUT_MOST 8
uint32_t code_ways_out(const struct code *code, uint32_t block, struct way_out out[WAYS_OUT_MOST]);

/* Finds the first of them that ends with a return. */
bool code_way_to_return(const struct code *code, uint32_t block, struct way_out *out);

/* Does llvm-bolt remove a block of these instructions?  It deletes blocks of nops, and lets jumps
 * lead past blocks that only jump on within the function. */
bool code_is_removable(const struct function *f, const struct insn *first, const struct insn *end);

#endif
