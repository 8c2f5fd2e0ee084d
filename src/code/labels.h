/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Places inside functions where a block begins for a reason that their own code
 * does not show: symbols, relocations, landing pads of exceptions.
 */
#ifndef CODE_LABELS_H
#define CODE_LABELS_H

#include "src/base/vec.h"
#include "src/elf/functions.h"

struct label {
	uint64_t address;
	/* BLOCK only starts a block; DATA: because data tells its address, where
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

/* The chosen function that holds an address behind its beginning, or NULL. */
const struct function *chosen_inside(const struct chosen *chosen, uint64_t address);

/* Add labels of chosen functions.  What is damaged gives none; false when out of
 * memory. */
bool labels_of_symbols(const struct chosen *chosen, struct label_vec *out);
bool labels_of_landing_pads(const struct chosen *chosen, struct label_vec *out);

void labels_sort(struct label_vec *labels);

/* The index of the first label at or above an address. */
size_t labels_from(const struct label_vec *labels, uint64_t address);

/* Is there one at an address? */
bool labels_have(const struct label_vec *labels, uint64_t address);

#endif
