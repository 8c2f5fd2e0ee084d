/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which input offsets of which function are spoken for: a set of pairs.
 *
 * Fragments of one input function never share an input offset, so a cold
 * fragment that would claim one a second time belongs to another function.
 */
#ifndef BATCONV_BAT_CLAIMS_H
#define BATCONV_BAT_CLAIMS_H

#include "bat/bat.h"

struct bat_claims {
	uint64_t *slots; /* 0 is free                                          */
	size_t mask;     /* number of slots - 1, a power of two minus 1        */
};

/* A set that never holds more than `count` pairs.  False: out of memory. */
BAT_MUST_USE bool bat_claims_init(struct bat_claims *c, size_t count);
void bat_claims_fini(struct bat_claims *c);

/* `what` is an input offset, or anything else with the highest bit set. */
void bat_claims_add(struct bat_claims *c, uint32_t hot, uint32_t what);
bool bat_claims_has(const struct bat_claims *c, uint32_t hot, uint32_t what);

#endif
