/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/digest_cache.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/digest.h"
#include "src/base/map.h"

#define SETS 512
#define WAYS 4

/* The key as words, so that it has no padding. */
struct cache_key {
	uint64_t device, inode, size, seconds, nanoseconds;
};

struct cache_entry {
	struct cache_key key;
	uint8_t digest[SHA256_SIZE];
};

struct digest_cache {
	struct cache_entry at[SETS][WAYS];
	uint8_t next[SETS]; /* which one gives way */
};

static struct cache_key key_of(const struct stat *file)
{
	return (struct cache_key){file->st_dev, file->st_ino, (uint64_t)file->st_size,
				  (uint64_t)file->st_ctim.tv_sec, (uint64_t)file->st_ctim.tv_nsec};
}

static size_t set_of(const struct cache_key *key)
{
	return hash_end(hash_bytes(0, (const void *)key, sizeof(*key))) % SETS;
}

void digest_cache_free(struct digest_cache *cache)
{
	free(cache);
}

bool digest_cache_find(const struct digest_cache *cache, const struct stat *file,
		       struct build_id *out)
{
	const struct cache_key key = key_of(file);
	const struct cache_entry *set = cache ? cache->at[set_of(&key)] : NULL;

	for (size_t i = 0; set && i < WAYS; i++) {
		if (memcmp(&set[i].key, &key, sizeof(key)) != 0)
			continue;
		out->size = SHA256_SIZE;
		memcpy(out->data, set[i].digest, SHA256_SIZE);
		return true;
	}
	return false;
}

void digest_cache_put(struct digest_cache **cache, const struct stat *file,
		      const struct build_id *digest)
{
	const struct cache_key key = key_of(file);

	if (!*cache)
		*cache = calloc(1, sizeof(**cache));
	if (!*cache)
		return;
	size_t set = set_of(&key);
	struct cache_entry *entry = &(*cache)->at[set][(*cache)->next[set]++ % WAYS];
	entry->key = key;
	memcpy(entry->digest, digest->data, SHA256_SIZE);
}
