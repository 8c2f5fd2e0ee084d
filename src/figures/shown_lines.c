/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/shown_lines.h"

#include "src/base/json.h"
#include "src/address/libraries.h"

#define ESCAPED 6 /* bytes that one of a string can become */

/* Opens one of both.  Without libdw, or without debug information, there are no lines, and that is no failure. */
static bool open_one(const char *path, const struct debug_dirs *dirs, struct debug_lines **out, struct bc_error *err)
{
	if (!path || debug_lines_open(path, dirs, false, out, err))
		return true;
	*out = NULL;
	return err->code != BC_NOMEM;
}

bool source_lines_open(const struct binary *optimized, const char *path, const char *input, const struct debug_dirs *dirs,
		       struct source_lines *out, struct bc_error *err)
{
	*out = (struct source_lines){.of_moved = libraries_has_lines(optimized)};
	debug_lines_stay_offline();
	return open_one(path, dirs, &out->optimized, err) && open_one(input, dirs, &out->input, err);
}

void source_lines_close(struct source_lines *lines)
{
	if (lines->optimized)
		debug_lines_close(lines->optimized);
	if (lines->input)
		debug_lines_close(lines->input);
	strings_free(&lines->files);
	*lines = (struct source_lines){0};
}

static bool intern(struct source_lines *lines, const char *name, uint32_t *file)
{
	struct text text = text_of(name);
	uint32_t before = lines->files.len;

	if (!strings_intern(&lines->files, text, file))
		return false;
	size_t shown = text.len < JSON_PAGE_STRING ? text.len : JSON_PAGE_STRING;
	if (lines->files.len != before && *file == lines->files.len - 1)
		lines->file_bytes += ESCAPED * (shown + 1) + 3;
	return true;
}

static bool find_in(struct source_lines *lines, struct debug_lines *source, uint64_t at, uint32_t *file, uint32_t *line)
{
	struct source_places places = {0};
	struct bc_error err;

	if (!source || !at)
		return true;
	if (!debug_lines_find(source, (struct vaddr){at}, &places, &err))
		return err.code != BC_NOMEM;
	if (!places.count || !places.at[0].file || !places.at[0].line)
		return true;
	*line = places.at[0].line;
	return intern(lines, places.at[0].file, file);
}

bool source_lines_find(struct source_lines *lines, uint64_t optimized, uint64_t input, uint32_t *file, uint32_t *line)
{
	*file = *line = 0;
	if (!find_in(lines, lines->optimized, optimized, file, line))
		return false;
	return *file || find_in(lines, lines->input, input, file, line);
}
