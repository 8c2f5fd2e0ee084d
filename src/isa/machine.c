/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/isa/machine.h"

const char *machine_name(enum machine machine)
{
	switch (machine) {
	case MACHINE_X86_64: return "x86-64";
	case MACHINE_AARCH64: return "AArch64";
	case MACHINE_RISCV64: break;
	}
	return "RISC-V 64";
}
