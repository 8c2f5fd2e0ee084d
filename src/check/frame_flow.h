/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What call frame information must say, by the code itself: from the function's entry on it is followed where the stack
 * pointer and copies of it point, and where the caller's registers are saved.  It shares nothing with what wrote the rows, and it
 * knows where it does not know.
 */
#ifndef CHECK_FRAME_FLOW_H
#define CHECK_FRAME_FLOW_H

#include "src/elf/cfi.h"
#include "src/elf/lsda.h"
#include "src/isa/insn.h"
#include "src/isa/stack_effect.h"

/* Code of the function that jumps lead within: one piece, or several fragments. */
struct flow_piece {
	struct bytes bytes;
	uint64_t address;
	const struct insn_vec *insns;
	const struct lsda *lsda; /* NULL: none */
};

enum flow_verdict {
	FLOW_UNKNOWN, /* the code does not tell */
	FLOW_RIGHT,
	FLOW_CFA,      /* the CFA is wrong */
	FLOW_REGISTER, /* the rule of a register is wrong */
};

/* What the code says of a row. */
struct flow_judgement {
	enum flow_verdict verdict;
	uint32_t reg;       /* of FLOW_REGISTER */
	bool has_height;    /* it is known how far the stack pointer is below the CFA: */
	int64_t height;
};

/* Called for each instruction, by piece and number. */
typedef struct cfi_row_at {
	const struct cfi_row *row; /* NULL: there is none */
	const struct cfi_rule *rules;
} flow_row_fn(void *ctx, uint64_t address);
typedef void flow_take_fn(void *ctx, uint32_t piece, uint32_t insn, const struct flow_judgement *judgement);

/* Follow the code from the beginning of the first piece, where `entry` holds (NULL: what the machine's calls leave), and judge the row of each
 * instruction.  return_register: as the CIE has it.  False: out of memory. */
BC_MUST_USE bool frame_flow(enum machine machine, const struct flow_piece *pieces, uint32_t count, struct cfi_row_at entry,
			    uint32_t return_register, flow_row_fn *row, flow_take_fn *take, void *ctx);

#endif
