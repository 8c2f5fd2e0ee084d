/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A profile in a file, of whatever format: a head, which says what the profile is of, and items. An
 * item is a key and what is counted for it.  Keys are bytes whose order, that of memcmp() with a
 * prefix first, is the order of the merged profile; items of equal keys are added up.  Files are
 * read and written as streams of items, in constant memory; a profile of one binary that is at hand
 * as a whole is profile.h.
 */
#ifndef PROFILE_ITEM_H
#define PROFILE_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/build_id.h"
#include "src/base/error.h"
#include "src/base/strings.h"
#include "src/base/text.h"
#include "src/samples/file_kind.h"

/* "fdata", "yaml", "preagg"; also what files of this kind are called in the end. */
const char *profile_kind_name(enum profile_kind kind);

/* What is counted. */
enum profile_mode {
	MODE_OPEN, /* nothing says it: fits the others */
	MODE_BRANCHES,
	MODE_PLAIN, /* addresses or locations of basic samples */
};

/* What the origin of a YAML profile says.  LLVM's tools take any text there. */
#define PROFILE_ORIGIN        "perf data aggregator"
#define PROFILE_INFERRED      "branches inferred from addresses"
#define PROFILE_NUMBERED_ANEW "functions numbered again"

struct profile_head {
	enum profile_kind kind;
	enum profile_mode mode;
	bool bolted;           /* fdata: boltedcollection */
	struct build_id id;    /* YAML: binary-build-id as it is there */
	struct strings events; /* names, a set */

	/* YAML only */
	struct strings words; /* texts of the numbers below */
	uint32_t binary_name;
	struct strings origins;                 /* a set */
	struct strings unknown, unknown_behind; /* keys that only others know, after the functions,
						   too: scan_unknown() */
	bool dfs_order, has_hash_func;
	uint32_t hash_func;
	bool anew; /* among the origins: PROFILE_NUMBERED_ANEW, which is not put there */
};

void profile_head_free(struct profile_head *head);

/* Does it say that its branches were inferred?  YAML alone can. */
bool profile_head_inferred(const struct profile_head *head);

/* Why two profiles cannot be one, or NULL.  The same for both orders. */
const char *profile_head_conflict(const struct profile_head *a, const struct profile_head *b);

/* Make `to` the head of both.  The result does not depend on the order of several.  BC_NOMEM */
BC_MUST_USE bool profile_head_join(struct profile_head *to, const struct profile_head *from,
				   struct bc_error *err);

/* The strings of a set in the order of their bytes, in new memory of `set->len - 1` (0: one).
 * NULL: out of memory */
struct text *profile_set_sorted(const struct strings *set);

/* How many they are. */
static inline size_t profile_set_size(const struct strings *set)
{
	return set->len ? set->len - 1 : 0; /* 0 is the empty string */
}

/* The words of a text, between blanks or commas, into a set. */
BC_MUST_USE bool profile_set_add_words(struct strings *set, struct text words, const char *between);

/* ---- items ---- */

__extension__ typedef unsigned __int128 exact_sum; /* of counts: exact */

struct profile_item {
	const uint8_t *key; /* borrowed from whoever delivered it */
	size_t size;
	uint64_t sum[2];  /* count and mispredictions, or what else is added; see the kinds */
	uint64_t same[2]; /* must be equal in all items of one key that know it; 0: not known */
};

static inline int profile_item_compare(const struct profile_item *a, const struct profile_item *b)
{
	size_t size = a->size < b->size ? a->size : b->size, at = 0;

	/* Most keys differ in their first bytes, or are short: memcpy() is no call. */
	for (; at < 24 && size - at >= 8; at += 8) {
		uint64_t x, y;
		memcpy(&x, a->key + at, 8);
		memcpy(&y, b->key + at, 8);
		if (x == y)
			continue;
		if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
			x = __builtin_bswap64(x);
			y = __builtin_bswap64(y);
		}
		return x < y ? -1 : 1;
	}
	int order = size > at ? memcmp(a->key + at, b->key + at, size - at) : 0;

	return order ? order : (a->size > b->size) - (a->size < b->size);
}

/* Keys that differ mostly do so in what ends them, an offset. */
static inline bool profile_item_equal(const struct profile_item *a, const struct profile_item *b)
{
	uint64_t x, y;

	if (a->size != b->size)
		return false;
	if (a->size < sizeof(x))
		return !a->size || !memcmp(a->key, b->key, a->size);
	memcpy(&x, a->key + a->size - sizeof(x), sizeof(x));
	memcpy(&y, b->key + b->size - sizeof(y), sizeof(y));
	return x == y && !memcmp(a->key, b->key, a->size - sizeof(x));
}

/* Add `from` to `to`.  saturate: sums that do not fit become 2^64 - 1, and *saturated counts
 * them; else false. */
static inline bool profile_item_add(struct profile_item *to, const struct profile_item *from,
				    bool saturate, uint64_t *saturated)
{
	for (int i = 0; i < 2; i++) {
		to->same[i] |= from->same[i]; /* they agree */
		if (!__builtin_add_overflow(to->sum[i], from->sum[i], &to->sum[i]))
			continue;
		if (!saturate)
			return false;
		to->sum[i] = UINT64_MAX;
		++*saturated;
	}
	return true;
}

static inline bool profile_item_agrees(const struct profile_item *a, const struct profile_item *b)
{
	for (int i = 0; i < 2; i++)
		if (a->same[i] != b->same[i] && a->same[i] && b->same[i])
			return false;
	return true;
}

/* ---- keys, put together and taken apart ----
 * Numbers are with their highest byte first, and names end with a zero byte, which none of them
 * holds: so bytes sort as what they represent. */
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

/* To where there is room for it; returns what is after it. */
static inline uint8_t *key_put_number(uint8_t *to, uint64_t number)
{
	uint64_t first_highest =
		__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? number : __builtin_bswap64(number);

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

static inline struct key_parts key_parts(const struct profile_item *item)
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
