/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Instructions as far as control flow goes.
 *
 * The bytes tell: branches by src/isa/branch.h, lengths on x86-64 by x86_insn.h.
 * Only what that does not know is asked of LLVM.
 */
#ifndef CFG_INSN_H
#define CFG_INSN_H

#include "src/base/vec.h"
#include "src/cfg/llvm.h"
#include "src/elf/image.h"

enum flow {
	FLOW_NEXT,        /* goes on; if `target` is not 0, it forms that address */
	FLOW_CALL,        /* direct or not: goes on, sooner or later              */
	FLOW_CONDITIONAL, /* to `target`, or on                                   */
	FLOW_JUMP,        /* to `target`                                          */
	FLOW_INDIRECT,    /* a jump through a register or memory                  */
	FLOW_RETURN,
	FLOW_TRAP,        /* goes nowhere: ud2, hlt                               */
};

struct insn {
	uint64_t target; /* vaddr; 0: none, or not known */
	uint32_t offset; /* from the beginning of the function */
	uint8_t size;
	uint8_t flow; /* enum flow */
	/* BOLT refuses functions that hold one: jumps that it cannot relax. */
	bool unsupported;
};
DEFINE_VEC(insn_vec, struct insn);

/* Decodes instructions of one machine; for one thread at a time. */
struct decoder {
	enum machine machine;
	struct llvm_context llvm; /* opened when first needed */
	bool llvm_missing;        /* it was needed, and there is none */
};

void decoder_open(enum machine machine, struct decoder *out);
void decoder_close(struct decoder *decoder);

/* Decode the instruction that begins at `code` and is loaded at `at`; `offset` is
 * for the caller to set.  False: there is none. */
bool decoder_next(struct decoder *decoder, struct bytes code, uint64_t at,
		  struct insn *out);

/* The length of the instruction at `code`, without LLVM; 0: not known. */
size_t insn_length(enum machine machine, struct bytes code);

#endif
