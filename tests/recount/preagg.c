/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/recount/preagg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/recount/lines.h"
#include "tests/recount/mistakes.h"

/* What should be. */

static bool is_return(const struct count *count, uint64_t branch)
{
	for (size_t i = 0; i < count->returns.len; i++)
		if (count->returns.at[i].key[0] == branch)
			return true;
	return false;
}

/* X: what lies outside. */
static const char *mark(uint64_t at)
{
	return at == TRACE_EXTERNAL ? "X:" : "";
}

static void put_trace(struct line_vec *lines, const struct row *row, bool returns)
{
	uint64_t from = row->key[0], branch = row->key[1], to = row->key[2];

	if (to == TRACE_BR_ONLY && !returns)
		lines_put(lines, row->count, row->mispredicted, "B %s%" PRIx64 " %s%" PRIx64, mark(branch), branch,
			  mark(from), from);
	else
		lines_put(lines, row->count, row->mispredicted, "%c %s%" PRIx64 " %s%" PRIx64 " %s%" PRIx64,
			  returns ? 'R' : 'T', mark(branch), branch, mark(from), from, mark(to), to);
}

/* A fall-through alone: the letter says how it was reached. */
static void put_run(struct line_vec *lines, const struct row *row)
{
	uint64_t from = row->key[0], branch = row->key[1], to = row->key[2];
	char letter = branch == TRACE_FT_ONLY ? 'F' : branch == TRACE_FT_EXTERNAL ? 'f' : 'r';

	lines_put(lines, row->count, 0, "%c %s%" PRIx64 " %s%" PRIx64, letter, mark(from), from, mark(to), to);
}

static void put_all(struct line_vec *lines, const struct count *count)
{
	const struct row_vec *rows = count->is_basic ? &count->addresses : &count->traces;

	for (size_t i = 0; count->is_basic && i < count->events.len; i++)
		lines_put(lines, 0, 0, "E %s", count->events.at[i]);
	for (size_t i = 0; i < rows->len; i++) {
		const struct row *row = &rows->at[i];
		if (count->is_basic)
			lines_put(lines, row->count, 0, "S %s%" PRIx64, mark(row->key[0]), row->key[0]);
		else if (row->key[1] >= TRACE_FT_RETURN)
			put_run(lines, row);
		else
			put_trace(lines, row, is_return(count, row->key[1]));
	}
}

/* What is. */

static bool take_address(struct reading *line)
{
	uint64_t at;

	if (!reading_take(line, " "))
		return false;
	bool outside = reading_take(line, "X:");
	return reading_hex(line, &at) && outside == (at == TRACE_EXTERNAL);
}

/* B always has its mispredictions, T and R where there are any. */
static bool take_counts(struct reading *line, char letter, struct line *out)
{
	if (!reading_take(line, " ") || !reading_dec(line, &out->count))
		return false;
	if (strchr("TR", letter) && !line->rest.len)
		return true;
	if (!strchr("BTR", letter))
		return true;
	return reading_take(line, " ") && reading_dec(line, &out->mispredicted) &&
	       (letter == 'B' || out->mispredicted);
}

static bool read_line(void *ctx, struct text text, struct line *out)
{
	static const char *const letters = "SBFfrTR";
	static const size_t addresses[] = {1, 2, 2, 2, 2, 3, 3};
	const char *kind = text.len ? strchr(letters, *text.at) : NULL;
	struct reading line = {text_from(text, 1)};

	(void)ctx;
	if (!kind || !*kind)
		return false;
	for (size_t i = 0; i < addresses[kind - letters]; i++)
		if (!take_address(&line))
			return false;
	size_t length = (size_t)(line.rest.at - text.at);
	if (!take_counts(&line, *kind, out) || line.rest.len || !out->count)
		return false;
	out->place = strndup(text.at, length);
	return true;
}

bool preagg_compare(const char *path, const struct count *count, struct bc_error *err)
{
	struct line_vec is = {0}, should = {0};

	put_all(&should, count);
	bool ok = lines_read(path, &should, read_line, NULL, &is, err);
	if (ok)
		lines_compare(path, &is, &should);
	lines_free(&is);
	lines_free(&should);
	return ok;
}
