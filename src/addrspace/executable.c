/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/addrspace/executable.h"

#include <stdlib.h>

#include "src/addrspace/last_snapshots.h"

struct filter {
	const struct snapshots *from;
	struct snapshots out;
	uint32_t *numbers; /* of the files: in `out`, by those in `from`; 0: not met yet */
	struct last_snapshots lasts;
	struct mapping_vec code; /* of the map at hand */
};

static bool take_file(struct filter *f, uint32_t number, uint32_t *out)
{
	struct mapped_file file = *mapped_files_at(&f->from->files, number);
	const struct strings *from = &f->from->files.texts;
	struct strings *into = &f->out.files.texts;

	if (!f->numbers[number] &&
	    !(strings_intern(into, strings_at(from, file.path), &file.path) &&
	      strings_intern(into, strings_at(from, file.build_id), &file.build_id) &&
	      mapped_files_intern(&f->out.files, &file, &f->numbers[number])))
		return false;
	*out = f->numbers[number];
	return true;
}

static bool list_code(struct filter *f, const struct map_set *maps)
{
	const struct mapping *next;

	f->code.len = 0;
	for (uint64_t at = 0; (next = map_set_above(maps, at)); at = next->end) {
		struct mapping m = *next;
		if (m.flags & MAPPING_EXEC && !(take_file(f, m.file, &m.file) && mapping_vec_push(&f->code, m)))
			return false;
	}
	return true;
}

/* What a map has in common with the last one of its process stays shared. */
static bool take_snapshot(struct filter *f, const struct snapshot *s, struct bc_error *err)
{
	uint32_t last;
	bool found = last_snapshot_find(&f->lasts, &f->out, s->pid, &last);
	struct map_set *maps = map_set_share(found ? f->out.all.at[last].maps : NULL);

	bool ok = (list_code(f, s->maps) && map_set_update(&maps, f->code.at, f->code.len)) || bc_fail_nomem(err);
	ok = ok && snapshots_add(&f->out, s->pid, s->id, s->time, maps, err);
	map_set_release(maps);
	if (ok)
		last_snapshot_set(&f->lasts, &f->out, (uint32_t)f->out.all.len - 1);
	return ok;
}

bool snapshots_executable(const struct snapshots *from, struct snapshots *out, struct bc_error *err)
{
	struct filter f = {.from = from, .numbers = calloc((size_t)from->files.files.len + 1, sizeof(uint32_t))};
	bool ok = f.numbers && last_snapshots_init(&f.lasts, from->all.len);

	if (!ok)
		bc_fail_nomem(err);
	for (size_t i = 0; ok && i < from->all.len; i++)
		ok = take_snapshot(&f, &from->all.at[i], err);
	ok = ok && snapshots_index(&f.out, err);
	last_snapshots_free(&f.lasts);
	mapping_vec_free(&f.code);
	free(f.numbers);
	if (ok)
		*out = f.out;
	else
		snapshots_free(&f.out);
	return ok;
}
