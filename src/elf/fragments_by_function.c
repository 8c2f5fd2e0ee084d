/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/fragments_by_function.h"

#include <stdlib.h>

/* A counting sort.  first[] has how many there are, then where they end, then where they begin. */
bool fragments_by_function_list(const struct bat_table *bat, struct fragments_by_function *out)
{
	uint32_t count = bat->fragment_count, hot;

	*out = (struct fragments_by_function){malloc((count + (size_t)1) * sizeof(*out->at)), calloc(count + (size_t)1, sizeof(*out->first))};
	if (!out->at || !out->first) {
		fragments_by_function_free(out);
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
		if ((hot = fragment_hot_one(bat, i)) != BAT_NO_PARENT)
			out->first[hot]++;
	for (uint32_t i = 0; i < count; i++)
		out->first[i + 1] += out->first[i];
	for (uint32_t i = count; i-- > 0;)
		if ((hot = fragment_hot_one(bat, i)) != BAT_NO_PARENT)
			out->at[--out->first[hot]] = i;
	return true;
}

void fragments_by_function_free(struct fragments_by_function *fragments)
{
	free(fragments->at);
	free(fragments->first);
	*fragments = (struct fragments_by_function){0};
}
