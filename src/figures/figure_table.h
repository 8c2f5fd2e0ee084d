/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Figures as rows: what JSON calls a figure, the text about it for people, and where its value
 * lies.  A table has the rows of one struct; one function prints it as JSON and into the data of a
 * page, one as text.
 *
 * 	static const struct figure_row rows[] = {
 * 		{"flow", BEGIN, IF(struct quality, has_flow)},
 * 		FIGURES(struct quality, flow., functions, blocks), // keys are fields; no text
 * 		{"bias_percent", "  {:10.4} % bias, of {blocks} blocks\n",
 * 		 VALUE(struct quality, flow.bias)},
 * 		{END},
 * 		{0},
 * 	};
 */
#ifndef FIGURES_FIGURE_TABLE_H
#define FIGURES_FIGURE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/build_id.h"
#include "src/base/json.h"

struct figure_value {
	enum figure_type {
		FIGURE_LACKS, /* left out of JSON */
		FIGURE_NULL,
		FIGURE_FLAG, /* `number`: is it true? */
		FIGURE_NUMBER,
		FIGURE_HEX, /* `number` as a string of JSON: its own numbers end at 2^53 */
		FIGURE_REAL,
		FIGURE_TEXT,
		FIGURE_WHOLE, /* a text that is not cut in a page */
		FIGURE_CHARS, /* a text in `chars` */
	} type;
	uint64_t number;
	double real;
	struct text text;
	char chars[2 * BUILD_ID_MAX + 1];
};

/* Reads the value at the offset that the row says. */
typedef struct figure_value figure_reader(const void *at);

struct figure_row {
	const char *key; /* in JSON, and of the row in texts; NULL: the row is not in JSON, but of
			    `rows` its rows are */
	/* For people: {} is the value, {KEY} that of another row of the same object, {KEY:W.P} with
	 * a width and digits after the point, {KEY:g} a real as short as it can be, {KEY:s} an s
	 * for any number but one, {KEY:es}, {KEY:ies} (or y) and {KEY:are} (or is) likewise,
	 * {KEY/OTHER:W.P} the one in percent of the other. NULL: none */
	const char *text;
	figure_reader *read;
	size_t at;      /* in the struct of the table, */
	size_t through; /* or 1 + where a pointer to another struct is that `at` is in; if it is
			   NULL, the row is left out */
	size_t given;   /* 1 + where a bool is next to `at`: the row is only if that is true; 0:
			   always */
	char bracket;   /* '{': an object begins here, with all rows up to its '}' */
	bool any; /* the text is left out if the value is 0 or empty, unless all are asked for */
	const char *fixed;             /* the value as JSON */
	const struct figure_row *rows; /* a table of the struct that `at` is */
	void (*write)(struct json *json, const struct figure_row *row,
		      const void *at); /* its value is a list, or what else this writes, */
	void (*print)(const struct figure_row *row, const void *at,
		      FILE *out); /* and this is its text */
	const void *with;         /* for these two */
};

/* The first two rows of a document. */
#define FORMAT_ROWS(name) {"format", .fixed = "\"" name "\""}, {"version", .fixed = "1"}

#define BEGIN .bracket = '{'
#define END   .bracket = '}'

/* In a row: the value is this field, read as its type says. */
#define VALUE(type, field)                                                                         \
	.at = offsetof(type, field), .read = _Generic(((type *)0)->field,                          \
					     bool: figure_of_bool,                                 \
					     uint64_t: figure_of_u64,                              \
					     uint32_t: figure_of_u32,                              \
					     double: figure_of_double,                             \
					     const char *: figure_of_string,                       \
					     char *: _Generic(&((type *)0)->field,                 \
						     char **: figure_of_string,                    \
						     default: figure_of_chars),                    \
					     struct text: figure_of_text,                          \
					     struct build_id: figure_of_build_id)
#define VALUE_BY(type, field, reader) .at = offsetof(type, field), .read = (reader)
/* ... in the struct that this pointer of the table's struct leads to. */
#define THROUGH(type, pointer) .through = 1 + offsetof(type, pointer)
/* ... and the row, or the object that begins, is only if this bool is true. */
#define IF(type, condition) .given = 1 + offsetof(type, condition)

