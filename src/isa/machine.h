/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef ISA_MACHINE_H
#define ISA_MACHINE_H

/* The processors whose samples can be converted; all little-endian, 64 bits. */
enum machine { MACHINE_X86_64, MACHINE_AARCH64, MACHINE_RISCV64 };

/* "x86-64", "AArch64" or "RISC-V 64". */
const char *machine_name(enum machine machine);

#endif
