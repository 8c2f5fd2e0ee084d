/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/encodable.h"

#include <stdio.h>

uint32_t bat_encoded_entries(const struct bat_features *features,
			  const struct bat_entry *entries, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		kept += bat_encodes_entry(features, entries, count, i);
	return kept;
}

bool bat_fail_unencodable(enum bat_layout layout, const struct bat_fragment *f,
		     const char *why, struct bat_error *err)
{
	*err = (struct bat_error){ .code = BAT_ERROR_UNENCODABLE, .field = "" };
	(void)snprintf(err->text, sizeof(err->text),
		       "layout %s cannot hold the fragment at 0x%llx: %s",
		       bat_layout_name(layout), (unsigned long long)f->address,
		       why);
	return false;
}
