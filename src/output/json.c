/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/json.h"

#include <inttypes.h>
#include <string.h>

#include "src/base/utf8.h"

/* One character of at most four bytes, which a zero byte ends; returns its length. */
static size_t write_character(struct json *json, const unsigned char s[5])
{
	size_t length = utf8_length(s);

	if (*s == '"' || *s == '\\')
		fprintf(json->out, "\\%c", *s);
	else if (length)
		fwrite(s, 1, length, json->out);
	else if (*s < 0x20)
		fprintf(json->out, "\\u%04x", *s);
	else
		fputs("\\ufffd", json->out);
	return length ? length : 1;
}

static void write_string(struct json *json, const char *value, size_t size)
{
	putc('"', json->out);
	for (size_t at = 0; at < size && value[at];) {
		unsigned char s[5] = {0};
		memcpy(s, value + at, size - at < 4 ? size - at : 4);
		at += write_character(json, s);
	}
	putc('"', json->out);
}

static void begin(struct json *json, const char *key)
{
	if (json->comma)
		fputs(", ", json->out);
	json->comma = true;
	if (key) {
		write_string(json, key, strlen(key));
		fputs(": ", json->out);
	}
}

void json_open(struct json *json, const char *key, char bracket)
{
	begin(json, key);
	putc(bracket, json->out);
	json->comma = false;
}

void json_close(struct json *json, char bracket)
{
	putc(bracket, json->out);
	json->comma = true;
}

void json_string(struct json *json, const char *key, const char *value)
{
	begin(json, key);
	write_string(json, value, strlen(value));
}

void json_text(struct json *json, const char *key, struct text text)
{
	begin(json, key);
	write_string(json, text.at, text.len);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_real(struct json *json, const char *key, double value)
{
	begin(json, key);
	fprintf(json->out, "%.4f", value);
}

void json_hex_string(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "\"0x%" PRIx64 "\"", value);
}

void json_null(struct json *json, const char *key)
{
	begin(json, key);
	fputs("null", json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin(json, key);
	fputs(value ? "true" : "false", json->out);
}
