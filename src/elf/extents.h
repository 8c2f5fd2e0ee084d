/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How far functions reach: the size in a symbol is often too small. */
#ifndef ELF_EXTENTS_H
#define ELF_EXTENTS_H

#include "src/elf/functions.h"

/* Can this symbol stand within a function, as a label does? */
bool symbol_is_label(const struct image *image, const struct function *function,
		     const struct symbol *symbol);

/* Is the code between a function's size and its extent nothing but padding? */
bool extents_gap_is_padding(const struct image *image, const struct symbol_table *symbols,
			    const struct function *function);

/* Set the extents of functions, which are sorted by address. */
void extents_set(const struct image *image, const struct symbol_table *symbols,
		 struct function *functions, size_t count);

#endif
