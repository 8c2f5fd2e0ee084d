/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads fields from bytes, and never behind their end.  A field that does not fit is
 * zero or empty and sets `failed`, which stays set: fields in a row are checked once,
 * behind the last one.
 */
#ifndef SAMPLES_PERF_DATA_PERF_CURSOR_H
#define SAMPLES_PERF_DATA_PERF_CURSOR_H

#include <string.h>

#include "src/base/text.h"
#include "src/base/bytes.h"

struct perf_cursor {
	struct bytes rest;
	bool failed;
};

static inline struct perf_cursor perf_cursor(struct bytes bytes)
{
	return (struct perf_cursor){bytes, false};
}

static inline struct bytes cursor_take(struct perf_cursor *c, uint64_t size)
{
	if (size > c->rest.size) {
		c->failed = true;
		c->rest.size = 0;
		return (struct bytes){NULL, 0};
	}
	struct bytes taken = {c->rest.data, (size_t)size};
	if (size) {
		c->rest.data += size;
		c->rest.size -= (size_t)size;
	}
	return taken;
}

static inline uint16_t cursor_u16(struct perf_cursor *c)
{
	struct bytes b = cursor_take(c, 2);

	return b.data ? le16(b.data) : 0;
}

static inline uint32_t cursor_u32(struct perf_cursor *c)
{
	struct bytes b = cursor_take(c, 4);

	return b.data ? le32(b.data) : 0;
}

static inline uint64_t cursor_u64(struct perf_cursor *c)
{
	struct bytes b = cursor_take(c, 8);

	return b.data ? le64(b.data) : 0;
}

/* `count` things of `each` bytes; a count that is too large fails. */
static inline void cursor_skip(struct perf_cursor *c, uint64_t count, size_t each)
{
	if (count > c->rest.size / each)
		c->failed = true;
	else
		cursor_take(c, count * each);
}

/* Bytes up to the first NUL, or all of them. */
static inline struct text bytes_string(struct bytes b)
{
	if (!b.size)
		return text_of("");
	return (struct text){(const char *)b.data, strnlen((const char *)b.data, b.size)};
}

/* A string with its length before it, as the feature sections have them. */
static inline struct text cursor_string(struct perf_cursor *c)
{
	uint32_t len = cursor_u32(c);

	return bytes_string(cursor_take(c, len));
}

#endif
