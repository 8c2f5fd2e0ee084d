/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Symbols that tell where a kernel begins. */
#ifndef ELF_KERNEL_SYMBOL_H
#define ELF_KERNEL_SYMBOL_H

#include "src/elf/image.h"

/* The value of the first symbol of this name in the symbol table; 0: there is none.  O(symbols). */
uint64_t kernel_symbol(const struct image *image, const char *name);

#endif
