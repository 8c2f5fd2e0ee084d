/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The symbols of a binary, as libbat takes them to find the parents of cold
 * fragments. */
#ifndef ELF_BAT_SYMBOLS_H
#define ELF_BAT_SYMBOLS_H

#include "include/bat/bat.h"
#include "src/elf/symbols.h"

/* bat_fix_parents() with a binary's symbols.  BC_NOMEM. */
BC_MUST_USE bool symbols_fix_parents(const struct symbol_table *symbols, struct bat_table *table,
				     struct bat_parents *out, struct bc_error *err);

#endif