/* Rows whose keys are the names of up to ten fields; in: what is before the names, as `flow.`,
 * or nothing. */
#define FIGURE(type, in, field) {.key = #field, VALUE(type, in field)}
#define FIGURES(type, in, ...)                                                                     \
	FIGURES_PICK(__VA_ARGS__, FIGURES_10, FIGURES_9, FIGURES_8, FIGURES_7, FIGURES_6,          \
		     FIGURES_5, FIGURES_4, FIGURES_3, FIGURES_2, FIGURE, 0)(type, in, __VA_ARGS__)
#define FIGURES_PICK(a, b, c, d, e, f, g, h, i, j, name, ...) name
#define FIGURES_2(type, in, field, ...)                       FIGURE(type, in, field), FIGURE(type, in, __VA_ARGS__)
#define FIGURES_3(type, in, field, ...)                       FIGURE(type, in, field), FIGURES_2(type, in, __VA_ARGS__)
#define FIGURES_4(type, in, field, ...)                       FIGURE(type, in, field), FIGURES_3(type, in, __VA_ARGS__)
#define FIGURES_5(type, in, field, ...)                       FIGURE(type, in, field), FIGURES_4(type, in, __VA_ARGS__)
#define FIGURES_6(type, in, field, ...)                       FIGURE(type, in, field), FIGURES_5(type, in, __VA_ARGS__)
#define FIGURES_7(type, in, field, ...)                       FIGURE(type, in, field), FIGURES_6(type, in, __VA_ARGS__)
#define FIGURES_8(type, in, field, ...)                       FIGURE(type, in, field), FIGURES_7(type, in, __VA_ARGS__)
#define FIGURES_9(type, in, field, ...)                       FIGURE(type, in, field), FIGURES_8(type, in, __VA_ARGS__)
#define FIGURES_10(type, in, field, ...)                      FIGURE(type, in, field), FIGURES_9(type, in, __VA_ARGS__)

/* Defines a reader of a value that is worked out; `it` points to the type. */
#define FIGURE_READER(name, type, value) static FIGURE_READS(name, type, value)
#define FIGURE_READS(name, type, value)                                                            \
	struct figure_value name(const void *at)                                                   \
	{                                                                                          \
		const type *it = at;                                                               \
		return value;                                                                      \
	}

/* Readers of fields. */
figure_reader figure_of_bool, figure_of_u64, figure_of_u32, figure_of_double,
	figure_of_string /* NULL is an empty one */, figure_of_chars, figure_of_text,
	figure_of_build_id, figure_of_some_chars, /* left out if there are none */
	figure_of_hex,                            /* a uint64_t */
	figure_of_some,                           /* a struct text, left out if it is empty */
	figure_of_whole,
	figure_of_some_whole; /* characters that no page cuts; left out if there are none */

/* What readers return. */
#define figure_lacks()       ((struct figure_value){.type = FIGURE_LACKS})
#define figure_null()        ((struct figure_value){.type = FIGURE_NULL})
#define figure_flag(value)   ((struct figure_value){.type = FIGURE_FLAG, .number = (value) ? 1 : 0})
#define figure_number(value) ((struct figure_value){.type = FIGURE_NUMBER, .number = (value)})
#define figure_hex(value)    ((struct figure_value){.type = FIGURE_HEX, .number = (value)})
#define figure_real(value)   ((struct figure_value){.type = FIGURE_REAL, .real = (value)})
struct figure_value figure_string(const char *value); /* NULL: an empty one */

/* All rows with keys, up to the one without anything: within an object that is open, or as one of
 * its own. of: the struct of the table */
void figures_json(const struct figure_row *rows, const void *of, struct json *json);
void figures_json_object(const struct figure_row *rows, const void *of, struct json *json,
			 const char *key);

/* A whole document: an object and the end of its line. */
void figures_json_document(const struct figure_row *rows, const void *of, FILE *out);

/* With how many digits, from 1 to 4, a figure that misses a limit is seen to miss it. */
int figure_digits(double value, double limit);

/* All texts, and `before` in front of each line.  all: also of values that are 0 */
void figures_text(const struct figure_row *rows, const void *of, bool all, const char *before,
		  FILE *out);

#endif
