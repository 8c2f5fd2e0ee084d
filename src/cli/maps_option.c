/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/maps_option.h"

#include "src/addrspace/open.h"

static bool read_next(struct map_file *file, struct carried *carried, struct snapshots *out,
		      struct bc_error *err)
{
	struct snapshots one = {0};

	if (!maps_open_next(file->path, UINT64_MAX, carried, &one, &file->report, err))
		return false;
	bool ok = snapshots_merge(out, &one, err);
	snapshots_free(&one);
	return ok;
}

bool maps_option_read(struct map_file_vec *files, struct snapshots *out, struct bc_error *err)
{
	BC_AUTO(carried_free) struct carried carried = {0};

	for (size_t i = 0; i < files->len; i++)
		if (!(i ? read_next(&files->at[i], &carried, out, err)
			: maps_open_next(files->at[i].path, UINT64_MAX, &carried, out, &files->at[i].report, err)))
			return false;
	return snapshots_index(out, err);
}

bool maps_option_partial(const struct map_file_vec *files)
{
	bool partial = false;

	for (size_t i = 0; i < files->len; i++)
		partial |= reader_report_is_partial(&files->at[i].report);
	return partial;
}

const char *option_maps(struct command_line *line, const struct option_row *row, const char *value)
{
	return map_file_vec_push(option_field(line, row), (struct map_file){.path = value}) ? NULL : OPTION_NOMEM;
}
