/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The fragments of each function: the hot one, with which it begins, and the cold ones that llvm-bolt split off. */
#ifndef ELF_FRAGMENTS_BY_FUNCTION_H
#define ELF_FRAGMENTS_BY_FUNCTION_H

#include "include/bat/bat.h"
#include "src/base/attr.h"

struct fragments_by_function {
	uint32_t *at;    /* numbers of fragments, by hot one, then ascending */
	uint32_t *first; /* by fragment: where those that it is the hot one of begin; one more than there are fragments */
};

/* Cold ones of which the hot one is not known are left out.  False: out of memory; nothing is to be freed then */
BC_MUST_USE bool fragments_by_function_list(const struct bat_table *bat, struct fragments_by_function *out);
void fragments_by_function_free(struct fragments_by_function *fragments);

/* The fragment whose function a fragment is of: itself if it is hot; BAT_NO_PARENT: not known. */
static inline uint32_t fragment_hot_one(const struct bat_table *bat, uint32_t fragment)
{
	return bat->fragments[fragment].cold ? bat->fragments[fragment].parent : fragment;
}

/* The fragments of the function that begins with `fragment`, which is also alone if it is cold and its hot one is not known.  Returns how many
 * there are; 0: it belongs to another one. */
static inline uint32_t fragments_of(const struct fragments_by_function *fragments, const struct bat_table *bat, const uint32_t *fragment, const uint32_t **out)
{
	uint32_t first = fragments->first[*fragment], count = fragments->first[*fragment + 1] - first;
	bool orphan = fragment_hot_one(bat, *fragment) == BAT_NO_PARENT;

	*out = orphan ? fragment : &fragments->at[first];
	return orphan ? 1 : count;
}

#endif
