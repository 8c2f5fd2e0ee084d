/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hashes of numbers and of text, for tables in memory.  Each table has a seed of its own,
 * which nobody can know who makes an input: no file has all of its keys meet in one slot.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "src/base/attr.h"

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

/* Adds bytes, eight at a time, and their number.  With their number known, the last one to seven
 * are distinguished by two words that may overlap. */
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
		hash = hash_mix(hash,
				at[0] | (uint64_t)at[size / 2] << 8 | (uint64_t)end[-1] << 16);
	}
	return hash;
}

/*
 * A map from keys to 32-bit numbers: mostly indices of an array whose elements have the keys.
 * The map keeps a number and a part of the key's hash for each, and asks the array for the
 * rest.  Keys are not removed one by one.
 */

struct map_slot {
	uint32_t hash;   /* of the key */
	uint32_t number; /* the key's, plus 1; 0: the slot is free */
};

/* Zeroed means empty. */
struct map {
	struct map_slot *slots; /* open addressing; at most three quarters are in use */
	size_t capacity;        /* slots: 0 or a power of two */
	size_t used;
	uint64_t seed; /* chosen with the first slots */
};

#define MAP_NUMBER_MOST (UINT32_MAX - 1)

void map_free(struct map *map);

/* Forgets all keys, keeps the memory. */
void map_clear(struct map *map);

/* Makes room for so many keys more.  Returns false when out of memory. */
BC_MUST_USE bool map_reserve(struct map *map, size_t keys);

/* For DEFINE_MAP.  map_put_hashed(): the map has room, and no such key. */
void map_put_hashed(struct map *map, uint32_t hash, uint32_t number);

/* Gives the key of a slot another number. */
static inline void map_slot_set(struct map_slot *slot, uint32_t number)
{
	slot->number = number + 1;
}

static inline struct map_slot *map_slot_at(const struct map *map, size_t at)
{
	return &map->slots[at & (map->capacity - 1)];
}

/* Defines, for keys of type K and an array or table that CONTEXT points to:
 *
 * bool NAME_find(map, context, key, uint32_t *number)
 *     Is the key there?  *number is its number then.
 * struct map_slot *NAME_slot(map, context, key)
 *     The same for map_slot_set(), which gives the key another number.  NULL: it is not there.
 * void NAME_put(map, key, number)
 *     Adds a key that is not there, after map_reserve().  number <= MAP_NUMBER_MOST.
 *
 * HASH(seed, key) is a uint64_t; MATCHES(context, number, key): has that number this key? */
#define DEFINE_MAP(name, CONTEXT, K, HASH, MATCHES)                                                \
	static inline struct map_slot *name##_slot(const struct map *map, CONTEXT context, K key)  \
	{                                                                                          \
		if (!map->used)                                                                    \
			return NULL;                                                               \
		uint32_t key_hash = (uint32_t)HASH(map->seed, key);                                \
		for (size_t at = key_hash;; at++) {                                                \
			struct map_slot *slot = map_slot_at(map, at);                              \
			if (!slot->number)                                                         \
				return NULL;                                                       \
			if (slot->hash == key_hash && MATCHES(context, slot->number - 1, key))     \
				return slot;                                                       \
		}                                                                                  \
	}                                                                                          \
	BC_MAY_BE_UNUSED static inline bool name##_find(const struct map *map, CONTEXT context,    \
							K key, uint32_t *number)                   \
	{                                                                                          \
		const struct map_slot *slot = name##_slot(map, context, key);                      \
		if (slot)                                                                          \
			*number = slot->number - 1;                                                \
		return slot;                                                                       \
	}                                                                                          \
	static inline void name##_put(struct map *map, K key, uint32_t number)                     \
	{                                                                                          \
		map_put_hashed(map, (uint32_t)HASH(map->seed, key), number);                       \
	}                                                                                          \
	struct map_slot /* takes the semicolon */

/* The same for an array of T whose elements have the key in FIELD, a 32-bit number. */
#define DEFINE_FIELD_MAP(name, T, FIELD)                                                           \
	static inline bool name##_matches(const T *all, uint32_t number, uint32_t key)             \
	{                                                                                          \
		return all[number].FIELD == key;                                                   \
	}                                                                                          \
	DEFINE_MAP(name, const T *, uint32_t, hash_number, name##_matches)

/*
 * A set of 64-bit numbers, such as addresses: open addressing, eight numbers to a line of
 * the processor's cache.  Zeroed means empty.
 */

struct number_set {
	uint64_t *at;    /* 0: free */
	size_t capacity; /* 0 or a power of two */
	size_t used;     /* without 0 */
	bool has_zero;
	uint64_t seed; /* 0, or as somebody set it, until there are numbers */
};

void number_set_free(struct number_set *set);

static inline size_t number_set_slot(const struct number_set *set, uint64_t number)
{
	return (size_t)hash_end(hash_mix(set->seed, number)) & (set->capacity - 1);
}

/* Where a number that is not 0 is, or the free slot where it belongs.  capacity > used. */
static inline uint64_t *number_set_probe(const struct number_set *set, uint64_t number)
{
	size_t slot = number_set_slot(set, number);

	while (set->at[slot] && set->at[slot] != number)
		slot = (slot + 1) & (set->capacity - 1);
	return &set->at[slot];
}

static inline bool number_set_has(const struct number_set *set, uint64_t number)
{
	if (!number || !set->used)
		return !number && set->has_zero;
	return *number_set_probe(set, number);
}

/* Ask for the memory that number_set_has() will read. */
static inline void number_set_prefetch(const struct number_set *set, uint64_t number)
{
	if (set->used)
		__builtin_prefetch(&set->at[number_set_slot(set, number)]);
}

/* Returns false when out of memory. */
BC_MUST_USE bool number_set_add(struct number_set *set, uint64_t number);

#endif
