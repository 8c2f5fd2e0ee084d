/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Sorting an array of one type, with the comparison inlined: several times as fast as
 * qsort() where elements are large and many.  Binary search in a sorted one.
 */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/attr.h"

#define SORT_SMALL 12 /* parts up to this length are sorted by insertion */

/* Defines NAME(at, count): sorts in place, not stable, O(n log n) always (a
 * heap sort when quick sort's pivots turn out bad).  LESS(a, b) takes two
 * pointers to const T. */
#define DEFINE_SORT(name, T, LESS)                                                                 \
	static inline void name##_insertion(T *at, size_t count)                                   \
	{                                                                                          \
		for (size_t i = 1; i < count; i++) {                                               \
			T item = at[i];                                                            \
			size_t to = i;                                                             \
			for (; to && LESS(&item, &at[to - 1]); to--)                               \
				at[to] = at[to - 1];                                               \
			at[to] = item;                                                             \
		}                                                                                  \
	}                                                                                          \
	static inline void name##_sink(T *at, size_t from, size_t count)                           \
	{                                                                                          \
		T item = at[from];                                                                 \
		for (size_t child; (child = 2 * from + 1) < count; from = child) {                 \
			if (child + 1 < count && LESS(&at[child], &at[child + 1]))                 \
				child++;                                                           \
			if (!LESS(&item, &at[child]))                                              \
				break;                                                             \
			at[from] = at[child];                                                      \
		}                                                                                  \
		at[from] = item;                                                                   \
	}                                                                                          \
	static inline void name##_heap(T *at, size_t count)                                        \
	{                                                                                          \
		for (size_t i = count / 2; i-- > 0;)                                               \
			name##_sink(at, i, count);                                                 \
		for (size_t end = count; end-- > 1;) {                                             \
			T first = at[0];                                                           \
			at[0] = at[end];                                                           \
			at[end] = first;                                                           \
			name##_sink(at, 0, end);                                                   \
		}                                                                                  \
	}                                                                                          \
	/* Moves what is less than the pivot to the front; both parts are      \
	 * shorter than the whole.  The pivot is the middle one of three. */                   \
	static inline size_t name##_split(T *at, size_t count)                                     \
	{                                                                                          \
		const T *a = &at[0], *b = &at[count / 2], *c = &at[count - 1];                     \
		const T *middle = LESS(a, b) ? (LESS(b, c) ? b :                                   \
						LESS(a, c) ? c :                                   \
							     a) :                                  \
					       (LESS(a, c) ? a :                                   \
						LESS(b, c) ? c :                                   \
							     b);                                   \
		T pivot = *middle;                                                                 \
		size_t i = 0, j = count - 1;                                                       \
		for (;; i++, j--) {                                                                \
			while (LESS(&at[i], &pivot))                                               \
				i++;                                                               \
			while (LESS(&pivot, &at[j]))                                               \
				j--;                                                               \
			if (i >= j)                                                                \
				return j + 1 < count ? j + 1 : count - 1;                          \
			T item = at[i];                                                            \
			at[i] = at[j];                                                             \
			at[j] = item;                                                              \
		}                                                                                  \
	}                                                                                          \
	static inline void name##_part(T *at, size_t count, unsigned depth)                        \
	{                                                                                          \
		while (count > SORT_SMALL && depth--) {                                            \
			size_t front = name##_split(at, count);                                    \
			name##_part(at + front, count - front, depth);                             \
			count = front;                                                             \
		}                                                                                  \
		if (count > SORT_SMALL)                                                            \
			name##_heap(at, count);                                                    \
		else                                                                               \
			name##_insertion(at, count);                                               \
	}                                                                                          \
	static inline void name(T *at, size_t count)                                               \
	{                                                                                          \
		unsigned depth = 4;                                                                \
		for (size_t n = count; n; n >>= 1)                                                 \
			depth += 2;                                                                \
		name##_part(at, count, depth);                                                     \
	}

/* Defines size_t NAME(at, count): of equal neighbors the first one stays, and takes what the
 * others count.  Returns how many elements are left, at the front.
 *
 * SAME is an expression, and ADD a statement, of `last`, a T * to the one that stays, and `item`, a
 * const T * to one after it. */
#define DEFINE_UNIFY(name, T, SAME, ADD)                                                           \
	static inline size_t name(T *at, size_t count)                                             \
	{                                                                                          \
		size_t kept = 0;                                                                   \
		for (size_t i = 0; i < count; i++) {                                               \
			T *last = kept ? &at[kept - 1] : NULL;                                     \
			const T *item = &at[i];                                                    \
			if (last && (SAME)) {                                                      \
				ADD;                                                               \
				continue;                                                          \
			}                                                                          \
			if (kept != i)                                                             \
				at[kept] = *item;                                                  \
			kept++;                                                                    \
		}                                                                                  \
		return kept;                                                                       \
	}

/* Sorting by a 64-bit key, in linear time and stable. */

struct keyed {
	uint64_t key;
	size_t index; /* of the item that has this key */
};

/* Sort by key; equal keys keep their order.  False when out of memory. */
BC_MUST_USE bool sort_keyed(struct keyed *items, size_t count);

/* Defines size_t NAME(at, count, key), which returns how many elements are before the position of
 * a key: the index of the first element that does not, or `count`.
 *
 * BEFORE is an expression of `item`, a const T *, and `key`, a K: is this element before
 * that position?  It is true for the first elements of the array and false for all after them.
 * With `item->start < key` the result is the first element that is not below the key, with
 * `item->start <= key` the first one above it, so that the last one at or below it is the one
 * before the result. */
#define DEFINE_SEARCH(name, T, K, BEFORE)                                                          \
	static inline size_t name(const T *at, size_t count, K key)                                \
	{                                                                                          \
		size_t low = 0, high = count;                                                      \
		while (low < high) {                                                               \
			size_t middle = low + (high - low) / 2;                                    \
			const T *item = &at[middle];                                               \
			if (BEFORE)                                                                \
				low = middle + 1;                                                  \
			else                                                                       \
				high = middle;                                                     \
		}                                                                                  \
		return low;                                                                        \
	}

#endif
