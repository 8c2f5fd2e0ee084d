/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which function an instruction calls or jumps to: directly, or through a slot that the loader
 * fills with the address of a function, or that a PLT entry jumps through. */
#ifndef CODE_TARGETS_H
#define CODE_TARGETS_H

#include "src/isa/insn.h"
#include "src/elf/functions.h"

/*
 * Thunks that llvm-bolt 24 puts between a call, or a jump, and a target that is too far for it
 * (AArch64, --relax-exp): functions of their own, with a symbol and without a table.  Some only
 * jump, perhaps to the next thunk; others load the address into x16.
 */
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

/* ---- targets ---- */

struct target_slot {
	uint64_t address;
	uint32_t function;
};

struct targets {
	const struct image *image;
	const struct function_table *functions;
	struct target_slot *slots; /* by address */
	size_t slot_count;
	struct thunks thunks; /* a call of one calls what that leads to */
};

/* BC_NOMEM; BC_FORMAT: too much work (work.h) */
BC_MUST_USE bool targets_open(const struct image *image, const struct function_table *functions,
			      struct targets *out, struct bc_error *err);
void targets_close(struct targets *targets);

/* Where a call or jump goes, if that is known and is the beginning of a function. */
uint32_t targets_of(const struct targets *targets, const struct insn *insn);
#define NO_TARGET UINT32_MAX

/* As targets_of(), for an instruction of a function, and only where it leaves that: a call of
 * itself does, a jump to its beginning does not. */
uint32_t targets_beyond(const struct targets *targets, const struct function *function,
			const struct insn *insn);

#endif
