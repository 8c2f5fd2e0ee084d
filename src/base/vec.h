/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A growing array of one type, and the large pages under it.  Zeroed means empty. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "src/base/attr.h"

/* Defines struct NAME with elements at[0 .. len), NAME_reserve(), which makes room for at least so
 * many in all, and NAME_push(), which both return false when out of memory, and NAME_free(). */
#define DEFINE_VEC(name, T)                                                                        \
	struct name {                                                                              \
		T *at;                                                                             \
		size_t len, cap;                                                                   \
	};                                                                                         \
	static inline bool name##_reserve(struct name *v, size_t cap)                              \
	{                                                                                          \
		if (cap <= v->cap)                                                                 \
			return true;                                                               \
		if (cap > SIZE_MAX / sizeof(T))                                                    \
			return false;                                                              \
		T *at = large_realloc(v->at, v->len * sizeof(T), cap * sizeof(T));                 \
		if (!at)                                                                           \
			return false;                                                              \
		v->at = at;                                                                        \
		v->cap = cap;                                                                      \
		return true;                                                                       \
	}                                                                                          \
	BC_MAY_BE_UNUSED static inline bool name##_push(struct name *v, T item)                    \
	{                                                                                          \
		if (v->len == v->cap && !name##_reserve(v, v->cap ? 2 * v->cap : 16))              \
			return false;                                                              \
		v->at[v->len++] = item;                                                            \
		return true;                                                                       \
	}                                                                                          \
	BC_MAY_BE_UNUSED static inline void name##_free(struct name *v)                            \
	{                                                                                          \
		free(v->at);                                                                       \
		*v = (struct name){0};                                                             \
	}                                                                                          \
	struct name /* takes the semicolon */

/* Large pages under large arrays: on x86-64 one page fault for 2 MB instead of 512, and fewer TLB
 * misses in arrays that are read out of order.  Linux gives them where
 * /sys/kernel/mm/transparent_hugepage/enabled says `always' or, as most distributions set it,
 * `madvise'. */

/* Asks for large pages in the memory at AT of SIZE bytes, which malloc, realloc or the like gave;
 * NULL is accepted.  Memory of less than two large pages stays as it is.  Returns AT.  It is only a
 * hint: a kernel that refuses changes nothing.  Safe in any thread. */
void *large_pages(void *at, size_t size);

/* realloc() that keeps the first USED bytes only, and asks for large pages before it copies them:
 * what realloc() has touched keeps its small pages.  NULL: no memory, AT is as it was. */
void *large_realloc(void *at, size_t used, size_t size);

#endif
