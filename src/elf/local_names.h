/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Many local symbols can share a name, so BOLT numbers them: the Nth local
 * symbol `name` in the order of addresses is name/N.  A local function that
 * stands under a FILE symbol is also name/file.c/N, with a count of its own.
 */
#ifndef ELF_LOCAL_NAMES_H
#define ELF_LOCAL_NAMES_H

#include "src/elf/symbols.h"

/* Set the numbers of all local symbols of a sorted table.  BC_NOMEM. */
BC_MUST_USE bool local_names_number(struct symbol_table *table, struct bc_error *err);

#endif
