/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A growing array of one type.  Zeroed means empty. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "src/base/attr.h"
#include "src/base/large_pages.h"

/* Defines struct NAME with elements at[0 .. len), NAME_reserve(), which makes room for at least so many
 * in all, and NAME_push(), which both return false when out of memory, and NAME_free(). */
#define DEFINE_VEC(name, T)                                                    \
	struct name {                                                          \
		T *at;                                                         \
		size_t len, cap;                                               \
	};                                                                     \
	static inline bool name##_reserve(struct name *v, size_t cap)          \
	{                                                                      \
		if (cap <= v->cap)                                             \
			return true;                                           \
		if (cap > SIZE_MAX / sizeof(T))                                \
			return false;                                          \
		T *at = large_realloc(v->at, v->len * sizeof(T), cap * sizeof(T)); \
		if (!at)                                                       \
			return false;                                          \
		v->at = at;                                                    \
		v->cap = cap;                                                  \
		return true;                                                   \
	}                                                                      \
	BC_MAY_BE_UNUSED static inline bool name##_push(struct name *v, T item) \
	{                                                                      \
		if (v->len == v->cap && !name##_reserve(v, v->cap ? 2 * v->cap : 16)) \
			return false;                                          \
		v->at[v->len++] = item;                                        \
		return true;                                                   \
	}                                                                      \
	BC_MAY_BE_UNUSED static inline void name##_free(struct name *v)        \
	{                                                                      \
		free(v->at);                                                   \
		*v = (struct name){0};                                         \
	}                                                                      \
	struct name /* takes the semicolon */

#endif
