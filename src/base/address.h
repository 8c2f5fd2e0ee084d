/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The address spaces.  The typical bug of this field is to mix them up, so each
 * has a type of its own and each step between two of them is one function:
 *
 *   run_addr -> vaddr    src/addrspace  the process's mappings
 *   vaddr <-> file_off   src/elf        the file's segments
 *   vaddr -> function + offset in the input binary    src/profile, with libbat
 */
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

#include <stdint.h>

/* What a sample holds: an address in one process at one moment. */
struct run_addr {
	uint64_t v;
};

/* An address as the ELF file has it: the space of p_vaddr and st_value. */
struct vaddr {
	uint64_t v;
};

/* A byte offset in the ELF file. */
struct file_off {
	uint64_t v;
};

#endif
