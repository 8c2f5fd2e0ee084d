/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/text.h"

#include "src/base/attr.h"
#include "src/base/hex.h"

size_t text_find(struct text t, char c)
{
	const char *found = t.len ? memchr(t.at, c, t.len) : NULL;

	return found ? (size_t)(found - t.at) : t.len;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

struct text text_trim(struct text t)
{
	while (t.len && is_blank(t.at[0]))
		t = text_from(t, 1);
	while (t.len && is_blank(t.at[t.len - 1]))
		t.len--;
	return t;
}

struct text text_word(struct text *rest)
{
	size_t begin = 0;

	while (begin < rest->len && is_blank(rest->at[begin]))
		begin++;

	struct text word = text_from(*rest, begin);
	size_t len = 0;

	while (len < word.len && !is_blank(word.at[len]))
		len++;
	*rest = text_from(word, len);
	return text_first(word, len);
}

/* ---- blank lines ---- */

#define CHUNK                                                                                      \
	64 /* bytes that are looked at without a branch between them, so that the compiler can     \
	      take several at a time */

/* Whether all of a chunk is blanks and newlines; adds the newlines. */
static bool chunk_is_blank(const char *at, uint64_t *newlines)
{
	uint8_t other = 0, found = 0;

	for (size_t i = 0; i < CHUNK; i++) {
		uint8_t newline = at[i] == '\n';
		other |= (uint8_t)!(newline | (at[i] == ' ') | (at[i] == '\t') | (at[i] == '\r'));
		found = (uint8_t)(found + newline);
	}
	if (!other)
		*newlines += found;
	return !other;
}

size_t text_blank_lines(struct text t, uint64_t *lines)
{
	size_t end = 0;

	*lines = 0;
	if (!t.len || (*t.at != '\n' && !is_blank(*t.at)))
		return 0;
	while (t.len - end >= CHUNK && chunk_is_blank(t.at + end, lines))
		end += CHUNK;
	for (; end < t.len && (t.at[end] == '\n' || is_blank(t.at[end])); end++)
		*lines += t.at[end] == '\n';
	while (end && t.at[end - 1] != '\n')
		end--;
	return end;
}

bool text_hex(struct text t, uint64_t *out)
{
	uint64_t value;

	if (t.len > 2 && t.at[0] == '0' && (t.at[1] == 'x' || t.at[1] == 'X'))
		t = text_from(t, 2);
	while (t.len > 16 && *t.at == '0')
		t = text_from(t, 1);
	if (!t.len || t.len > 16 || hex_read(t.at, t.at + t.len, &value) != t.len)
		return false;
	*out = value;
	return true;
}

bool text_dec(struct text t, uint64_t *out)
{
	uint64_t value = 0;

	if (!t.len)
		return false;
	for (size_t i = 0; i < t.len; i++) {
		uint64_t digit = (uint64_t)(unsigned char)t.at[i] - '0';
		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = value;
	return true;
}

bool text_memory(struct text t, size_t *out)
{
	static const char units[] = "KMG";
	const char *unit = t.len ? memchr(units, t.at[t.len - 1], sizeof(units) - 1) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	uint64_t number;

	if (!text_dec(text_first(t, t.len - (unit != NULL)), &number) || !number ||
	    number > SIZE_MAX >> shift)
		return false;
	*out = (size_t)number << shift;
	return true;
}

bool text_seconds(struct text t, uint64_t *ns)
{
	size_t dot = text_find(t, '.');
	struct text fraction = text_from(t, dot + 1);
	uint64_t seconds, rest;

	if (fraction.len > 9 || !text_dec(text_first(t, dot), &seconds) ||
	    !text_dec(fraction, &rest) || seconds > UINT64_MAX / 1000000000 - 1)
		return false;
	for (size_t i = fraction.len; i < 9; i++)
		rest *= 10;
	*ns = seconds * 1000000000 + rest;
	return true;
}

struct text text_basename(struct text path)
{
	for (size_t i = path.len; i > 0; i--)
		if (path.at[i - 1] == '/')
			return text_from(path, i);
	return path;
}

bool text_is_numbers(struct text words)
{
	uint64_t ignored;
	size_t count = 0;

	for (struct text word = text_word(&words); word.len; word = text_word(&words), count++)
		if (!text_hex(word, &ignored))
			return false;
	return count >= 3;
}

/* By the first byte: the number of bytes, and the range of the second byte that leaves out
 * encodings that are longer than needed, surrogates, and numbers above U+10FFFF. */
static const struct form {
	unsigned char first_min, first_max, second_min, second_max, length;
} forms[] = {
	{0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
	{0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
	{0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

static const struct form *form_of(unsigned char first)
{
	for (size_t i = 0; i < BC_COUNT(forms); i++)
		if (first >= forms[i].first_min && first <= forms[i].first_max)
			return &forms[i];
	return NULL;
}

size_t utf8_character(struct text text, uint32_t *character)
{
	const unsigned char *s = (const unsigned char *)text.at;
	const struct form *form = text.len ? form_of(*s) : NULL;

	if (!form || text.len < form->length)
		return 0;
	if (form->length > 1 && (s[1] < form->second_min || s[1] > form->second_max))
		return 0;
	*character = form->length == 1 ? *s : *s & (0x7fu >> form->length);
	for (size_t i = 1; i < form->length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*character = *character << 6 | (s[i] & 0x3fu);
	}
	return form->length;
}

size_t utf8_length(const unsigned char *s)
{
	const struct text text = {(const char *)s, strnlen((const char *)s, UTF8_LONGEST)};
	uint32_t character;

	return *s < ' ' ? 0 : utf8_character(text, &character);
}

bool utf8_is(const char *string)
{
	struct text rest = text_of(string);
	uint32_t character;

	while (rest.len) {
		size_t length = utf8_character(rest, &character);
		if (!length)
			return false;
		rest = text_from(rest, length);
	}
	return true;
}

bool character_is_hidden(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c <= 0x9f) || c == 0x061c || c == 0x200e ||
	       c == 0x200f ||                  /* marks of direction */
	       (c >= 0x2028 && c <= 0x202e) || /* ends of lines and paragraphs, directions */
	       (c >= 0x2066 && c <= 0x2069);
}

/* How many bytes at the beginning can be printed: one character at least, or none. */
static size_t plain_length(struct text text)
{
	size_t done = 0, length;
	uint32_t character;

	while ((length = utf8_character(text_from(text, done), &character)) &&
	       !character_is_hidden(character))
		done += length;
	return done;
}

/* For what cannot be printed: a character, or a byte that begins none. */
static size_t hidden_length(struct text text)
{
	uint32_t character;
	size_t length = utf8_character(text, &character);

	return length ? length : 1;
}

void print_name(struct text name, FILE *out)
{
	while (name.len) {
		size_t plain = plain_length(name);
		fwrite(name.at, 1, plain, out);
		name = text_from(name, plain);
		size_t hidden = name.len ? hidden_length(name) : 0;
		for (size_t i = 0; i < hidden; i++)
			fprintf(out, "\\%03o", (unsigned char)name.at[i]);
		name = text_from(name, hidden);
	}
}

void make_printable(char *line)
{
	struct text rest = text_of(line);

	while (rest.len) {
		rest = text_from(rest, plain_length(rest));
		size_t hidden = rest.len ? hidden_length(rest) : 0;
		memset(line + (rest.at - line), '?', hidden);
		rest = text_from(rest, hidden);
	}
}

/* Would a shell take these bytes as they are? */
static bool is_shell_plain(struct text word)
{
	for (size_t i = 0; i < word.len; i++) {
		char c = word.at[i];
		if (text_starts(text_from(word, i), "{}")) /* a shell leaves it as it is */
			i++;
		else if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
			 !(c >= '0' && c <= '9') && !strchr("/._-+:@%,=", c))
			return false;
	}
	return word.len;
}

/* Has it a byte that a terminal would not show as it is? */
static bool has_hidden(struct text word)
{
	for (size_t size; word.len; word = text_from(word, size)) {
		uint32_t character;
		size = utf8_character(word, &character);
		if (!size || character_is_hidden(character))
			return true;
	}
	return false;
}

void print_shell_word(const char *string, FILE *out)
{
	struct text word = text_of(string);
	bool hidden = has_hidden(word);

	if (is_shell_plain(word)) {
		fputs(string, out);
		return;
	}
	fputs(hidden ? "$'" : "'", out);
	for (; *string; string++) {
		unsigned char c = (unsigned char)*string;
		if (!hidden && c == '\'')
			fputs("'\\''", out);
		else if (hidden && (c == '\'' || c == '\\'))
			fprintf(out, "\\%c", c);
		else if (hidden && (c < ' ' || c > '~'))
			fprintf(out, "\\%03o",
				c); /* always three digits: what follows can be one */
		else
			putc(c, out);
	}
	putc('\'', out);
}

/* ---- the name that a word was meant for ---- */

/* Words longer than this are not compared. */
#define LONGEST ((size_t)40)

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: three rows of the table are enough. */
static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][LONGEST + 1];

	for (size_t k = 0; k <= b_len; k++)
		rows[0][k] = k;
	for (size_t i = 1; i <= a_len; i++) {
		size_t *row = rows[i % 3], *above = rows[(i + 2) % 3];
		const size_t *two_above = rows[(i + 1) % 3];
		row[0] = i;
		for (size_t k = 1; k <= b_len; k++) {
			row[k] = least(above[k - 1] + (a[i - 1] != b[k - 1]),
				       least(above[k], row[k - 1]) + 1);
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = least(row[k], two_above[k - 2] + 1);
		}
	}
	return rows[a_len % 3][b_len];
}

void similar_try(struct similar *similar, const char *candidate)
{
	size_t len = strlen(similar->word), other = strlen(candidate);

	if (len > LONGEST || other > LONGEST)
		return;
	size_t far = distance(similar->word, len, candidate, other);
	if (far > 2 || 3 * far > len || (similar->best && far >= similar->distance))
		return;
	similar->best = candidate;
	similar->distance = far;
}
