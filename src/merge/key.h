/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Keys of items, put together and taken apart.  Numbers stand with their highest byte first, and
 * names end with a zero byte, which none of them holds: so bytes sort as what they stand for. */
#ifndef MERGE_KEY_H
#define MERGE_KEY_H

#include <stdlib.h>

#include "src/base/text.h"
#include "src/merge/item.h"

struct key {
	uint8_t *at;
	size_t size, room;
	bool failed; /* out of memory: it is not whole */
};

static inline void key_free(struct key *key)
{
	free(key->at);
	*key = (struct key){0};
}

static inline bool key_reserve(struct key *key, size_t more)
{
	if (more <= key->room - key->size)
		return true;
	size_t room = 2 * key->room + more + 64;
	uint8_t *at = realloc(key->at, room);
	if (!at) {
		key->failed = true;
		return false;
	}
	key->at = at;
	key->room = room;
	return true;
}

static inline void key_byte(struct key *key, uint8_t byte)
{
	if (key_reserve(key, 1))
		key->at[key->size++] = byte;
}

/* To where there is room for it; returns what is behind it. */
static inline uint8_t *key_put_number(uint8_t *to, uint64_t number)
{
	uint64_t first_highest = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? number : __builtin_bswap64(number);

	memcpy(to, &first_highest, sizeof(number));
	return to + sizeof(number);
}

static inline void key_bytes(struct key *key, const void *bytes, size_t size)
{
	if (!size || !key_reserve(key, size))
		return;
	memcpy(key->at + key->size, bytes, size);
	key->size += size;
}

static inline void key_number(struct key *key, uint64_t number)
{
	if (!key_reserve(key, sizeof(number)))
		return;
	key_put_number(key->at + key->size, number);
	key->size += sizeof(number);
}

static inline void key_name(struct key *key, struct text name)
{
	if (!key_reserve(key, name.len + 1))
		return;
	if (name.len)
		memcpy(key->at + key->size, name.at, name.len);
	key->at[key->size + name.len] = 0;
	key->size += name.len + 1;
}

/* What is left of a key.  Whoever takes it apart has put it together. */
struct key_parts {
	const uint8_t *at, *end;
};

static inline struct key_parts key_parts(const struct merge_item *item)
{
	return (struct key_parts){item->key, item->key + item->size};
}

static inline uint8_t key_take_byte(struct key_parts *parts)
{
	return *parts->at++;
}

static inline uint64_t key_take_number(struct key_parts *parts)
{
	uint64_t number;

	memcpy(&number, parts->at, sizeof(number));
	parts->at += sizeof(number);
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? number : __builtin_bswap64(number);
}

static inline struct text key_take_name(struct key_parts *parts)
{
	const char *at = (const char *)parts->at;
	size_t length = strlen(at);

	parts->at += length + 1;
	return (struct text){at, length};
}

#endif
