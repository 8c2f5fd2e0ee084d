/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/preagg_returns.h"

#include <stdlib.h>
#include <string.h>

void preagg_returns_free(struct preagg_returns *returns)
{
	for (size_t i = 0; i < returns->room; i++)
		number_set_free(&returns->at[i]);
	free(returns->at);
	strings_free(&returns->files);
	*returns = (struct preagg_returns){0};
}

bool preagg_returns_add(struct preagg_returns *returns, struct text file, uint64_t at)
{
	uint32_t number;

	if (!strings_intern(&returns->files, file, &number))
		return false;
	if (number >= returns->room) {
		size_t room = 2 * (size_t)number + 1;
		struct number_set *sets = realloc(returns->at, room * sizeof(*sets));
		if (!sets)
			return false;
		memset(sets + returns->room, 0, (room - returns->room) * sizeof(*sets));
		returns->at = sets;
		returns->room = room;
	}
	return number_set_add(&returns->at[number], at);
}

bool preagg_returns_join(struct preagg_returns *to, const struct preagg_returns *from)
{
	for (size_t file = 0; file < from->room && file < (from->files.len ? from->files.len : 1); file++) {
		const struct number_set *set = &from->at[file];
		struct text name = strings_at(&from->files, (uint32_t)file);
		if (set->has_zero && !preagg_returns_add(to, name, 0))
			return false;
		for (size_t i = 0; i < set->capacity; i++)
			if (set->at[i] && !preagg_returns_add(to, name, set->at[i]))
				return false;
	}
	return true;
}

bool preagg_returns_have(const struct preagg_returns *returns, struct text file, uint64_t at)
{
	for (uint32_t i = file.len ? 1 : 0; i < returns->room && i < returns->files.len; i++)
		if (text_equal(strings_at(&returns->files, i), file))
			return number_set_has(&returns->at[i], at);
	return !file.len && returns->room && number_set_has(&returns->at[0], at);
}
