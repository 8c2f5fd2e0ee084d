/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads JSON (RFC 8259) as a stream, in constant memory, by what the caller expects
 * next.  A library that builds a tree first (jansson) needs some 40 bytes for each
 * byte of a table that is hundreds of megabytes as text.
 *
 * Every function returns false on a failure, which stays: later calls fail, too, and
 * `err` has the first one: "FILE: JSON, byte N: WHY".
 */
#ifndef BASE_JSON_READ_H
#define BASE_JSON_READ_H

#include "src/base/file.h"
#include "src/base/text.h"

#define JSON_TEXT 4096 /* bytes of the longest key or string that is asked for */
#define JSON_DEPTH 64

struct json_reader {
	struct file_stream *stream; /* borrowed */
	struct bc_error *err;       /* borrowed */
	bool failed;
	uint64_t byte;              /* of the next character */
	size_t begin, end;
	bool first;                 /* no element or member was read here so far */
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
