/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the symbols call a table's fragments. */
#ifndef BATCONV_BAT_MENTIONS_H
#define BATCONV_BAT_MENTIONS_H

#include "bat/bat.h"

/* A symbol at the beginning of a fragment. */
struct bat_mention {
	const char *name;  /* of the function, `length` characters: of a cold  */
	size_t length;     /* fragment's symbol without .cold.N, .cold, .warm  */
	uint32_t fragment;
	uint32_t order, file; /* as in struct bat_symbol                       */
	uint32_t number;      /* N of .cold.N, or BAT_NO_NUMBER                */
	uint32_t distance;    /* free for use                                  */
};

#define BAT_NO_NUMBER UINT32_MAX

struct bat_mentions {
	struct bat_mention *hot;  /* by name, then order */
	struct bat_mention *cold; /* in any order        */
	size_t hot_count, cold_count;
};

/* Symbols elsewhere, and those of cold fragments without a suffix, are left
 * out.  False: out of memory.  The names stay the caller's. */
BAT_MUST_USE bool bat_mentions_init(struct bat_mentions *m,
				    const struct bat_table *table,
				    const struct bat_symbol *symbols,
				    size_t count);
void bat_mentions_fini(struct bat_mentions *m);

/* The hot mentions of the same name, [*begin, *end) by order. */
void bat_mentions_find(const struct bat_mentions *m,
		       const struct bat_mention *cold,
		       const struct bat_mention **begin,
		       const struct bat_mention **end);

#endif
