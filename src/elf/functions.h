/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The function table: which function holds a vaddr, and under which names
 * BOLT knows it.  A profile is only of use if it names functions exactly as
 * llvm-bolt will when it reads the input binary, so this follows BOLT's rules
 * on symbols, sizes, local names and PLT entries; docs/conversion.md,
 * "Functions", states them.
 */
#ifndef ELF_FUNCTIONS_H
#define ELF_FUNCTIONS_H

#include "src/elf/image.h"

enum function_kind {
	FUNCTION_CODE, /* from a symbol or an .eh_frame entry */
	FUNCTION_PLT,  /* a PLT entry: no instructions of its own interest */
};

struct function {
	uint64_t address; /* vaddr of its first byte */
	uint64_t size;    /* of its symbol or .eh_frame entry, may be 0 */
	uint64_t extent;  /* bytes that count as its own: >= size */
	enum function_kind kind;
	const char *primary; /* the name that orders the profile */
	const char *printed; /* the name to write, with a BAT in the binary */
};

struct function_table {
	struct function *at; /* by ascending address, not overlapping */
	size_t count;
	char *names; /* owns every name */
	bool stripped; /* no symbol table */
};

BC_MUST_USE bool functions_build(const struct image *image,
				 struct function_table *out,
				 struct bc_error *err);
void functions_free(struct function_table *table);

/* The function whose [address, address + extent) holds `at`, or NULL. */
const struct function *functions_find(const struct function_table *table,
				      struct vaddr at);

#endif
