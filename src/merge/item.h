/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What profiles of every kind are made of while they are merged: a key and what is counted for
 * it.  Keys are bytes whose order, that of memcmp() with a prefix first, is the order of the
 * merged profile; items of equal keys are added up.
 */
#ifndef MERGE_ITEM_H
#define MERGE_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 merge_sum; /* of counts: exact */

struct merge_item {
	const uint8_t *key; /* borrowed from whoever delivered it */
	size_t size;
	uint64_t sum[2];  /* count and mispredictions, or what else is added; see the kinds */
	uint64_t same[2]; /* must be equal in all items of one key that know it; 0: not known */
};

static inline int merge_item_compare(const struct merge_item *a, const struct merge_item *b)
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
static inline bool merge_item_equal(const struct merge_item *a, const struct merge_item *b)
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
static inline bool merge_item_add(struct merge_item *to, const struct merge_item *from, bool saturate,
				  uint64_t *saturated)
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

static inline bool merge_item_agrees(const struct merge_item *a, const struct merge_item *b)
{
	for (int i = 0; i < 2; i++)
		if (a->same[i] != b->same[i] && a->same[i] && b->same[i])
			return false;
	return true;
}

#endif
