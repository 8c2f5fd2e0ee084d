/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where in a body's code a place of the output is: the source of a branch, or its target. */
#ifndef RANGES_LOCATE_H
#define RANGES_LOCATE_H

#include "src/ranges/piece.h"

/* Where a branch leaves the input's code. */
struct leave {
	uint32_t group;
	uint32_t last; /* the last instruction that runs */
	uint32_t tail; /* the jump of another block that is run then, which llvm-bolt joined with that; or NO_INSN */
	bool sited;    /* it is the input's own branch, not one that llvm-bolt put in */
};

/* Of an instruction of a piece with a body; it lies behind the first group. */
struct leave locate_leave(const struct binary *binary, const struct piece *piece, uint32_t insn);

/* Where a straight line begins in the input's code. */
struct enter {
	uint32_t group; /* the first whose code runs; the one before, where a call ends that returned */
	uint32_t start; /* the first instruction: it can be behind the group's end, if nothing of that runs */
};

/* after_call: what led there is a return, of the call that ends there. */
struct enter locate_enter(const struct binary *binary, const struct piece *piece, uint32_t insn, bool after_call);

#endif
