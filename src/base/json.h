/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes and reads JSON as a stream.  Writing: the writer keeps the commas, the caller the shape.
 * Strings may hold any bytes; what is no UTF-8 is written as U+FFFD. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/file.h"
#include "src/base/text.h"

struct json {
	FILE *out;
	bool comma;    /* a value was written at this level */
	uint64_t base; /* what json_based() writes is above it */
	bool page; /* for a page of HTML: no blanks, no '<', and strings of JSON_PAGE_STRING bytes
		      at most */
};

/* For each format: it changes when a key is removed, or changes its meaning (docs/stability.md). */
#define JSON_VERSION 1

#define JSON_PAGE_STRING ((size_t)300) /* a longer string ends in U+2026 then */

/* key: NULL in an array and for the outermost value. */
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);                 /* '}' or ']' */

/* The object of a whole document, open, with the two keys that each one begins with: its format and
 * that format's version. */
void json_open_document(struct json *json, const char *format);
void json_string(struct json *json, const char *key, const char *value);
void json_whole_string(struct json *json, const char *key,
		       const char *value); /* however long, in a page, too */
void json_text(struct json *json, const char *key, struct text text); /* up to a zero byte */
void json_number(struct json *json, const char *key, uint64_t value);
void json_based(struct json *json, const char *key, uint64_t value); /* a number, above `base` */
void json_real(struct json *json, const char *key, double value);
void json_hex_string(struct json *json, const char *key,
		     uint64_t value); /* "0x...": JSON's own numbers end at 2^53 */
void json_bytes(struct json *json, const char *key,
		struct text bytes); /* in hexadecimal; an empty text is left out */
void json_letters(struct json *json, const char *key,
		  struct text value); /* a string of any length, as it is */
void json_raw(struct json *json, const char *key,
	      struct text value); /* JSON that was written already */
void json_null(struct json *json, const char *key);
void json_bool(struct json *json, const char *key, bool value);

/*
 * Reads JSON (RFC 8259) as a stream, in constant memory, by what the caller expects
 * next.  A library that builds a tree first (jansson) needs some 40 bytes for each
 * byte of a table that is hundreds of megabytes as text.
 *
 * Every function returns false on a failure, which stays: later calls fail, too, and
 * `err` has the first one: "FILE: JSON, byte N: WHY".
 */

#define JSON_TEXT  4096 /* bytes of the longest key or string that is asked for */
#define JSON_DEPTH 64

struct json_reader {
	struct file_stream *stream; /* borrowed */
	struct bc_error *err;       /* borrowed */
	bool failed;
	uint64_t byte; /* of the next character */
	size_t begin, end;
	bool first; /* no element or member was read here so far */
	char text[JSON_TEXT];
	char buffer[65536];
};

void json_reader_init(struct json_reader *reader, struct file_stream *stream, struct bc_error *err);

/* Fail at the byte that is to be read next.  Returns false. */
BC_PRINTF(2, 3) bool json_fail(struct json_reader *reader, const char *fmt, ...);

/* The beginning of an object or an array: '{' or '['. */
bool json_enter(struct json_reader *reader, char bracket);

/* The next member's key, or its end: then *key is empty and `at` NULL. */
bool json_member(struct json_reader *reader, struct text *key);

/* Is there another element? */
bool json_element(struct json_reader *reader, bool *more);

/* Values.  Numbers are whole and not negative; in a string they are hexadecimal with
 * 0x, as "0x1f".  A null is taken only where `is_null` is given. */
bool json_whole(struct json_reader *reader, uint64_t most, uint64_t *out);
bool json_hex_value(struct json_reader *reader, bool *is_null, uint64_t *out);
bool json_boolean(struct json_reader *reader, bool *out);
bool json_text_value(struct json_reader *reader, struct text *out); /* until the next call */
bool json_skip(struct json_reader *reader);

/* Nothing follows but blanks. */
bool json_finish(struct json_reader *reader);

#endif
