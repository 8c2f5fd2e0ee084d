/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* branch_decode() of each machine. */
#ifndef ISA_BRANCH_ISA_H
#define ISA_BRANCH_ISA_H

#include "src/isa/branch.h"

struct branch_insn branch_x86(struct bytes code, uint64_t at);
struct branch_insn branch_aarch64(struct bytes code, uint64_t at);
struct branch_insn branch_riscv(struct bytes code, uint64_t at);

static inline struct branch_insn branch_of_kind(enum branch_kind kind)
{
	return (struct branch_insn){.kind = kind};
}

static inline struct branch_insn branch_to(enum branch_kind kind, uint64_t target)
{
	return (struct branch_insn){.kind = kind, .target = {target}};
}

/* The low `bits` of a value as a signed number. */
static inline uint64_t sign_extend(uint64_t value, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return ((value & (2 * sign - 1)) ^ sign) - sign;
}

#endif
