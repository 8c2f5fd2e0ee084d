/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/isa/branch.h"

#include "src/isa/branch_isa.h"

struct branch_insn branch_decode(enum machine machine, struct bytes code, struct vaddr at)
{
	switch (machine) {
	case MACHINE_X86_64:
		return branch_x86(code, at.v);
	case MACHINE_AARCH64:
		return branch_aarch64(code, at.v);
	case MACHINE_RISCV64:
		break;
	}
	return branch_riscv(code, at.v);
}
