/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Binary search in a sorted array of one type. */
#ifndef BASE_SEARCH_H
#define BASE_SEARCH_H

#include <stddef.h>

/* Defines size_t NAME(at, count, key), which returns how many elements stand before the place of
 * a key: the index of the first element that does not, or `count`.
 *
 * BEFORE is an expression of `item`, a const T *, and `key`, a K: does this element stand before
 * that place?  It is true for the first elements of the array and false for all behind them.
 * With `item->start < key` the result is the first element that is not below the key, with
 * `item->start <= key` the first one above it, so that the last one at or below it is the one
 * before the result. */
#define DEFINE_SEARCH(name, T, K, BEFORE)                                      \
	static inline size_t name(const T *at, size_t count, K key)            \
	{                                                                      \
		size_t low = 0, high = count;                                  \
		while (low < high) {                                           \
			size_t middle = low + (high - low) / 2;                \
			const T *item = &at[middle];                           \
			if (BEFORE)                                            \
				low = middle + 1;                              \
			else                                                   \
				high = middle;                                 \
		}                                                              \
		return low;                                                    \
	}

#endif
