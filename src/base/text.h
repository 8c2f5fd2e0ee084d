/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Views of text: a pointer and a length, no terminator, nothing owned.
 * Strict number parsing lives here and nowhere else.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct text {
	const char *at;
	size_t len;
};

static inline struct text text_of(const char *string)
{
	return (struct text){string, strlen(string)};
}

static inline bool text_is(struct text t, const char *string)
{
	return t.len == strlen(string) && !memcmp(t.at, string, t.len);
}

static inline bool text_equal(struct text a, struct text b)
{
	return a.len == b.len && (!a.len || !memcmp(a.at, b.at, a.len));
}

static inline bool text_starts(struct text t, const char *string)
{
	size_t len = strlen(string);

	return t.len >= len && !memcmp(t.at, string, len);
}

static inline bool text_ends(struct text t, const char *string)
{
	size_t len = strlen(string);

	return t.len >= len && !memcmp(t.at + t.len - len, string, len);
}

/* The part from byte `from` on; empty if there is none. */
static inline struct text text_from(struct text t, size_t from)
{
	return from < t.len ? (struct text){t.at + from, t.len - from}
			    : (struct text){t.at + t.len, 0};
}

static inline struct text text_first(struct text t, size_t len)
{
	return (struct text){t.at, len < t.len ? len : t.len};
}

/* The part behind byte `at`, a separator; empty if there is none. */
static inline struct text text_behind(struct text t, size_t at)
{
	return at < t.len ? (struct text){t.at + at + 1, t.len - at - 1}
			  : (struct text){t.at + t.len, 0};
}

/* Where `c` first stands in t, or t.len. */
size_t text_find(struct text t, char c);

/* Without blanks (space, tab, carriage return) at either end. */
struct text text_trim(struct text t);

/* Take the next word, separated by blanks, off the front of *rest.  Returns an
 * empty text at the end. */
struct text text_word(struct text *rest);

/* Take the next line off the front of *rest, without its newline, which the last one can
 * lack.  Returns false at the end. */
static inline bool text_line(struct text *rest, struct text *out)
{
	if (!rest->len)
		return false;
	size_t len = text_find(*rest, '\n');
	*out = text_first(*rest, len);
	*rest = text_behind(*rest, len);
	return true;
}

/* How many bytes the blank lines take that `t` begins with, newlines included, and how many lines these are.  A million
 * of them takes no longer than copying them: compressed, they are a file of nearly nothing. */
size_t text_blank_lines(struct text t, uint64_t *lines);

/* The whole text as a number: digits only, no sign, no overflow past 64 bits,
 * not empty.  A hexadecimal number may begin with 0x.  *out is set on success
 * only. */
bool text_hex(struct text t, uint64_t *out);
bool text_dec(struct text t, uint64_t *out);

/* Three or more words, all of them hexadecimal numbers.  No event of a pre-aggregated profile has such a
 * name: it is another record, whose letter was damaged. */
bool text_is_numbers(struct text words);

/* Seconds with a fraction of one to nine digits, "2752.373629", in ns. */
bool text_seconds(struct text t, uint64_t *ns);

/* The part of a path behind its last slash. */
struct text text_basename(struct text path);

#endif
