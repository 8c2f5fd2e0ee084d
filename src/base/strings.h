/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Strings that are kept once and named by a number: paths and build-ids repeat
 * in every map of a process.  They may hold any bytes.
 */
#ifndef BASE_STRINGS_H
#define BASE_STRINGS_H

#include "src/base/attr.h"
#include "src/base/map.h"
#include "src/base/text.h"

struct strings {
	struct text *at; /* of each number below `len`; 0 is the empty string */
	uint32_t len, cap;
	struct map numbers; /* of the strings that are not empty */
};

/* Zeroed means empty. */
void strings_free(struct strings *strings);

/* The number of a string.  False: it is not there. */
bool strings_find(const struct strings *strings, struct text text, uint32_t *out);

/* The number of a string, which is copied if it is new.  Returns false when out
 * of memory, or at 2^31 strings. */
BC_MUST_USE bool strings_intern(struct strings *strings, struct text text, uint32_t *out);

/* Forget the strings from the number `len` on: those that were new since there were so many. */
void strings_truncate(struct strings *strings, uint32_t len);

/* The string of a number, NUL-terminated after its length; valid as long as
 * the set.  Unknown numbers are the empty string. */
struct text strings_at(const struct strings *strings, uint32_t number);

#endif
