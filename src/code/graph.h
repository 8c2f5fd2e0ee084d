/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The control-flow graph of a function, as BOLT builds it; what of it a walk in
 * the order of addresses needs: which block can be followed by the next one.
 */
#ifndef CODE_GRAPH_H
#define CODE_GRAPH_H

#include "src/code/fragments.h"
#include "src/code/graph_code.h"
#include "src/isa/decoder.h"
#include "src/code/labels.h"
#include "src/code/relocs.h"
#include "src/code/table_references.h"

struct block {
	uint32_t start; /* offset in the function               */
	uint32_t last;  /* offset of its last instruction       */
	uint32_t entry; /* which of the blocks that are entered, counted from behind the first one, if it is */
	uint32_t reach; /* the last block that is reached by going to the next one each time */
	bool to_next;   /* the next block is among its successors */
	bool calls;     /* its last instruction is a call       */
	bool indirect;  /* its last instruction is an indirect jump, and no table of it is known */
	bool entered;   /* an entry point or a landing pad      */
	bool pad;       /* a landing pad, and no entry point    */
};

struct graph {
	struct block *blocks; /* by offset, without gaps; the first at 0 */
	uint32_t count;       /* 0: BOLT builds no graph of this function */
	uint32_t size;        /* of the function, in bytes */
	bool takes_own;       /* the function takes an address inside its own code */
	bool unknown_jumps;   /* it has a jump of which its code does not say where it leads */
	uint64_t *starts;     /* a bit for each byte that an instruction begins at; NULL: empty */
	bool has_code;          /* it was asked for, and is empty only if the function is too large */
	struct graph_code code;
};

/* What is known of the binary before a function is looked at. */
struct graph_input {
	const struct image *image;
	const struct function_table *functions;
	const struct relocs *relocs;
	const struct fragment_vec *fragments; /* none if there are relocations */
	const struct label_vec *labels; /* sorted */
	struct table_references *references; /* of code to jump tables, of all functions */
	bool keep_code;
};

/* Build the graph of a function.  One that BOLT refuses is empty: code that
 * cannot be decoded, a branch into the middle of an instruction, without
 * relocations also a function that the compiler split.  False when out of memory, or when
 * it is too much work. */
bool graph_build(const struct graph_input *input, struct decoder *decoder,
		 const struct function *function, struct graph *out);
void graph_free(struct graph *graph);

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
	return insn_is_call(*insn) || insn->kind == INSN_JUMP_INDIRECT || insn_is_tail_call(function, insn);
}

/* The index of the block that begins at an offset; graph->count if none does. */
uint32_t graph_block_starting(const struct graph *graph, uint64_t offset);

#endif
