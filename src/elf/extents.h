/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How far functions reach: the size in a symbol is often too small. */
#ifndef ELF_EXTENTS_H
#define ELF_EXTENTS_H

#include "src/elf/functions.h"
#include "src/elf/symbols.h"

/* Can this symbol stand within a function, as a label does? */
bool symbol_is_label(const struct image *image, const struct function *function,
		     const struct symbol *symbol);

/* Is the code between a function's size and its extent nothing but padding? */
bool extents_gap_is_padding(const struct image *image, const struct symbol_table *symbols,
			    const struct function *function);

/* Set the extents of functions, which are sorted by address. */
void extents_set(const struct image *image, const struct symbol_table *symbols,
		 struct function *functions, size_t count);

/* What linkers and compilers put between functions. */

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
