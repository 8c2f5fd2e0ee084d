/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/isa/insn.h"

#include "src/isa/machines.h"

struct insn insn_decode(enum machine machine, struct bytes code, uint64_t at)
{
	switch (machine) {
	case MACHINE_X86_64:
		return insn_x86(code, at);
	case MACHINE_AARCH64:
		return insn_aarch64(code, at);
	case MACHINE_RISCV64:
		break;
	}
	return insn_riscv(code, at);
}

struct insn insn_branch(enum machine machine, struct bytes code, uint64_t at)
{
	return machine == MACHINE_X86_64 ? branch_x86(code, at) : insn_decode(machine, code, at);
}
