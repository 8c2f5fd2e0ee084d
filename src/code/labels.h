/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Locations inside functions where a block begins for a reason that their own code
 * does not show: symbols, relocations, landing pads of exceptions, and branches of other functions.
 */
#ifndef CODE_LABELS_H
#define CODE_LABELS_H

#include "src/base/vec.h"
#include "src/elf/functions.h"
#include "src/isa/decoder.h"

struct label {
	uint64_t address;
	/* BLOCK only starts a block; DATA: because data shows its address, where
	 * indirect jumps may lead.  Where an ENTRY or PAD begins, the caller of
	 * the block before is not sought (docs/conversion.md, section 4). */
	enum { LABEL_BLOCK, LABEL_DATA, LABEL_ENTRY, LABEL_PAD } kind;
};
DEFINE_VEC(label_vec, struct label);

/* The functions that are looked at, as ascending indices into the table. */
struct chosen {
	const struct image *image;
	const struct function_table *functions;
	const uint32_t *at;
	size_t count;
};

DEFINE_VEC(address_vec, uint64_t);
void addresses_sort(struct address_vec *addresses);

/* What ld --emit-relocs leaves in a binary also shows which words of data are code addresses or
 * distances to code; where it is there, BOLT believes that alone. */
struct relocs {
	bool present;                /* --emit-relocs: there is a .rela.text */
	struct address_vec absolute; /* words of data that are code addresses, ascending */
	struct address_vec relative; /* that are distances to code                       */
};
void relocs_free(struct relocs *relocs);

/* Is there one at this address? */
bool relocs_has(const struct address_vec *addresses, uint64_t address);

/* Adds the labels of chosen functions, sorted, and reads the relocations.  What is damaged gives
 * none.  False when out of memory; both are to be freed all the same. */
BC_MUST_USE bool labels_read(const struct chosen *chosen, struct decoder *decoder, unsigned threads,
			     struct relocs *relocs, struct label_vec *out);

/* Adds only those of one kind, not sorted. */
BC_MUST_USE bool labels_of_landing_pads(const struct chosen *chosen, struct label_vec *out);
BC_MUST_USE bool labels_of_relocs(const struct chosen *chosen, struct relocs *relocs,
				  struct label_vec *out);

/* Branches from one function into the middle of another, as hand-written assembler has them: their
 * targets are entries, wherever the branch is.  All code is looked through, large sections by
 * several threads, but only bytes that would be such a branch are decoded, with the function that
 * they lie in, to see if they are one. */
BC_MUST_USE bool labels_of_references(const struct chosen *chosen, struct decoder *decoder,
				      unsigned threads, struct label_vec *out);

void labels_sort(struct label_vec *labels);

/* The index of the first label at or above an address. */
size_t labels_from(const struct label_vec *labels, uint64_t address);

/* Is there one at an address? */
bool labels_have(const struct label_vec *labels, uint64_t address);

#endif
