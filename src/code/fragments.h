/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that a compiler split, by their names: `f` and `f.cold`, `f.cold.1`,
 * `f.warm`.  A local one's parts have the same FILE symbol. */
#ifndef CODE_FRAGMENTS_H
#define CODE_FRAGMENTS_H

#include "src/base/vec.h"
#include "src/elf/functions.h"

struct fragment_name {
	const char *name; /* of the fragment; borrowed */
	size_t stem;      /* characters before .cold or .warm */
	uint32_t file;    /* as in struct symbol */
};
DEFINE_VEC(fragment_vec, struct fragment_name);

/* All fragments, sorted for fragments_is_part().  False when out of memory. */
bool fragments_find(const struct symbol_table *symbols, struct fragment_vec *out);

/* Is the function a fragment, or one that a fragment belongs to? */
bool fragments_is_part(const struct fragment_vec *fragments, const struct symbol_table *symbols,
		       const struct function *function);

/* Are two functions parts of one? */
bool fragments_related(const struct function *a, const struct function *b);

#endif
