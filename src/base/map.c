/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/map.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

/* What the seeds of this process are made of.  Never 0. */
static uint64_t make_secret(void)
{
	struct timespec now = {0};
	uint64_t secret;

	if (getrandom(&secret, sizeof(secret), GRND_NONBLOCK) != (ssize_t)sizeof(secret)) {
		clock_gettime(CLOCK_REALTIME, &now); /* can be guessed, but is better than none */
		secret = hash_mix((uint64_t)now.tv_nsec, (uint64_t)(uintptr_t)&now);
	}
	return secret | 1;
}

uint64_t hash_seed(void)
{
	static atomic_uint_least64_t secret, seeds;
	uint64_t chosen = atomic_load(&secret), none = 0;

	/* For threads that come here at once, each can make a secret: the first one stays. */
	if (!chosen) {
		chosen = make_secret();
		if (!atomic_compare_exchange_strong(&secret, &none, chosen))
			chosen = none;
	}
	return hash_end(hash_mix(chosen, atomic_fetch_add(&seeds, 1))) | 1;
}

#define FIRST_CAPACITY ((size_t)64)

/* A slot's hash has 32 bits: more slots would not be used. */
#define CAPACITY_MOST ((uint64_t)1 << 32)

void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){0};
}

void map_clear(struct map *map)
{
	if (map->used)
		memset(map->slots, 0, map->capacity * sizeof(*map->slots));
	map->used = 0;
}

void map_put_hashed(struct map *map, uint32_t hash, uint32_t number)
{
	size_t at = hash;

	while (map_slot_at(map, at)->number)
		at++;
	*map_slot_at(map, at) = (struct map_slot){hash, number + 1};
	map->used++;
}

static bool grow(struct map *map, size_t capacity)
{
	struct map bigger = {.capacity = capacity, .seed = map->seed ? map->seed : hash_seed()};

	bigger.slots = calloc(capacity, sizeof(*bigger.slots));
	if (!bigger.slots)
		return false;
	for (size_t i = 0; i < map->capacity; i++)
		if (map->slots[i].number)
			map_put_hashed(&bigger, map->slots[i].hash, map->slots[i].number - 1);
	free(map->slots);
	*map = bigger;
	return true;
}

bool map_reserve(struct map *map, size_t keys)
{
	size_t capacity = map->capacity ? map->capacity : FIRST_CAPACITY;

	if (keys > MAP_NUMBER_MOST / 2 || map->used > MAP_NUMBER_MOST / 2)
		return false;
	while (map->used + keys > capacity / 4 * 3)
		capacity *= 2;
	if (capacity > CAPACITY_MOST)
		return false;
	return capacity == map->capacity || grow(map, capacity);
}

#define FIRST_NUMBERS 1024

void number_set_free(struct number_set *set)
{
	free(set->at);
	*set = (struct number_set){0};
}

static bool grow_set(struct number_set *set)
{
	struct number_set bigger = {.used = set->used,
				    .has_zero = set->has_zero,
				    .seed = set->seed ? set->seed : hash_seed()};

	bigger.capacity = set->capacity ? 2 * set->capacity : FIRST_NUMBERS;
	bigger.at = calloc(bigger.capacity, sizeof(*bigger.at));
	if (!bigger.at)
		return false;
	for (size_t i = 0; i < set->capacity; i++)
		if (set->at[i])
			*number_set_probe(&bigger, set->at[i]) = set->at[i];
	free(set->at);
	*set = bigger;
	return true;
}

bool number_set_add(struct number_set *set, uint64_t number)
{
	set->has_zero |= !number;
	if (!number)
		return true;
	/* At most half full: most numbers that are looked for are not there. */
	if (set->used >= set->capacity / 2 && !grow_set(set))
		return false;
	uint64_t *place = number_set_probe(set, number);
	set->used += !*place;
	*place = number;
	return true;
}
