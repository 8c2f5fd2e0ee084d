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
#include <stdio.h>
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

/* By their bytes; of two that begin alike the shorter one is first. */
static inline int text_compare(struct text a, struct text b)
{
	size_t both = a.len < b.len ? a.len : b.len;
	int order = both ? memcmp(a.at, b.at, both) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
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
	if (from > t.len)
		from = t.len;
	return from ? (struct text){t.at + from, t.len - from} : t;
}

static inline struct text text_first(struct text t, size_t len)
{
	return (struct text){t.at, len < t.len ? len : t.len};
}

/* The part after byte `at`, a separator; empty if there is none. */
static inline struct text text_behind(struct text t, size_t at)
{
	return at < t.len ? (struct text){t.at + at + 1, t.len - at - 1} :
			    (struct text){t.at + t.len, 0};
}

/* Where `c` first is in t, or t.len. */
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

/* How many bytes the blank lines take that `t` begins with, newlines included, and how many lines
 * these are.  A million of them takes no longer than copying them: compressed, they are a file of
 * nearly nothing. */
size_t text_blank_lines(struct text t, uint64_t *lines);

/* The end of a word after a count: "s" for any but one, or which of the two is given. */
static inline const char *plural_of(uint64_t count, const char *one, const char *more)
{
	return count == 1 ? one : more;
}
static inline const char *plural(uint64_t count)
{
	return plural_of(count, "", "s");
}

/* The whole text as a number: digits only, no sign, no overflow past 64 bits,
 * not empty.  A hexadecimal number may begin with 0x.  *out is set on success
 * only. */
bool text_hex(struct text t, uint64_t *out);
bool text_dec(struct text t, uint64_t *out);

/* A number of bytes from 1 on: 4096, 64K, 64M, 2G. */
bool text_memory(struct text t, size_t *out);

/* Three or more words, all of them hexadecimal numbers.  No event of a pre-aggregated profile has
 * such a name: it is another record, whose letter was damaged. */
bool text_is_numbers(struct text words);

/* Seconds with a fraction of one to nine digits, "2752.373629", in ns. */
bool text_seconds(struct text t, uint64_t *ns);

/* The part of a path after its last slash. */
struct text text_basename(struct text path);

/* Characters of UTF-8 (RFC 3629).  Encodings that are longer than needed, surrogates, and numbers
 * above U+10FFFF are no characters. */

#define UTF8_LONGEST ((size_t)4) /* bytes of a character */

/* The character that `text` begins with: its length, and which it is; 0 if there is none. */
size_t utf8_character(struct text text, uint32_t *character);

/* How many bytes the character at s takes, or 0 if it is none, or below a blank.  Looks no
 * further than a zero byte. */
size_t utf8_length(const unsigned char *s);

/* Nothing but UTF-8; control characters may be in it. */
bool utf8_is(const char *string);

/*
 * Names that come from outside - symbols, sections, paths, hosts, command lines - as
 * they are shown to people.  All that a terminal, or an eye, could take for something
 * else is not printed as it is: control characters (C0, DEL, C1), bytes that are no
 * UTF-8, and the characters that turn the direction of text or end a line.
 *
 * Whatever is for people goes through one of these two.  Formats for programs have rules
 * of their own.
 */

/* Is it one of those that are not printed as they are? */
bool character_is_hidden(uint32_t character);

/* Print a name.  For characters that are not printed as they are, each byte is printed as \033. */
void print_name(struct text name, FILE *out);

/* The same for a message in memory, where each such byte becomes '?'. */
void make_printable(char *line);

/* Print a word as a shell reads it: in quotes if it has to be; in $'...' if a terminal would not
 * show a byte of it, which becomes three octal digits such as \033. */
void print_shell_word(const char *word, FILE *out);

/* ---- the name that a word was meant for ---- */

struct similar {
	const char *word; /* that was given */
	const char *best; /* the nearest so far, or NULL: borrowed */
	size_t distance;
};

/* Tries one more candidate.  It is near if changes of at most a third of the letters, and at most
 * two, make one word of the other: a letter left out, inserted or replaced, or two neighbors
 * exchanged. */
void similar_try(struct similar *similar, const char *candidate);

#endif
