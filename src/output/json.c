/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/output/json.h"

#include <inttypes.h>
#include <string.h>

#include "src/base/print_name.h"
#include "src/base/utf8.h"

/* One character or a byte that is part of none; returns its length.  What is not shown to
 * people as it is (print_name.h) has a form that is printable here. */
static size_t write_character(struct json *json, struct text text)
{
	uint32_t character;
	size_t length = utf8_character(text, &character);

	if (*text.at == '"' || *text.at == '\\')
		fprintf(json->out, "\\%c", *text.at);
	else if (!length)
		fputs("\\ufffd", json->out);
	else if (character_is_hidden(character))
		fprintf(json->out, "\\u%04" PRIx32, character);
	else
		fwrite(text.at, 1, length, json->out);
	return length ? length : 1;
}

static void write_string(struct json *json, const char *value, size_t size)
{
	putc('"', json->out);
	for (size_t at = 0; at < size && value[at];)
		at += write_character(json, (struct text){value + at, size - at});
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
