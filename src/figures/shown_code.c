/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/shown_code.h"

#include "src/address/frames.h"
#include "src/base/json.h"
#include "src/base/sort.h"

/* ---- where it is ---- */

bool code_parts_init(struct code_parts *parts, const struct binary *binary)
{
	*parts = (struct code_parts){.binary = binary};
	return fragments_by_function_list(&binary->bat, &parts->fragments);
}

void code_parts_free(struct code_parts *parts)
{
	fragments_by_function_free(&parts->fragments);
}

bool code_parts_moved(const struct code_parts *parts, const struct function *function)
{
	return parts->binary->fragment_of[function - parts->binary->functions.at] != NO_FRAGMENT;
}

static uint32_t short_size(uint64_t size)
{
	return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

/* What to do with a fragment. */
typedef bool fragment_fn(const struct binary *binary, uint32_t fragment,
			 struct code_piece_vec *out);

/* Visits the fragment that a function begins with, then its cold ones. */
static bool each_fragment(const struct code_parts *parts, const struct function *function,
			  fragment_fn *visit, struct code_piece_vec *out)
{
	const struct binary *binary = parts->binary;
	uint32_t own = binary->fragment_of[function - binary->functions.at];

	out->len = 0;
	if (own == NO_FRAGMENT)
		return code_piece_vec_push(out, (struct code_piece){0, short_size(function->size),
								    function->address, false});
	bool ok = visit(binary, own, out);
	for (uint32_t i = parts->fragments.first[own]; ok && i < parts->fragments.first[own + 1];
	     i++)
		ok = parts->fragments.at[i] == own || visit(binary, parts->fragments.at[i], out);
	return ok;
}

static bool push_whole(const struct binary *binary, uint32_t fragment, struct code_piece_vec *out)
{
	const struct bat_fragment *f = &binary->bat.fragments[fragment];

	return code_piece_vec_push(
		out, (struct code_piece){0, short_size(binary_fragment_size(binary, fragment)),
					 f->address, f->cold});
}

bool code_parts_whole(const struct code_parts *parts, const struct function *function,
		      struct code_piece_vec *out)
{
	return each_fragment(parts, function, push_whole, out);
}

/* Entries after the fragment's end are of code that was deleted. */
static bool push_pieces(const struct binary *binary, uint32_t fragment, struct code_piece_vec *out)
{
	const struct bat_fragment *f = &binary->bat.fragments[fragment];
	const struct bat_entry *entries = binary->bat.entries + f->first_entry;
	uint32_t size = short_size(binary_fragment_size(binary, fragment));

	for (uint32_t i = 0; i < f->entry_count; i++) {
		uint32_t next = i + 1 < f->entry_count ? entries[i + 1].output : size,
			 end = next < size ? next : size;
		struct code_piece piece = {bat_entry_input(entries[i]), end - entries[i].output,
					   f->address + entries[i].output, f->cold};
		if (entries[i].output < end && !code_piece_vec_push(out, piece))
			return false;
	}
	return true;
}

static bool piece_less(const struct code_piece *a, const struct code_piece *b)
{
	return a->input != b->input ? a->input < b->input : a->address < b->address;
}
DEFINE_SORT(sort_pieces, struct code_piece, piece_less)

bool code_parts_pieces(const struct code_parts *parts, const struct function *function,
		       struct code_piece_vec *out)
{
	if (!each_fragment(parts, function, push_pieces, out))
		return false;
	sort_pieces(out->at, out->len);
	return true;
}

DEFINE_SEARCH(pieces_up_to, struct code_piece, uint64_t, item->input <= key)

const struct code_piece *code_piece_at(const struct code_piece_vec *pieces, uint64_t input)
{
	size_t up_to = pieces_up_to(pieces->at, pieces->len, input);
	const struct code_piece *piece = up_to ? &pieces->at[up_to - 1] : NULL;

	return piece && input - piece->input < piece->size ? piece : NULL;
}

/* ---- its lines ---- */

#define ESCAPED 6 /* bytes that one of a string can become */

/* Opens one of both.  Without libdw, or without debug information, there are no lines, and that is
 * no failure. */
static bool open_one(const char *path, const struct debug_dirs *dirs, struct debug_lines **out,
		     struct bc_error *err)
{
	if (!path || debug_lines_open(path, dirs, false, out, err))
		return true;
	*out = NULL;
	return err->code != BC_NOMEM;
}

bool source_lines_open(const struct binary *optimized, const char *path, const char *input,
		       const struct debug_dirs *dirs, struct source_lines *out,
		       struct bc_error *err)
{
	*out = (struct source_lines){.of_moved = libraries_has_lines(optimized)};
	debug_lines_stay_offline();
	return open_one(path, dirs, &out->optimized, err) &&
	       open_one(input, dirs, &out->input, err);
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

static bool find_in(struct source_lines *lines, struct debug_lines *source, uint64_t at,
		    uint32_t *file, uint32_t *line)
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

bool source_lines_find(struct source_lines *lines, uint64_t optimized, uint64_t input,
		       uint32_t *file, uint32_t *line)
{
	*file = *line = 0;
	if (!find_in(lines, lines->optimized, optimized, file, line))
		return false;
	return *file || find_in(lines, lines->input, input, file, line);
}
