/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the steps of ranges_make() share: one thread's share of the traces. */
#ifndef FLOW_WALKER_H
#define FLOW_WALKER_H

#include "src/flow/gather.h"
#include "src/flow/locate.h"
#include "src/flow/pieces.h"

struct walker {
	const struct ranges_job *job;
	const struct pieces *pieces;
	struct count_table *counts; /* see gather.h */
	struct ledger runs, steps;
	bool no_memory;
};

void walker_add(struct walker *w, uint64_t what, uint64_t from, uint64_t to, uint64_t count);

/* Counts instructions of a code; none if the last stands before the first. */
void walker_add_insns(struct walker *w, const struct code *code, uint32_t first, uint32_t last, uint64_t count);

/* Counts the way from the last instruction of a block to another block, through blocks that
 * llvm-bolt removed: the instructions of these, and the jumps. */
void walker_add_way(struct walker *w, const struct code *code, uint32_t last, const uint32_t *blocks, uint32_t count,
		    uint32_t to, uint64_t times);

/* Where one end of a trace lies. */
struct spot {
	struct piece *piece;   /* NULL: nowhere, or in a PLT entry */
	uint32_t insn;         /* of the piece; NO_INSN: it is within one, or behind what can be read */
	struct old_place old;  /* the input's own code at its place */
	bool walked;           /* the piece has a code: search the place */
};
struct spot walker_spot(const struct walker *w, struct trace_end end, struct location at);

/* For a spot that is not walked: returns where the input has the instruction; 0: nowhere. */
uint64_t walker_same_place(const struct spot *spot, struct trace_end end);

/* Counts a taken branch, to the place `enter` if its target is a spot that is walked. */
void walker_step(struct walker *w, const struct count_row *row, const struct spot *source, const struct spot *target,
		 const struct enter *enter);

#endif
