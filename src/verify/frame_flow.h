/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What call frame information must say, by the code itself: from the function's entry on it is
 * followed where the stack pointer and copies of it point, and where the caller's registers are
 * saved.  It shares nothing with what wrote the rows, and it knows where it does not know.
 */
#ifndef VERIFY_FRAME_FLOW_H
#define VERIFY_FRAME_FLOW_H

#include "src/verify/cfi.h"
#include "src/elf/eh_frame.h"
#include "src/isa/insn.h"
#include "src/isa/stack_effect.h"

/* Code of a function that jumps lead within: all of it, or one fragment. */
struct flow_piece {
	struct bytes bytes;
	uint64_t address;
	const struct insn_vec *insns;
	const struct lsda *lsda; /* with call sites that ascend; NULL: none */
};

enum flow_verdict {
	FLOW_UNKNOWN, /* the code does not show */
	FLOW_RIGHT,
	FLOW_CFA,      /* the CFA is wrong */
	FLOW_REGISTER, /* the rule of a register is wrong */
};

/* Where the caller's value of a register is, by the code. */
enum flow_place {
	FLOW_NOWHERE, /* in no location that is known */
	FLOW_KEPT,    /* in the register itself, and nowhere on the stack */
	FLOW_SAVED,   /* on the stack */
};

/* What the code says of a row. */
struct flow_judgment {
	enum flow_verdict verdict;
	uint32_t reg;          /* of FLOW_REGISTER */
	enum flow_place place; /* of that register */
	int64_t saved_at;      /* FLOW_SAVED: from the CFA */
	bool cfa_right;        /* whatever the verdict on all of the row is: */
	uint64_t right;        /* registers whose rules are right */
	bool has_height;       /* it is known how far the stack pointer is below the CFA: */
	int64_t height;
};

/* Called for each instruction, by part and number. */
typedef struct cfi_row_at {
	const struct cfi_row *row; /* NULL: there is none */
	const struct cfi_rule *rules;
} flow_row_fn(void *ctx, uint64_t address);
typedef void flow_take_fn(void *ctx, uint32_t piece, uint32_t insn,
			  const struct flow_judgment *judgment);

struct followed_code {
	enum machine machine;
	const struct flow_piece *pieces; /* by ascending address, not overlapping */
	uint32_t count;
	uint32_t first; /* the part that the function begins with */
	struct cfi_row_at
		entry; /* the row that holds there; NULL: what the machine's calls leave */
	uint32_t return_register; /* as the CIE has it */
	struct work *work;        /* instructions that are followed count as WORK_TIES */
};

/* Locations that jumps lead to, or that are after one that does not continue, in one function; each
 * takes some 900 bytes.  For functions that have more the code shows nothing: nothing is judged. */
#define FLOW_LEADERS_MOST (UINT32_C(1) << 14)

/* Follow the code from the function's beginning on, and judge the row of each instruction that is
 * reached.  False: out of memory, or too much work (work_fail()). */
BC_MUST_USE bool frame_flow(const struct followed_code *function, flow_row_fn *row,
			    flow_take_fn *take, void *ctx);

#endif
