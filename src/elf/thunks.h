/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Thunks that llvm-bolt 24 puts between a call, or a jump, and a target that is too far for it
 * (AArch64, --relax-exp): functions of their own, with a symbol and without a table.  Some only
 * jump, perhaps to the next thunk; others load the address into x16.
 */
#ifndef ELF_THUNKS_H
#define ELF_THUNKS_H

#include "src/elf/symbols.h"

struct thunk {
	uint64_t address, size;
	uint64_t target; /* at the end of a chain of thunks */
};

/* Zeroed: there are none. */
struct thunks {
	struct thunk *at; /* by address */
	size_t count;
};

/* Those of a binary.  BC_NOMEM */
BC_MUST_USE bool thunks_read(const struct image *image, const struct symbol_table *symbols,
			     struct thunks *out, struct bc_error *err);
void thunks_free(struct thunks *thunks);

/* The thunk that an address is in, or NULL. */
const struct thunk *thunks_find(const struct thunks *thunks, uint64_t address);

#endif
