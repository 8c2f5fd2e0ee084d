/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hashes of numbers and of text, for tables in memory.  Each table has a seed of its own,
 * which nobody can know who makes an input: no file has all of its keys meet in one slot.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A seed for one table, never 0.  Any thread can ask for one. */
uint64_t hash_seed(void);

/* Adds a word to a hash that begins with the seed. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15u; /* 2^64 / golden ratio */
	return hash ^ hash >> 29;
}

/* The last step: words that differ in their highest bits alone then differ in the hash's
 * lowest bits, which a table is indexed with. */
static inline uint64_t hash_end(uint64_t hash)
{
	hash *= 0xc2b2ae3d27d4eb4fu;
	return hash ^ hash >> 32;
}

/* The hash of a key that is one number. */
static inline uint64_t hash_number(uint64_t seed, uint64_t number)
{
	return hash_end(hash_mix(seed, number));
}

/* Adds bytes, eight at a time, and their number.  With their number known, the last one to seven are told apart by
 * two words that may overlap. */
static inline uint64_t hash_bytes(uint64_t hash, const void *data, size_t size)
{
	const unsigned char *at = data, *end = at + size;
	uint32_t first, last;
	uint64_t word;

	hash = hash_mix(hash, size);
	for (; end - at >= 8; at += 8) {
		memcpy(&word, at, 8);
		hash = hash_mix(hash, word);
	}
	size = (size_t)(end - at);
	if (size >= 4) {
		memcpy(&first, at, 4);
		memcpy(&last, end - 4, 4);
		hash = hash_mix(hash, first | (uint64_t)last << 32);
	} else if (size) {
		hash = hash_mix(hash, at[0] | (uint64_t)at[size / 2] << 8 | (uint64_t)end[-1] << 16);
	}
	return hash;
}

#endif
