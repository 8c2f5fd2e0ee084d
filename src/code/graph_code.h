/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The instructions of a graph and all successors of each block.  Only callers that do not walk in
 * the order of addresses need them, so they are kept on demand.
 */
#ifndef CODE_GRAPH_CODE_H
#define CODE_GRAPH_CODE_H

#include "src/base/attr.h"
#include "src/isa/decoder.h"

struct graph_code {
	struct insn_vec insns; /* all, by offset */
	uint32_t *first_insn;  /* by block, and one more: the number of its first in insns */
	uint32_t *first_next;  /* by block, and one more: where its successors begin in `next` */
	uint32_t *next;        /* numbers of blocks: of each block ascending, each once */
};

struct graph;
struct jump_tables;

/* What it is made of. */
struct graph_code_parts {
	const struct graph *graph; /* blocks and size */
	uint64_t address;          /* of the function */
	const struct insn_vec *insns;
	const struct jump_tables *tables;
	const uint8_t *marks; /* by instruction: */
	uint8_t mark_of_data; /* a bit: data tells its address */
};

/* All but the instructions.  An indirect jump of which no table is known can lead to each block that can be entered, that
 * data names, or that nothing else leads to and that is not of nops alone.  A function of more edges than any compiler makes, GRAPH_MOST_EDGES, has none: empty
 * then.  False when out of memory. */
#define GRAPH_MOST_EDGES ((size_t)1 << 20)
BC_MUST_USE bool graph_code_make(const struct graph_code_parts *parts, struct graph_code *out);
void graph_code_free(struct graph_code *code);

/* The instruction of block `from` that leads to block `to`: the jump that goes there, else its last one. */
const struct insn *graph_code_source(const struct graph *graph, uint64_t address, uint32_t from, uint32_t to);

#endif
