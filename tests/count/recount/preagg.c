/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/preagg.h"

#include <inttypes.h>
#include <string.h>

#include "tests/count/recount/lines.h"
#include "tests/count/recount/writing.h"

/* What should be. */

/* X: what lies outside. */
static void write_address(FILE *to, uint64_t at)
{
	fprintf(to, " %s%" PRIx64, at == TRACE_EXTERNAL ? "X:" : "", at);
}

/* The letter says what is known: a fall-through alone has none of a branch of ours. */
static char letter_of(const struct row *row, bool returns)
{
	switch (row->key[1]) {
	case TRACE_FT_ONLY: return 'F';
	case TRACE_FT_EXTERNAL: return 'f';
	case TRACE_FT_RETURN: return 'r';
	default: return returns ? 'R' : row->key[2] == TRACE_BR_ONLY ? 'B' : 'T';
	}
}

static void put_trace(struct line_vec *lines, const struct row *row, bool returns)
{
	char letter = letter_of(row, returns);
	struct writing line;

	writing_begin(&line);
	fputc(letter, line.to);
	if (strchr("TRB", letter))
		write_address(line.to, row->key[1]);
	write_address(line.to, row->key[0]);
	if (letter != 'B')
		write_address(line.to, row->key[2]);
	lines_put(lines, writing_end(&line), row->count, row->mispredicted);
}

static void put_address(struct line_vec *lines, const struct row *row)
{
	struct writing line;

	writing_begin(&line);
	fputc('S', line.to);
	write_address(line.to, row->key[0]);
	lines_put(lines, writing_end(&line), row->count, 0);
}

static void put_event(struct line_vec *lines, const char *name)
{
	struct writing line;

	writing_begin(&line);
	fprintf(line.to, "E %s", name);
	lines_put(lines, writing_end(&line), 0, 0);
}

static void put_all(struct line_vec *lines, const struct count *count, const struct row_vec *kept)
{
	for (size_t i = 0; count->is_basic && i < count->events.len; i++)
		put_event(lines, count->events.at[i]);
	for (size_t i = 0; i < kept->len; i++)
		if (count->is_basic)
			put_address(lines, &kept->at[i]);
		else
			put_trace(lines, &kept->at[i],
				  count_says_return(count, kept->at[i].key[1]));
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

/* B alone has mispredictions, and always. */
static bool take_counts(struct reading *line, char letter, struct line *out)
{
	return reading_take(line, " ") && reading_dec(line, &out->count) &&
	       (letter != 'B' ||
		(reading_take(line, " ") && reading_dec(line, &out->mispredicted)));
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

bool preagg_compare(const char *path, const struct count *count, const struct row_vec *kept,
		    struct bc_error *err)
{
	struct line_vec is = {0}, should = {0};

	put_all(&should, count, kept);
	bool ok = lines_read(path, &should, read_line, NULL, &is, err);
	if (ok)
		lines_compare(path, &is, &should);
	lines_free(&is);
	lines_free(&should);
	return ok;
}
