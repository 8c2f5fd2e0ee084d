/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Many local symbols can share a name, so BOLT numbers them: the Nth local
 * symbol `name` in the order of addresses is name/N.  A local function that
 * stands under a FILE symbol is also name/file.c/N, with a count of its own.
 *
 * llvm-bolt moves functions, so of a name and file that several have the addresses of what it wrote
 * are in another order than those of what it read.  The order of the symbol table is still the same
 * (its own symbols come last), and linkers lay code out in it: for a binary that BOLT wrote,
 * NUMBERS_BY_ORDER tells which is which.
 */
#ifndef ELF_LOCAL_NAMES_H
#define ELF_LOCAL_NAMES_H

#include "src/elf/symbols.h"

/* Set the numbers of all local symbols of a sorted table.  BC_NOMEM. */
BC_MUST_USE bool local_names_number(struct symbol_table *table, enum local_numbers how, struct bc_error *err);

#endif
