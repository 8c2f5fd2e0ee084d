/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The blocks of a function of the input, as llvm-bolt cuts them: those of its control-flow graph, and
 * those that the table has a hash of; and where each can lead.
 */
#ifndef RESTORE_CODE_H
#define RESTORE_CODE_H

#include "src/cfg/cfg.h"
#include "src/pair/pair.h"

struct code_block {
	uint32_t start;
	uint32_t first, end;       /* its instructions: [first, end) */
	uint32_t succ, succ_count; /* in code->successors: ascending, maybe one more often */
	bool passes;  /* nops only, or nops and one jump within the function: llvm-bolt removes it */
	bool unknown; /* it ends with a jump that can lead anywhere */
};
DEFINE_VEC(code_block_vec, struct code_block);
DEFINE_VEC(successor_vec, uint32_t);

/* Zeroed: nothing is known. */
struct code {
	const struct function *input;
	const struct insn_vec *insns; /* borrowed from the graph */
	struct code_block_vec blocks; /* by start; none: not known */
	struct successor_vec successors; /* numbers of blocks */
	bool misfits; /* there are no blocks, as an offset of the table is not that of an instruction */
};

/* Reads the code of a function, by the graphs of the pair.  It has no blocks if the graph is not known, or if the table has an
 * offset that is not that of an instruction.  `out` may hold the code of another function, whose
 * memory is used again.  Returns false when out of memory. */
BC_MUST_USE bool code_read(const struct pair *pair, const struct function *output, struct code *out);
void code_free(struct code *code);

#define NO_BLOCK UINT32_MAX

/* The number of the block that holds an offset; NO_BLOCK: none does. */
uint32_t code_block_at(const struct code *code, uint32_t offset);

/* The number of the block that begins at an offset; NO_BLOCK: none does. */
uint32_t code_block_from(const struct code *code, uint32_t offset);

bool code_leads(const struct code *code, uint32_t from, uint32_t to);

/* The instruction at an offset, or NULL. */
const struct insn *code_insn(const struct code *code, uint32_t offset);

/* For a block that can lead to another: the offset of the jump that does so, or of the block's last
 * instruction. */
uint32_t code_way(const struct code *code, uint32_t from, uint32_t to);

/* The offset of a block's last instruction. */
uint32_t code_last(const struct code *code, uint32_t block);

/* The only instruction of a block, nops not counted; NULL: it has several, or none. */
const struct insn *code_alone(const struct code *code, uint32_t block);

#endif
