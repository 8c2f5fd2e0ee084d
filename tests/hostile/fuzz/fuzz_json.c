/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any bytes as JSON.  A second reader, which recurses over the bytes, says whether
 * they are one value: json_skip() takes exactly those, except for what is nested deeper
 * or has longer keys than a table's JSON.  Errors have a byte inside the text, and stay.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct in {
	const uint8_t *at, *end;
	bool beyond; /* something that is JSON, but more than the reader promises */
};

static int peek(const struct in *in)
{
	return in->at < in->end ? *in->at : -1;
}

static bool take(struct in *in, char c)
{
	if (peek(in) != c)
		return false;
	in->at++;
	return true;
}

static void blanks(struct in *in)
{
	while (peek(in) == ' ' || peek(in) == '\t' || peek(in) == '\n' || peek(in) == '\r')
		in->at++;
}

static bool is_hex(int c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool string(struct in *in)
{
	const uint8_t *begin = in->at;

	if (!take(in, '"'))
		return false;
	while (!take(in, '"')) {
		if (in->at == in->end)
			return false;
		int c = *in->at++;
		if (c < 0x20)
			return false;
		if (c != '\\')
			continue;
		c = peek(in);
		if (c <= 0 || !strchr("\"\\/bfnrtu", c))
			return false;
		in->at++;
		in->beyond |= c == 'u' && (peek(in) | 0x20) == 'd'; /* half of a pair? */
		for (int i = 0; c == 'u' && i < 4; i++, in->at++)
			if (!is_hex(peek(in)))
				return false;
	}
	in->beyond |= in->at - begin >= JSON_TEXT;
	return true;
}

static bool digits(struct in *in)
{
	const uint8_t *begin = in->at;

	while (peek(in) >= '0' && peek(in) <= '9')
		in->at++;
	return in->at > begin;
}

static bool number(struct in *in)
{
	const uint8_t *begin = in->at;

	while (in->at < in->end && *in->at && strchr("0123456789+-.eE", *in->at))
		in->at++;
	in->beyond |= in->at - begin >= 64;
	in->at = begin;
	take(in, '-');
	if (!take(in, '0') && !digits(in))
		return false;
	if (take(in, '.') && !digits(in))
		return false;
	if (take(in, 'e') || take(in, 'E')) {
		if (!take(in, '-'))
			take(in, '+');
		return digits(in);
	}
	return true;
}

static bool word(struct in *in, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(in->end - in->at) < len || memcmp(in->at, word, len))
		return false;
	in->at += len;
	return true;
}

static bool value(struct in *in, unsigned depth)
{
	blanks(in);
	if (peek(in) == '"')
		return string(in);
	if (peek(in) != '{' && peek(in) != '[')
		return word(in, "true") || word(in, "false") || word(in, "null") || number(in);
	char close = *in->at++ == '{' ? '}' : ']';
	if (depth >= JSON_DEPTH - 1) {
		in->beyond = true;
		return true;
	}
	blanks(in);
	if (take(in, close))
		return true;
	do {
		blanks(in);
		if (close == '}') {
			if (!string(in))
				return false;
			blanks(in);
			if (!take(in, ':'))
				return false;
		}
		if (!value(in, depth + 1))
			return false;
		blanks(in);
	} while (take(in, ','));
	return take(in, close);
}

static void check(const uint8_t *data, size_t size, struct json_reader *reader)
{
	struct in in = {data, data + size, false};
	struct bc_error *err = reader->err;
	bool read = json_skip(reader) && json_finish(reader);
	bool is_json = value(&in, 0);

	blanks(&in);
	is_json &= in.at == in.end;
	if (!in.beyond)
		assert(read == is_json);
	if (read)
		return;
	assert(err->code == BC_FORMAT && !strncmp(err->text, "text: JSON, byte ", 17) &&
	       !strchr(err->text, '\n'));
	assert(strtoull(err->text + 17, NULL, 10) <= size);
	char kept[sizeof(err->text)];
	memcpy(kept, err->text, sizeof(kept));
	assert(!json_skip(reader) && !json_finish(reader) && !strcmp(kept, err->text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct json_reader reader;
	struct bc_error err = {0};
	int ends[2];

	if (packing_of(data, size) != PACKING_NONE)
		return 0; /* that is for fuzz_unpack */
	/* What a pipe holds without a reader. */
	if (size > 60000)
		return 0;
	assert(!pipe(ends));
	assert(write(ends[1], data, size) == (ssize_t)size);
	close(ends[1]);
	struct file_stream stream = {.name = "text", .fd = ends[0]};
	json_reader_init(&reader, &stream, &err);
	check(data, size, &reader);
	close(ends[0]);
	return 0;
}
