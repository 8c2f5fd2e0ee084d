/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Relocations tell which places inside functions are referred to from outside.
 * Those that ld --emit-relocs leaves in a binary also tell which words of data
 * are code addresses or distances to code; where they are there, BOLT believes
 * them alone.
 */
#ifndef CODE_RELOCS_H
#define CODE_RELOCS_H

#include "src/code/labels.h"

DEFINE_VEC(address_vec, uint64_t);

struct relocs {
	bool present; /* --emit-relocs: there is a .rela.text */
	struct address_vec absolute; /* words of data that are code addresses, ascending */
	struct address_vec relative; /* that are distances to code                       */
};

/* Read them, and add the places inside chosen functions that they refer to.
 * False when out of memory. */
bool relocs_read(const struct chosen *chosen, struct relocs *out, struct label_vec *labels);
void relocs_free(struct relocs *relocs);

/* Is there one at this address? */
bool relocs_has(const struct address_vec *addresses, uint64_t address);

#endif
