/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Seeded random numbers (splitmix64): a failing test can be run again. */
#ifndef TESTS_SUPPORT_PRNG_H
#define TESTS_SUPPORT_PRNG_H

#include <stdint.h>

struct prng {
	uint64_t state;
};

static inline uint64_t prng_next(struct prng *p)
{
	uint64_t z = p->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* In [0, limit). */
static inline uint64_t prng_below(struct prng *p, uint64_t limit)
{
	return prng_next(p) % limit;
}

#endif
