/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Control-flow graphs of functions, as BOLT builds them, each built once, when it is first asked
 * for.  For code that BOLT has not moved there is no table that says where its blocks are: the
 * graph is read from the code.
 */
#ifndef CODE_CFG_H
#define CODE_CFG_H

#include "src/base/error.h"
#include "src/elf/functions.h"
#include "src/isa/insn.h"

struct block {
	uint32_t start; /* offset in the function               */
	uint32_t last;  /* offset of its last instruction       */
	uint32_t entry; /* which of the blocks that are entered, counted from the end the first one,
			   if it is */
	uint32_t reach; /* the last block that is reached by going to the next one each time */
	bool to_next;   /* the next block is among its successors */
	bool calls;     /* its last instruction is a call       */
	bool indirect;  /* its last instruction is an indirect jump, and no table of it is known */
	bool entered;   /* an entry point or a landing pad      */
	bool pad;       /* a landing pad, and no entry point    */
};

/* The instructions of a graph and all successors of each block.  Only callers that do not walk in
 * the order of addresses need them, so they are kept on demand. */
struct graph_code {
	struct insn_vec insns; /* all, by offset */
	uint32_t *first_insn;  /* by block, and one more: the number of its first in insns */
	uint32_t *first_next;  /* by block, and one more: where its successors begin in `next` */
	uint32_t *next;        /* numbers of blocks: of each block ascending, each once */
};

struct graph {
	struct block *blocks; /* by offset, without gaps; the first at 0 */
	uint32_t count;       /* 0: BOLT builds no graph of this function */
	uint32_t size;        /* of the function, in bytes */
	bool takes_own;       /* the function takes an address inside its own code */
	bool unknown_jumps;   /* it has an indirect jump of which BOLT cannot know where it leads.
				 BOLT attaches a profile all the same, and leaves the function out
				 of its figures, and of what it optimizes */
	uint64_t *starts;     /* a bit for each byte that an instruction begins at; NULL: empty */
	bool has_code;        /* it was asked for */
	/* Empty if the function has more edges than any compiler makes, GRAPH_MOST_EDGES.  An
	 * indirect jump of which no table is known can lead to each block that can be entered, that
	 * data names, or that nothing else leads to and that is not of nops alone. */
	struct graph_code code;
};
#define GRAPH_MOST_EDGES ((size_t)1 << 20)

/* Zeroed: none was built. */
struct cfg {
	const struct function_table *functions; /* borrowed */
	struct graph **of;                      /* by code number; NULL: not built */
	bool no_disassembler; /* for some functions libLLVM is needed, and missing */
};

/* Build the graphs of functions that have none yet, given as indices into the table in any order
 * and repeated at will, on up to `threads` threads.  All calls for one `cfg` are of the same
 * binary.
 *
 * What BOLT refuses has an empty graph: code that cannot be decoded, a branch into the middle of an
 * instruction, without relocations also a function that the compiler split.
 *
 * BC_FORMAT  tables that would be read too often: work.h
 * BC_NOMEM */
BC_MUST_USE bool cfg_build(const struct image *image, const struct function_table *functions,
			   const uint32_t *chosen, size_t count, unsigned threads, struct cfg *cfg,
			   struct bc_error *err);

/* The same, with the code of each graph.  A graph that was built without is built again: pointers
 * into it do not stay. */
BC_MUST_USE bool cfg_build_code(const struct image *image, const struct function_table *functions,
				const uint32_t *chosen, size_t count, unsigned threads,
				struct cfg *cfg, struct bc_error *err);
void cfg_free(struct cfg *cfg);

/* The graph of a function; NULL if it was not built, or if the function is a name without code. */
static inline const struct graph *cfg_find(const struct cfg *cfg, const struct function *function)
{
	struct code_number number;

	if (!cfg->of ||
	    !functions_code_of(cfg->functions, functions_name_number(cfg->functions, function),
			       &number))
		return NULL;
	return cfg->of[number.v];
}

/* ---- one graph ---- */

/* The index of the block that holds an offset within the function. */
uint32_t graph_block_at(const struct graph *graph, uint64_t offset);

/* The index of the block that begins at an offset; graph->count if none does. */
uint32_t graph_block_starting(const struct graph *graph, uint64_t offset);

/* The instruction that begins at an offset of a graph with its code, or NULL. */
static inline const struct insn *graph_insn_at(const struct graph *graph, uint64_t offset)
{
	uint32_t number = insns_at(&graph->code.insns, offset);

	return number == NO_INSN ? NULL : &graph->code.insns.at[number];
}

/* The instruction of block `from` that leads to block `to`: the jump that goes there, else its last
 * one.  address: of the function, whose graph has its code */
const struct insn *graph_code_source(const struct graph *graph, uint64_t address, uint32_t from,
				     uint32_t to);

/* The fall-through between two taken branches. */
struct fall_through {
	uint32_t from, to; /* offsets in the function: where it began, and its last instruction */
	bool may_follow_call; /* it followed a branch that can be the return from a call of the
				 block before */
	bool after_return;    /* that branch was a return */
};

enum walk_result {
	WALK_EDGES,
	WALK_ONE_BLOCK, /* it stayed in one block                     */
	WALK_INVALID,   /* no fall-through can be there */
};

/* WALK_EDGES: the fall-through went through blocks *first to *last, *first < *last, and each of
 * them but the last has an edge to the next one.  Else *first and *last show nothing.
 * from <= to. */
enum walk_result graph_walk(const struct graph *graph, const struct fall_through *fall,
			    uint32_t *first, uint32_t *last);

/* ---- one instruction of a function ---- */

/* Is the target of a direct jump or call within a function? */
static inline bool insn_stays(const struct function *function, const struct insn *insn)
{
	return insn->target - function->address < function->size;
}

/* Is it a jump or conditional jump out of its function? */
static inline bool insn_is_tail_call(const struct function *function, const struct insn *insn)
{
	return insn_jumps(*insn) && !insn_stays(function, insn);
}

/* Does an instruction lead to other functions, by a call or a jump? */
static inline bool insn_leads_out(const struct function *function, const struct insn *insn)
{
	return insn_is_call(*insn) || insn->kind == INSN_JUMP_INDIRECT ||
	       insn_is_tail_call(function, insn);
}

/* The number of the instruction that a direct jump leads to within its function, of the function's
 * instructions; NO_INSN: it leaves the function, is no jump, or leads to what was not read. */
static inline uint32_t insn_jumps_to(const struct function *function, const struct insn_vec *insns,
				     const struct insn *insn)
{
	bool stays = insn_jumps(*insn) && insn_stays(function, insn);

	return stays ? insns_at(insns, insn->target - function->address) : NO_INSN;
}

#endif
