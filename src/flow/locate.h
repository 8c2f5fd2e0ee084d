/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds a place of the output in the code of a code: the source of a branch, or its target. */
#ifndef FLOW_LOCATE_H
#define FLOW_LOCATE_H

#include "src/flow/piece.h"

/* Where a branch leaves the input's code. */
struct leave {
	uint32_t group;
	uint32_t last; /* the last instruction that runs */
	uint32_t tail; /* the jump of another block that is run then, which llvm-bolt joined with that; or NO_INSN */
	bool sited;    /* it is the input's own branch, not one that llvm-bolt put in */
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
