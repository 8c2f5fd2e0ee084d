/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What of a table a layout can hold. */
#ifndef BATCONV_BAT_HOLDS_H
#define BATCONV_BAT_HOLDS_H

#include "bat/layout.h"

/* Whether a layout holds entry i of a fragment that has `count`: of entries that
 * share an OutputOffset, all layouts but hashed keep one, the last, which is the
 * one that translates. */
static inline bool bat_keeps_entry(const struct bat_features *features,
				   const struct bat_entry *entries,
				   uint32_t count, uint32_t i)
{
	return features->hashed || i + 1 == count ||
	       entries[i].output != entries[i + 1].output;
}

/* How many of them it holds. */
uint32_t bat_kept_entries(const struct bat_features *features,
			  const struct bat_entry *entries, uint32_t count);

/* BAT_UNHELD: `layout` cannot hold this fragment.  Returns false. */
bool bat_fail_unheld(enum bat_layout layout, const struct bat_fragment *f,
		     const char *why, struct bat_error *err);

#endif
