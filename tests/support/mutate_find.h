/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds positions in a table that can be damaged. */
#ifndef TESTS_SUPPORT_MUTATE_FIND_H
#define TESTS_SUPPORT_MUTATE_FIND_H

#include "tests/support/mutate_bat.h"

#define ALSO(kind) .also = FINDING_##kind
#define ALONE      .also = -1

struct bat_entry *entries_of(struct bat_table *t, uint32_t fragment);
bool hashed(const struct bat_table *t);

/* Does a hot fragment have cold parts? */
bool has_cold(const struct bat_table *t, uint32_t fragment);

/* A hot fragment at a function symbol, without cold parts, not the first one;
 * NO_INDEX: there is none. */
uint32_t whole_function(const struct world *w);

/* Two blocks of the input that are next to each other, in a function without cold parts. */
struct pair {
	uint32_t a, b; /* entries; b comes from after a, and no block comes from between them */
};
bool find_pair(const struct world *w, const struct bat_table *t, struct pair *out);

#endif
