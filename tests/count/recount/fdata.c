/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/count/recount/fdata.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/count/recount/lines.h"
#include "tests/count/recount/writing.h"

/* What should be. */

/* Blanks separate fields: in a name they have a backslash before them, as it has itself. */
static void write_name(FILE *to, const char *name)
{
	for (; *name; name++) {
		if (*name == ' ' || *name == '\\')
			fputc('\\', to);
		fputc(*name, to);
	}
}

static void write_place(FILE *to, const struct home *home)
{
	if (!home->function) {
		fputs("0 [unknown] 0", to);
		return;
	}
	fputs("1 ", to);
	write_name(to, home->function->printed);
	fprintf(to, " %" PRIx32, home->offset);
}

static void put_record(struct line_vec *lines, const struct record *record, bool basic)
{
	struct writing line;

	writing_begin(&line);
	write_place(line.to, &record->from);
	if (!basic) {
		fputc(' ', line.to);
		write_place(line.to, &record->to);
	}
	lines_put(lines, writing_end(&line), record->count, record->mispredicted);
}

/* A local symbol has its number after its name. */
static void put_load(struct line_vec *lines, const struct load *load)
{
	struct writing line;

	writing_begin(&line);
	fputs("4 ", line.to);
	write_name(line.to, load->code.function->printed);
	fprintf(line.to, " %" PRIx32 " 4 ", load->code.offset);
	write_name(line.to, load->data->name);
	if (load->data->local)
		fprintf(line.to, "/%" PRIu32, load->data->number);
	fprintf(line.to, " %" PRIx64, load->offset);
	lines_put(lines, writing_end(&line), load->count, 0);
}

static void put_head(struct line_vec *lines, const struct count *count)
{
	struct writing line;

	if (!count->is_basic && count->binary->kind == BINARY_UNTOUCHED)
		return;
	writing_begin(&line);
	fputs(count->is_basic ? "no_lbr" : "boltedcollection", line.to);
	for (size_t i = 0; count->is_basic && i < count->events.len; i++)
		fprintf(line.to, " %s", count->events.at[i]);
	lines_put(lines, writing_end(&line), 0, 0);
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
	if (!one_place && !is_load &&
	    (!reading_take(&line, " ") || !reading_dec(&line, &out->mispredicted)))
		return false;
	if (!reading_take(&line, " ") || !reading_dec(&line, &out->count) || line.rest.len ||
	    !out->count)
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
