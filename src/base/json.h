/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Writes JSON as a stream: the writer keeps the commas, the caller the shape.
 * Strings may hold any bytes; what is no UTF-8 is written as U+FFFD. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/text.h"

struct json {
	FILE *out;
	bool comma; /* a value was written at this level */
	uint64_t base; /* what json_based() writes is above it */
	bool page;  /* for a page of HTML: no blanks, no '<', and strings of JSON_PAGE_STRING bytes at most */
};

/* Of each format: it changes when a key is removed, or changes its meaning (docs/stability.md). */
#define JSON_VERSION 1

#define JSON_PAGE_STRING ((size_t)300) /* a longer string ends in U+2026 then */

/* key: NULL in an array and for the outermost value. */
void json_open(struct json *json, const char *key, char bracket); /* '{' or '[' */
void json_close(struct json *json, char bracket);                 /* '}' or ']' */

/* The object of a whole document, open, with the two keys that each one begins with: its format and that format's version. */
void json_open_document(struct json *json, const char *format);
void json_string(struct json *json, const char *key, const char *value);
void json_whole_string(struct json *json, const char *key, const char *value); /* however long, in a page, too */
void json_text(struct json *json, const char *key, struct text text); /* up to a zero byte */
void json_number(struct json *json, const char *key, uint64_t value);
void json_based(struct json *json, const char *key, uint64_t value); /* a number, above `base` */
void json_real(struct json *json, const char *key, double value);
void json_hex_string(struct json *json, const char *key, uint64_t value); /* "0x...": JSON's own numbers end at 2^53 */
void json_bytes(struct json *json, const char *key, struct text bytes); /* in hexadecimal; an empty text is left out */
void json_letters(struct json *json, const char *key, struct text value); /* a string of any length, as it stands */
void json_raw(struct json *json, const char *key, struct text value);     /* JSON that was written already */
void json_null(struct json *json, const char *key);
void json_bool(struct json *json, const char *key, bool value);

#endif
