/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A set of pairs of a hot fragment and an input offset of its function: the
 * offsets whose code some fragment of the function already has.
 *
 * No two fragments of one input function translate to the same input offset.  A
 * cold fragment with an offset that is already in the set is therefore part of
 * another function.
 */
#ifndef BATCONV_BAT_OFFSET_SET_H
#define BATCONV_BAT_OFFSET_SET_H

#include "bat/bat.h"

struct bat_offset_set {
	uint64_t *slots; /* open addressing; 0: the slot is free               */
	size_t mask;     /* number of slots, a power of two, minus 1           */
	uint64_t seed;   /* differs from table to table                        */
};

/* Make a set for at most `count` pairs.  Returns false when out of memory. */
BAT_MUST_USE bool bat_offset_set_init(struct bat_offset_set *set, size_t count);
void bat_offset_set_free(struct bat_offset_set *set);

/* `hot` is the index of a hot fragment.  `offset` is an input offset of its
 * function; numbers with the highest bit set are free for other uses. */
void bat_offset_set_add(struct bat_offset_set *set, uint32_t hot,
			uint32_t offset);
bool bat_offset_set_has(const struct bat_offset_set *set, uint32_t hot,
			uint32_t offset);

#endif
