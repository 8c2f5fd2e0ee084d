/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/figure_table.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- values ---- */

FIGURE_READS(figure_of_bool, bool, figure_flag(*it))
FIGURE_READS(figure_of_u64, uint64_t, figure_number(*it))
FIGURE_READS(figure_of_u32, uint32_t, figure_number(*it))
FIGURE_READS(figure_of_hex, uint64_t, figure_hex(*it))
FIGURE_READS(figure_of_double, double, figure_real(*it))
FIGURE_READS(figure_of_string, char *const, figure_string(*it))
FIGURE_READS(figure_of_chars, char, figure_string(it))
FIGURE_READS(figure_of_some_chars, char, *it ? figure_string(it) : figure_lacks())
FIGURE_READS(figure_of_text, struct text, ((struct figure_value){.type = FIGURE_TEXT, .text = *it}))
FIGURE_READS(figure_of_some, struct text, it->len ? figure_of_text(it) : figure_lacks())
FIGURE_READS(figure_of_whole, char,
	     ((struct figure_value){.type = FIGURE_WHOLE, .text = text_of(it)}))
FIGURE_READS(figure_of_some_whole, char, *it ? figure_of_whole(it) : figure_lacks())

struct figure_value figure_string(const char *value)
{
	return (struct figure_value){.type = FIGURE_TEXT, .text = text_of(value ? value : "")};
}

struct figure_value figure_of_build_id(const void *at)
{
	struct figure_value value = {.type = FIGURE_CHARS};

	build_id_format(at, value.chars);
	return value;
}

/* ---- rows ---- */

/* NULL: the row is left out. */
static const void *field_of(const struct figure_row *row, const void *of)
{
	const char *base =
		row->through ?
			*(const void *const *)(const void *)((const char *)of + row->through - 1) :
			of;

	return base && (!row->given || *(const bool *)(base + row->given - 1)) ? base + row->at :
										 NULL;
}

static bool is_last(const struct figure_row *row)
{
	return !row->key && !row->text && !row->bracket && !row->rows && !row->print;
}

/* The row after which the next one is: of an object that is left out, its end. */
static const struct figure_row *end_of(const struct figure_row *row)
{
	int depth = 0;

	do
		depth += (row->bracket == '{') - (row->bracket == '}');
	while (depth && row++);
	return row;
}

/* ---- JSON ---- */

static void write_value(struct json *json, const char *key, const struct figure_value *value)
{
	switch (value->type) {
	case FIGURE_LACKS: break;
	case FIGURE_NULL: json_null(json, key); break;
	case FIGURE_FLAG: json_bool(json, key, value->number); break;
	case FIGURE_NUMBER: json_number(json, key, value->number); break;
	case FIGURE_HEX: json_hex_string(json, key, value->number); break;
	case FIGURE_REAL: json_real(json, key, value->real); break;
	case FIGURE_TEXT: json_text(json, key, value->text); break;
	case FIGURE_WHOLE: json_whole_string(json, key, value->text.at); break;
	case FIGURE_CHARS: json_string(json, key, value->chars); break;
	}
}

static void write_row(struct json *json, const struct figure_row *row, const void *at)
{
	if (row->bracket == '{') {
		json_open(json, row->key, '{');
	} else if (row->bracket) {
		json_close(json, '}');
	} else if (row->fixed) {
		json_raw(json, row->key, text_of(row->fixed));
	} else if (row->write) {
		row->write(json, row, at);
	} else if (row->rows && row->key) {
		figures_json_object(row->rows, at, json, row->key);
	} else if (row->rows) {
		figures_json(row->rows, at, json);
	} else if (row->key) {
		struct figure_value value = row->read(at);
		write_value(json, row->key, &value);
	}
}

void figures_json(const struct figure_row *rows, const void *of, struct json *json)
{
	for (const struct figure_row *row = rows; !is_last(row); row++) {
		const void *at = field_of(row, of);
		if (at)
			write_row(json, row, at);
		else
			row = end_of(row);
	}
}

void figures_json_object(const struct figure_row *rows, const void *of, struct json *json,
			 const char *key)
{
	json_open(json, key, '{');
	figures_json(rows, of, json);
	json_close(json, '}');
}

void figures_json_document(const struct figure_row *rows, const void *of, FILE *out)
{
	figures_json_object(rows, of, &(struct json){.out = out}, NULL);
	putc('\n', out);
}

