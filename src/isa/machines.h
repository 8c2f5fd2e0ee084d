/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* insn_decode() of each machine. */
#ifndef ISA_MACHINES_H
#define ISA_MACHINES_H

#include "src/isa/insn.h"

struct insn insn_x86(struct bytes code, uint64_t at);
struct insn branch_x86(struct bytes code, uint64_t at); /* insn_branch() */
struct insn insn_aarch64(struct bytes code, uint64_t at);
struct insn insn_riscv(struct bytes code, uint64_t at);

/* The low `bits` of a value as a signed number. */
static inline uint64_t sign_extend(uint64_t value, unsigned bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return ((value & (2 * sign - 1)) ^ sign) - sign;
}

#endif
