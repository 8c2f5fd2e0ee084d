/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The address spaces.  To mix them up is the typical bug of profilers, so each has a
 * type of its own, and each step from one to another is one function:
 *
 *   run_addr -> vaddr    src/samples  the process's mappings
 *   vaddr <-> file_off   src/elf        the file's segments
 *   vaddr -> function + offset in the input binary    src/profile, with libbat
 */
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

#include <stdint.h>

/* A run-time address, as samples have it: of one process at one moment. */
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
