/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two halves of counts, by chance that repeats: each of the things that were counted is in the
 * first half or in the second, as by the toss of a coin, and equal arguments always give equal
 * halves.
 */
#ifndef BASE_HALVE_H
#define BASE_HALVE_H

#include <math.h>
#include <stdbool.h>

#include "src/base/map.h"

/* Up to so many coins are tossed one by one; of more the sum is normal, as near as anybody can
 * tell. */
#define HALVE_TOSSED ((uint64_t)1 << 12)

/* Is the thing of this number in the first half? */
static inline bool halve_is_first(uint64_t number)
{
	return hash_end(hash_mix(hash_mix(0, number), 1)) >> 63;
}

static inline unsigned halve_heads(uint64_t coins)
{
	return (unsigned)__builtin_popcountll(coins);
}

/* How many of so many things that were counted together are in the first half.  seed: what tells
 * them from others. */
static inline uint64_t halve(uint64_t count, uint64_t seed)
{
	uint64_t first = 0, left = count, toss = 0;

	if (count > HALVE_TOSSED) { /* 256 coins: mean 128, deviation 8 */
		unsigned heads = 0;
		for (toss = 0; toss < 4; toss++)
			heads += halve_heads(hash_end(hash_mix(hash_mix(seed, count), toss)));
		double off = ((double)heads - 128) / 8 * sqrt((double)count) / 2;
		return off < 0 ? count / 2 - (uint64_t)-off : count / 2 + (uint64_t)off;
	}
	for (; left; toss++) {
		uint64_t now = left < 64 ? left : 64,
			 coins = hash_end(hash_mix(hash_mix(seed, count), toss));
		first += halve_heads(now < 64 ? coins & ((UINT64_C(1) << now) - 1) : coins);
		left -= now;
	}
	return first;
}

#endif
