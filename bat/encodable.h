/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which entries of a table a layout can encode. */
#ifndef BATCONV_BAT_ENCODABLE_H
#define BATCONV_BAT_ENCODABLE_H

#include "bat/layout.h"

/* Does a layout encode entry i of a fragment of `count` entries?  All layouts but
 * hashed have one entry for each OutputOffset.  Of several the last one is encoded,
 * which is the one that translates. */
static inline bool bat_encodes_entry(const struct bat_features *features,
				   const struct bat_entry *entries,
				   uint32_t count, uint32_t i)
{
	return features->hashed || i + 1 == count ||
	       entries[i].output != entries[i + 1].output;
}

/* How many of the entries a layout encodes. */
uint32_t bat_encoded_entries(const struct bat_features *features,
			  const struct bat_entry *entries, uint32_t count);

/* BAT_ERROR_UNENCODABLE: `layout` cannot encode this fragment.  Returns false. */
bool bat_fail_unencodable(enum bat_layout layout, const struct bat_fragment *f,
		     const char *why, struct bat_error *err);

#endif
