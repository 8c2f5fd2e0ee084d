/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/count/recount/mistakes.h"

void lines_put(struct line_vec *lines, char *place, uint64_t count, uint64_t mispredicted)
{
	must_have_memory(place && line_vec_push(lines, (struct line){place, count, mispredicted}));
}

void lines_free(struct line_vec *lines)
{
	for (size_t i = 0; i < lines->len; i++)
		free(lines->at[i].place);
	line_vec_free(lines);
}

/* Where `place` is from line `i` on, or the number of lines. */
static size_t find(const struct line_vec *lines, size_t i, const char *place)
{
	while (i < lines->len && strcmp(lines->at[i].place, place) != 0)
		i++;
	return i;
}

static void compare_counts(const char *path, size_t number, const struct line *is,
			   const struct line *should)
{
	if (is->count != should->count)
		mistake("%s: line %zu: count of %s: is %" PRIu64 ", should be %" PRIu64, path,
			number, is->place, is->count, should->count);
	if (is->mispredicted != should->mispredicted)
		mistake("%s: line %zu: mispredictions of %s: is %" PRIu64 ", should be %" PRIu64,
			path, number, is->place, is->mispredicted, should->mispredicted);
}

static void miss(const char *path, size_t number, const struct line_vec *should, size_t from,
		 size_t to)
{
	for (; from < to; from++)
		mistake("%s: line %zu: is missing, should be %s", path, number,
			should->at[from].place);
}

void lines_compare(const char *path, const struct line_vec *is, const struct line_vec *should)
{
	size_t next = 0;

	for (size_t i = 0; i < is->len; i++) {
		size_t found = find(should, next, is->at[i].place);
		if (found == should->len) {
			mistake("%s: line %zu: is %s, should not be %s", path, i + 1,
				is->at[i].place,
				find(should, 0, is->at[i].place) < next ? "once more or here" :
									  "at all");
			continue;
		}
		miss(path, i + 1, should, next, found);
		compare_counts(path, i + 1, &is->at[i], &should->at[found]);
		next = found + 1;
	}
	miss(path, is->len + 1, should, next, should->len);
}

bool reading_take(struct reading *reading, const char *expected)
{
	if (!text_starts(reading->rest, expected))
		return false;
	reading->rest = text_from(reading->rest, strlen(expected));
	return true;
}

static bool take_number(struct reading *reading, uint64_t base, uint64_t *out)
{
	static const char digits[] = "0123456789abcdef";
	struct text rest = reading->rest;
	uint64_t value = 0;
	size_t length = 0;

	for (; length < rest.len; length++) {
		const char *digit = memchr(digits, rest.at[length], base);
		if (!digit)
			break;
		uint64_t one = (uint64_t)(digit - digits);
		if (value > (UINT64_MAX - one) / base)
			return false;
		value = value * base + one;
	}
	reading->rest = text_from(rest, length);
	*out = value;
	return length == 1 || (length && *rest.at != '0');
}

bool reading_hex(struct reading *reading, uint64_t *out)
{
	return take_number(reading, 16, out);
}

bool reading_dec(struct reading *reading, uint64_t *out)
{
	return take_number(reading, 10, out);
}

bool reading_word(struct reading *reading, struct text *out)
{
	struct text rest = reading->rest;
	size_t length = 0;

	while (length < rest.len && rest.at[length] != ' ')
		length += rest.at[length] == '\\' ? 2 : 1;
	*out = text_first(rest, length);
	reading->rest = text_from(rest, length);
	return length && length <= rest.len;
}

static size_t head_of(const struct line_vec *should)
{
	size_t i = 0;

	while (i < should->len && !should->at[i].count)
		i++;
	return i;
}

static bool read_line(struct text text, bool is_head, line_reader *read, void *ctx,
		      struct line *out)
{
	*out = (struct line){0};
	if (!is_head)
		return read(ctx, text, out);
	out->place = strndup(text.at, text.len);
	return true;
}

bool lines_read(const char *path, const struct line_vec *should, line_reader *read, void *ctx,
		struct line_vec *out, struct bc_error *err)
{
	struct file_map map;
	struct text line;

	if (!file_map(path, &map, err))
		return false;
	struct text rest = {(const char *)map.data, map.size};
	if (rest.len && rest.at[rest.len - 1] != '\n')
		mistake("%s: the last line is cut", path);
	while (text_line(&rest, &line)) {
		struct line one;
		if (!read_line(line, out->len < head_of(should), read, ctx, &one)) {
			mistake("%s: line %zu: is no line of such a file: %.*s", path, out->len + 1,
				(int)line.len, line.at);
			break;
		}
		lines_put(out, one.place, one.count, one.mispredicted);
	}
	file_unmap(&map);
	return true;
}
