/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an instruction is, in numbers that are the same in both builds.  Addresses are no part
 * of it: what they refer to is, if that has a name or is a string.
 */
#ifndef CARRY_TOKENS_H
#define CARRY_TOKENS_H

#include "src/carry/build.h"
#include "src/isa/llvm.h"

struct token {
	uint64_t exact;    /* the mnemonic, all operands, what it refers to; of a jump its kind */
	uint64_t shape;    /* the mnemonic and the kinds of its operands */
	uint64_t mnemonic; /* of a jump its kind */
	bool refers;       /* `exact` has a name, a string, or a large number */
	bool jump;
};

/* The tokens of all instructions of a function: out has room for insns->len.  seed: the same for
 * both builds.  llvm: llvm_open_text() of the machine. */
void tokens_read(const struct carry_build *build, const struct function *function,
		 const struct insn_vec *insns, const struct llvm_context *llvm, uint64_t seed,
		 struct token *out);

#endif
