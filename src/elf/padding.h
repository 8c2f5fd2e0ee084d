/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What linkers and compilers put between functions. */
#ifndef ELF_PADDING_H
#define ELF_PADDING_H

#include "src/elf/symbols.h"

/* The bytes from the end of one function to the beginning of what follows. */
struct gap {
	struct bytes bytes;
	uint64_t address;
	uint64_t function; /* address of the function before it */
};

/* Is a gap nothing but padding?
 *
 * x86-64   int3 only; or nops, zero bytes and jumps forward inside the gap,
 *          after any int3
 * AArch64  brk only; or nops, zero words, data by the mapping symbols and
 *          linker veneers, after any brk
 * RISC-V   always */
bool padding_fills(enum machine machine, struct gap gap,
		   const struct symbol_table *symbols);

#endif
