/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/recount/fdata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/recount/lines.h"
#include "tests/recount/mistakes.h"

/* What should be. */

/* Blanks separate fields: in a name they have a backslash before them, as it has itself. */
static char *escaped(const char *name)
{
	char *out = malloc(2 * strlen(name) + 1), *end = out;

	must_have_memory(out);
	for (; *name; name++) {
		if (strchr(" \\", *name))
			*end++ = '\\';
		*end++ = *name;
	}
	*end = '\0';
	return out;
}

static char *place_text(const struct home *home)
{
	char *out = NULL, *name = home->function ? escaped(home->function->printed) : strdup("");
	size_t size;

	must_have_memory(name);
	size = strlen(name) + 32;
	out = malloc(size);
	must_have_memory(out);
	if (home->function)
		snprintf(out, size, "1 %s %" PRIx32, name, home->offset);
	else
		snprintf(out, size, "0 [unknown] 0");
	free(name);
	return out;
}

static void put_record(struct line_vec *lines, const struct record2 *record, bool basic)
{
	char *from = place_text(&record->from), *to = place_text(&record->to);

	if (basic)
		lines_put(lines, record->count, 0, "%s", from);
	else
		lines_put(lines, record->count, record->mispredicted, "%s %s", from, to);
	free(from);
	free(to);
}

static void put_load(struct line_vec *lines, const struct load2 *load)
{
	char *code = escaped(load->code.function->printed), *data = escaped(load->data->name), number[16] = "";

	if (load->data->local)
		snprintf(number, sizeof(number), "/%" PRIu32, load->data->number);
	lines_put(lines, load->count, 0, "4 %s %" PRIx32 " 4 %s%s %" PRIx64, code, load->code.offset, data, number,
		  load->offset);
	free(code);
	free(data);
}

static void put_head(struct line_vec *lines, const struct count *count)
{
	char *names = strdup("");

	if (!count->is_basic) {
		if (count->binary->kind != BINARY_UNTOUCHED)
			lines_put(lines, 0, 0, "boltedcollection");
		free(names);
		return;
	}
	for (size_t i = 0; names && i < count->events.len; i++) {
		size_t length = strlen(names), more = strlen(count->events.at[i]) + 2;
		names = realloc(names, length + more);
		if (names)
			snprintf(names + length, more, " %s", count->events.at[i]);
	}
	must_have_memory(names);
	lines_put(lines, 0, 0, "no_lbr%s", names);
	free(names);
}

static void put_all(struct line_vec *lines, const struct should *should)
{
	put_head(lines, should->count);
	for (size_t i = 0; i < should->records.len; i++)
		put_record(lines, &should->records.at[i], should->count->is_basic);
	for (size_t i = 0; i < should->loads.len; i++)
		put_load(lines, &should->loads.at[i]);
}

/* What is. */

struct form {
	bool basic;
	const struct input *input;
};

/* KIND NAME OFFSET; of data the name is no function's. */
static bool take_place(struct reading *line, const struct form *form, char kind, bool is_code)
{
	char word[] = {kind, ' ', '\0'};
	struct text name;
	uint64_t offset;

	if (reading_take(line, "0 [unknown] 0"))
		return kind == '1';
	if (!reading_take(line, word) || !reading_word(line, &name) || !reading_take(line, " ") ||
	    !reading_hex(line, &offset))
		return false;
	if (is_code && form->input)
		input_check(form->input, name, offset);
	return true;
}

static bool read_line(void *ctx, struct text text, struct line *out)
{
	const struct form *form = ctx;
	struct reading line = {text};
	bool is_load = text_starts(text, "4 "), one_place = form->basic && !is_load;
	char kind = is_load ? '4' : '1';

	if (!take_place(&line, form, kind, true) ||
	    (!one_place && (!reading_take(&line, " ") || !take_place(&line, form, kind, !is_load))))
		return false;
	size_t length = (size_t)(line.rest.at - text.at);
	if (!one_place && !is_load && (!reading_take(&line, " ") || !reading_dec(&line, &out->mispredicted)))
		return false;
	if (!reading_take(&line, " ") || !reading_dec(&line, &out->count) || line.rest.len || !out->count)
		return false;
	out->place = strndup(text.at, length);
	return true;
}

bool fdata_compare(const char *path, const struct should *should, const struct input *input,
		   struct bc_error *err)
{
	struct form form = {should->count->is_basic, input};
	struct line_vec is = {0}, lines = {0};

	put_all(&lines, should);
	bool ok = lines_read(path, &lines, read_line, &form, &is, err);
	if (ok)
		lines_compare(path, &is, &lines);
	lines_free(&is);
	lines_free(&lines);
	return ok;
}
