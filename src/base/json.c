/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/json.h"

#include <inttypes.h>
#include <string.h>

#include "src/base/text.h"

/* One character or a byte that is part of none; returns its length.  What is not shown to
 * people as it is (text.h) has a form that is printable here. */
static size_t write_character(struct json *json, struct text text)
{
	uint32_t character;
	size_t length = utf8_character(text, &character);

	if (*text.at == '"' || *text.at == '\\')
		fprintf(json->out, "\\%c", *text.at);
	else if (!length)
		fputs("\\ufffd", json->out);
	else if (character_is_hidden(character) || (json->page && character == '<'))
		fprintf(json->out, "\\u%04" PRIx32, character);
	else
		fwrite(text.at, 1, length, json->out);
	return length ? length : 1;
}

static void write_string(struct json *json, const char *value, size_t size, size_t most)
{
	size_t end = json->page && size > most ? most : size, at = 0;

	putc('"', json->out);
	while (at < end && value[at])
		at += write_character(json, (struct text){value + at, size - at});
	if (at < size && value[at])
		fputs("\\u2026", json->out);
	putc('"', json->out);
}

static void begin(struct json *json, const char *key)
{
	if (json->comma)
		fputs(json->page ? "," : ", ", json->out);
	json->comma = true;
	if (key) {
		write_string(json, key, strlen(key), JSON_PAGE_STRING);
		fputs(json->page ? ":" : ": ", json->out);
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

void json_open_document(struct json *json, const char *format)
{
	json_open(json, NULL, '{');
	json_string(json, "format", format);
	json_number(json, "version", JSON_VERSION);
}

void json_string(struct json *json, const char *key, const char *value)
{
	begin(json, key);
	write_string(json, value, strlen(value), JSON_PAGE_STRING);
}

void json_whole_string(struct json *json, const char *key, const char *value)
{
	begin(json, key);
	write_string(json, value, strlen(value), SIZE_MAX);
}

void json_text(struct json *json, const char *key, struct text text)
{
	begin(json, key);
	write_string(json, text.at, text.len, JSON_PAGE_STRING);
}

void json_number(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_based(struct json *json, const char *key, uint64_t value)
{
	json_number(json, key, value > json->base ? value - json->base : 0);
}

void json_real(struct json *json, const char *key, double value)
{
	char text[400]; /* of the largest double: 309 digits and 4 behind the point */
	size_t length = (size_t)snprintf(text, sizeof(text), "%.4f", value);

	while (json->page && text[length - 1] == '0')
		length--;
	if (json->page && text[length - 1] == '.')
		length--;
	begin(json, key);
	fwrite(text, 1, length, json->out);
}

void json_hex_string(struct json *json, const char *key, uint64_t value)
{
	begin(json, key);
	fprintf(json->out, "\"0x%" PRIx64 "\"", value);
}

void json_bytes(struct json *json, const char *key, struct text bytes)
{
	if (!bytes.len)
		return;
	begin(json, key);
	putc('"', json->out);
	for (size_t i = 0; i < bytes.len; i++)
		fprintf(json->out, "%02x", (unsigned char)bytes.at[i]);
	putc('"', json->out);
}

/* No bytes may have no address, which fwrite() must not see. */
static void put_bytes(struct json *json, struct text value)
{
	if (value.len)
		fwrite(value.at, 1, value.len, json->out);
}

void json_letters(struct json *json, const char *key, struct text value)
{
	begin(json, key);
	putc('"', json->out);
	put_bytes(json, value);
	putc('"', json->out);
}

void json_raw(struct json *json, const char *key, struct text value)
{
	begin(json, key);
	put_bytes(json, value);
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
