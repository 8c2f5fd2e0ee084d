/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Random tables that BOLT could have written, with everything odd in them that
 * was ever seen in one. */
#ifndef TESTS_SUPPORT_RANDOM_BAT_H
#define TESTS_SUPPORT_RANDOM_BAT_H

#include "bat/bat.h"

/* Splitmix64: a number from a state that it advances. */
uint64_t random_next(uint64_t *state);

/* One below `limit`, which is not 0. */
uint32_t random_below(uint64_t *state, uint32_t limit);

/* Make a table of `functions` hot fragments and up to as many cold ones, with
 * `entries` entries each on average.  The same arguments give the same table.
 * Free it with bat_free(). */
void random_bat(struct bat_table *out, enum bat_layout layout, uint32_t functions, uint32_t entries,
		uint64_t seed);

#endif
