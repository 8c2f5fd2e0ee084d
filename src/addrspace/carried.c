/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/carried.h"

#include <stdlib.h>

void carried_free(struct carried *carried)
{
	processes_free(&carried->processes);
	mapped_files_free(&carried->files);
}

/* Copies, as the numbers of the files are others. */
static bool copy_all(const struct processes *from, const uint32_t *numbers, struct processes *to)
{
	struct renumbered done = {.numbers = numbers};
	bool ok = true;

	for (size_t i = 0; ok && i < from->all.len; i++) {
		const struct process *old = &from->all.at[i];
		struct map_set *maps = NULL;
		struct process *copy = old->used ? processes_obtain(to, old->pid) : NULL;
		ok = !old->used || (copy && map_set_renumber(old->maps, &done, &maps));
		if (!copy)
			continue;
		*copy = *old;
		copy->maps = maps;
	}
	renumbered_free(&done);
	return ok;
}

static bool copy(const struct mapped_files *from_files, const struct processes *from,
		 struct mapped_files *to_files, struct processes *to, struct bc_error *err)
{
	uint32_t *numbers = mapped_files_translate(from_files, to_files);
	bool ok = numbers && copy_all(from, numbers, to);

	free(numbers);
	return ok || bc_fail_nomem(err);
}

bool carried_keep(struct carried *carried, const struct history *history, struct bc_error *err)
{
	carried_free(carried);
	return copy(history->files, &history->processes, &carried->files, &carried->processes, err);
}

bool carried_give(const struct carried *carried, struct history *history, struct bc_error *err)
{
	processes_free(&history->before);
	return copy(&carried->files, &carried->processes, history->files, &history->before, err);
}