/* ---- text ---- */

static bool is_some(const struct figure_value *value)
{
	return value->number || value->real != 0 || value->text.len || *value->chars;
}

/* The end of a word after a count.  NULL: it is none of these. */
static const char *word_end(uint64_t count, struct text how)
{
	static const char *const ends[][2] = {{"", "s"}, {"", "es"}, {"y", "ies"}, {"is", "are"}};

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		if (text_is(how, ends[i][1]))
			return plural_of(count, ends[i][0], ends[i][1]);
	return NULL;
}

/* how: "12", "10.4", "g", or what word_end() knows. */
static void print_value(const struct figure_value *value, struct text how, FILE *out)
{
	char *point;
	int width = (int)strtol(how.at, &point, 10),
	    digits = *point == '.' ? (int)strtol(point + 1, NULL, 10) : 0;

	const char *end = word_end(value->number, how);

	if (end)
		fputs(end, out);
	else if (text_is(how, "g"))
		fprintf(out, "%g", value->real);
	else if (value->type == FIGURE_NUMBER)
		fprintf(out, "%*" PRIu64, width, value->number);
	else if (value->type == FIGURE_HEX)
		fprintf(out, "0x%" PRIx64, value->number);
	else if (value->type == FIGURE_REAL)
		fprintf(out, "%*.*f", width, digits, value->real);
	else
		print_name(*value->chars ? text_of(value->chars) : value->text, out);
}

/* What is being printed. */
struct printed {
	const struct figure_row *object,
		*row; /* the first of the object, or of the table; the row at hand */
	const void *of;
	const char *before; /* printed where a line begins */
	bool begins, all;
	FILE *out;
};

static struct figure_value value_named(const struct printed *p, struct text name)
{
	const struct figure_row *row = name.len ? p->object : p->row;

	while (name.len && !is_last(row) && !(row->key && row->read && text_is(name, row->key)))
		row++;
	assert(row->read); /* texts name rows of their own table */
	return row->read(field_of(row, p->of));
}

static void print_named(const struct printed *p, struct text named)
{
	size_t colon = text_find(named, ':');
	struct text name = text_first(named, colon),
		    whole = text_behind(name, text_find(name, '/'));
	struct figure_value value = value_named(p, text_first(name, text_find(name, '/')));

	if (whole.len) {
		double percent_of = (double)value_named(p, whole).number;
		value = figure_real(percent_of > 0 ? 100.0 * (double)value.number / percent_of : 0);
	}
	print_value(&value, text_behind(named, colon), p->out);
}

static void print_text(struct printed *p)
{
	for (const char *c = p->row->text; *c; c++) {
		if (p->begins)
			fputs(p->before, p->out);
		p->begins = *c == '\n';
		if (*c == '{') {
			struct text named = {c + 1, strcspn(c + 1, "}")};
			print_named(p, named);
			c += named.len + 1;
		} else {
			putc(*c, p->out);
		}
	}
}

static void print_rows(const struct figure_row *rows, const void *of, struct printed *p)
{
	p->object = rows;
	p->of = of;
	for (p->row = rows; !is_last(p->row); p->row++) {
		const void *at = field_of(p->row, of);
		struct figure_value value = p->row->any && at ? p->row->read(at) : figure_lacks();
		if (p->row->bracket)
			p->object = p->row->bracket == '{' ? p->row + 1 : rows;
		if (!at)
			p->row = end_of(p->row);
		if (!at || (p->row->any && !p->all && !is_some(&value)))
			continue;
		if (p->row->text)
			print_text(p);
		if (p->row->print)
			p->row->print(p->row, at, p->out);
		if (p->row->rows) {
			struct printed inner = *p;
			print_rows(p->row->rows, at, &inner);
			p->begins = inner.begins;
		}
	}
}

void figures_text(const struct figure_row *rows, const void *of, bool all, const char *before,
		  FILE *out)
{
	print_rows(rows, of,
		   &(struct printed){.before = before, .begins = true, .all = all, .out = out});
}

int figure_digits(double value, double limit)
{
	char shown[400];

	for (int digits = 1; digits < 4; digits++) {
		snprintf(shown, sizeof(shown), "%.*f", digits, value);
		double seen = strtod(shown, NULL);
		if (value < limit ? seen < limit : seen > limit)
			return digits;
	}
	return 4;
}
