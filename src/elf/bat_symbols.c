/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/bat_symbols.h"

#include <stdlib.h>

bool symbols_fix_parents(const struct symbol_table *symbols, struct bat_table *table,
			 struct bat_parents *out, struct bc_error *err)
{
	struct bat_symbol *list = malloc((symbols->count + 1) * sizeof(*list));
	struct bat_error bat_err;

	if (!list)
		return bc_fail_nomem(err);
	for (size_t i = 0; i < symbols->count; i++) {
		const struct symbol *s = &symbols->at[i];
		list[i] = (struct bat_symbol){s->address, s->name, s->order, s->file};
	}
	/* Out of memory is all that it can fail of. */
	bool ok = bat_fix_parents(table, list, symbols->count, out, &bat_err);
	free(list);
	return ok || bc_fail_nomem(err);
}
