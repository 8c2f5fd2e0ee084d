/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The only code that touches a descriptor's bytes.
 *
 * A read that fails leaves the position where it was and fills the error with
 * the field's name and the offset where it begins.  Integers are little-endian.
 */
#ifndef BATCONV_BAT_CURSOR_H
#define BATCONV_BAT_CURSOR_H

#include "bat/bat.h"

struct bat_cursor {
	const uint8_t *begin, *pos, *end; /* begin <= pos <= end                */
	struct bat_error *err;
};

static inline size_t cursor_left(const struct bat_cursor *c)
{
	return (size_t)(c->end - c->pos);
}

/* Fill the error for the field that begins at `at`: BAT_ERROR_FORMAT and
 * "field, byte N: why".  Returns false. */
__attribute__((cold, format(printf, 5, 6))) bool
bat_cursor_fail(const struct bat_cursor *c, const uint8_t *at, const char *field,
		enum bat_cause cause, const char *why, ...);

/* Multi-byte cases of cursor_uleb() and cursor_sleb(). */
BAT_MUST_USE bool bat_cursor_long_uleb(struct bat_cursor *c, const char *field, uint64_t *out);
BAT_MUST_USE bool bat_cursor_long_sleb(struct bat_cursor *c, const char *field, uint64_t *out);

/* Move after the next `size` bytes; *out is where they begin. */
BAT_MUST_USE static inline bool cursor_bytes(struct bat_cursor *c, size_t size, const char *field,
					     const uint8_t **out)
{
	if (size > cursor_left(c)) {
		(void)bat_cursor_fail(c, c->pos, field, BAT_CAUSE_END, "%zu bytes needed, %zu left",
				      size, cursor_left(c));
		return false; /* visibly, for the compiler */
	}
	*out = c->pos;
	c->pos += size;
	return true;
}

static inline uint32_t load_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t load_u64(const uint8_t *p)
{
	return load_u32(p) | (uint64_t)load_u32(p + 4) << 32;
}

BAT_MUST_USE static inline bool cursor_u32(struct bat_cursor *c, const char *field, uint32_t *out)
{
	const uint8_t *p;

	if (!cursor_bytes(c, 4, field, &p))
		return false;
	*out = load_u32(p);
	return true;
}

BAT_MUST_USE static inline bool cursor_u64(struct bat_cursor *c, const char *field, uint64_t *out)
{
	const uint8_t *p;

	if (!cursor_bytes(c, 8, field, &p))
		return false;
	*out = load_u64(p);
	return true;
}

/* Unsigned LEB128, as tolerant as LLVM's: 64 bits of value, then any number of
 * padding bytes. */
BAT_MUST_USE static inline bool cursor_uleb(struct bat_cursor *c, const char *field, uint64_t *out)
{
	if (c->pos == c->end || *c->pos >= 0x80)
		return bat_cursor_long_uleb(c, field, out);
	*out = *c->pos++;
	return true;
}

/* Signed LEB128; *out is the value modulo 2^64, ready to be added. */
BAT_MUST_USE static inline bool cursor_sleb(struct bat_cursor *c, const char *field, uint64_t *out)
{
	if (c->pos == c->end || *c->pos >= 0x80)
		return bat_cursor_long_sleb(c, field, out);
	*out = *c->pos & 0x3fu;
	*out -= *c->pos++ & 0x40u;
	return true;
}

/* Fails if `count` items of at least `item_size` bytes each cannot be in the bytes
 * left.  `at` is where the field with the count begins; call it when that field was
 * just read. */
BAT_MUST_USE static inline bool cursor_fits(const struct bat_cursor *c, const uint8_t *at,
					    const char *field, const char *items, uint64_t count,
					    size_t item_size)
{
	if (count <= cursor_left(c) / item_size)
		return true;
	return bat_cursor_fail(c, at, field, BAT_CAUSE_COUNT,
			       "%llu %s do not fit in the %zu bytes left",
			       (unsigned long long)count, items, cursor_left(c));
}

#endif
