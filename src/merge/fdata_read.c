/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/fdata.h"

#include "src/base/hex.h"

#define MEMORY_KIND '3' /* and above: places of accesses to memory */

struct place {
	uint8_t kind; /* the digit */
	struct text name; /* as it stands there */
	bool escaped;     /* it has backslashes, each before a blank or a backslash */
	bool odd;         /* it has others: FDATA_AS_IT_STANDS */
	uint64_t offset;
};

bool fdata_fits(struct text start)
{
	return text_starts(start, "boltedcollection\n") || text_starts(start, "no_lbr") ||
	       (start.len > 1 && start.at[0] >= '0' && start.at[0] <= '5' && start.at[1] == ' ');
}

bool fdata_head(struct text line, struct merge_head *head, bool *is_head)
{
	*is_head = true;
	if (text_is(line, "boltedcollection")) {
		head->bolted = true;
		return true;
	}
	*is_head = text_is(line, "no_lbr") || text_starts(line, "no_lbr ");
	if (!*is_head)
		return true;
	head->mode = MODE_PLAIN;
	return merge_set_add_words(&head->events, text_from(line, 6), " ");
}

/* ---- a line ----
 * Behind a line stands its newline, and TEXT_INPUT_BEHIND bytes more can be read: so nothing below looks for the end of
 * the line but where it takes a byte of it. */

/* How many bytes stand before the first blank, backslash or newline. */
static size_t plain_length(const char *at)
{
	size_t i = 0;

#ifdef __SSE2__
	for (;; i += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i));
		__m128i blank = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
		unsigned mask = (unsigned)_mm_movemask_epi8(_mm_or_si128(blank, _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'))));
		if (mask)
			return i + (unsigned)__builtin_ctz(mask);
	}
#else
	while (at[i] != ' ' && at[i] != '\n' && at[i] != '\\')
		i++;
	return i;
#endif
}

/* Take the bytes up to the next blank, which is taken, too; a backslash takes a blank its meaning. */
static bool take_name(const char **rest, struct place *out)
{
	const char *at = *rest + plain_length(*rest);

	out->escaped = out->odd = false;
	while (*at == '\\') {
		out->odd |= at[1] != ' ' && at[1] != '\\';
		out->escaped = true;
		at += at[1] == '\n' ? 1 : 2;
		at += plain_length(at);
	}
	out->escaped &= !out->odd;
	out->name = (struct text){*rest, (size_t)(at - *rest)};
	*rest = at + 1;
	return *at == ' ' && out->name.len;
}

static bool take_place(const char **rest, struct place *out, const char **why)
{
	const char *at = *rest;

	*why = "expected a place: its kind (0 to 5), a name, and an offset in hexadecimal digits";
	if (at[0] < '0' || at[0] > '5' || at[1] != ' ')
		return false;
	out->kind = (uint8_t)at[0];
	*rest += 2;
	if (!take_name(rest, out))
		return false;
	unsigned digits = hex_open(*rest, &out->offset);
	*rest += digits + 1;
	return digits && (*rest)[-1] == ' ';
}

/* A decimal number and the blank behind it, or the end of the line. */
static bool take_count(const char **rest, char end, uint64_t *out)
{
	const char *at = *rest;
	uint64_t sum = 0;

	for (; (unsigned char)(*at - '0') < 10; at++)
		sum = sum * 10 + (uint64_t)(*at - '0');
	*out = sum;
	struct text digits = {*rest, (size_t)(at - *rest)};
	*rest = at + 1;
	return *at == end && digits.len && (digits.len < 20 || text_dec(digits, out));
}

/* Sixteen bytes at a time: there is room behind it where it goes to, as behind a line. */
static uint8_t *put_plain(uint8_t *to, struct text name)
{
	for (size_t i = 0; i < name.len; i += 16)
		memcpy(to + i, name.at + i, 16);
	to[name.len] = 0;
	return to + name.len + 1;
}

/* Names sort as they are, not as they are escaped. */
static uint8_t *put_name(uint8_t *to, const struct place *place)
{
	struct text name = place->name;

	if (!place->escaped)
		return put_plain(to, name);
	for (size_t i = 0; i < name.len; i++) {
		i += name.at[i] == '\\'; /* what it escapes follows */
		*to++ = (uint8_t)name.at[i];
	}
	*to = 0;
	return to + 1;
}

static bool is_symbol(const struct place *place)
{
	return place->kind != '0' && place->kind != MEMORY_KIND;
}

static uint8_t *put_place(uint8_t *to, const struct place *place, bool named)
{
	*to++ = place->odd ? place->kind | FDATA_AS_IT_STANDS : place->kind;
	return key_put_number(named ? to : put_name(to, place), place->offset);
}

/* The name that all is listed under stands once. */
static void make_key(struct key *key, const struct place *from, const struct place *to)
{
	const struct place *listed = to && !is_symbol(from) && is_symbol(to) ? to : from;
	bool entry = listed != from;

	key->size = 0;
	/* Each name and its end; what is no name; and what put_plain() writes behind it. */
	if (!key_reserve(key, from->name.len + (to ? to->name.len : 0) + 2 + 2 * (1 + sizeof(uint64_t)) + 2 + 16))
		return;
	uint8_t *at = key->at;
	*at++ = from->kind >= MEMORY_KIND;
	at = put_name(at, listed);
	*at++ = entry ? LISTED_ENTRY : LISTED_OWN;
	at = put_place(at, from, !entry);
	if (to)
		at = put_place(at, to, entry);
	key->size = (size_t)(at - key->at);
}

static bool take_counts(const char *rest, const struct place *from, const struct place *to, struct merge_item *item,
			const char **why)
{
	*why = "expected the mispredictions and the count, two decimal numbers below 2^64, and nothing behind them";
	if (from->kind < MEMORY_KIND && to->kind < MEMORY_KIND)
		return take_count(&rest, ' ', &item->sum[1]) && take_count(&rest, '\n', &item->sum[0]);
	*why = "expected two places of memory and a count, a decimal number below 2^64";
	return from->kind >= MEMORY_KIND && to->kind >= MEMORY_KIND && take_count(&rest, '\n', &item->sum[0]);
}

bool fdata_parse(struct text line, enum merge_mode mode, struct key *key, struct merge_item *item, const char **why)
{
	const char *rest = line.at;
	struct place from, to;

	*item = (struct merge_item){0};
	if (!take_place(&rest, &from, why))
		return false;
	if (mode == MODE_PLAIN && from.kind < MEMORY_KIND) {
		*why = "expected the count of a plain sample, a decimal number below 2^64";
		if (!take_count(&rest, '\n', &item->sum[0]))
			return false;
		make_key(key, &from, NULL);
	} else if (!take_place(&rest, &to, why) || !take_counts(rest, &from, &to, item, why)) {
		return false;
	} else {
		make_key(key, &from, &to);
	}
	item->key = key->at;
	item->size = key->size;
	return !key->failed;
}

/* ---- nearly all lines ----
 * A branch from a symbol, with short names that have no backslash.  The key is made while the line is read. */

#define SHORT ((size_t)128) /* bytes of a name */

/* Copy a name up to the blank behind it; returns its length, or 0: it is not one of those.  Writes 16 bytes at a time. */
static inline size_t copy_name(uint8_t *to, const char *from)
{
#ifdef __SSE2__
	for (size_t i = 0; i < SHORT; i += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(from + i));
		__m128i blank = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' '));
		__m128i other = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
		unsigned mask = (unsigned)_mm_movemask_epi8(_mm_or_si128(blank, other));
		_mm_storeu_si128((__m128i *)(void *)(to + i), bytes);
		if (!mask)
			continue;
		i += (unsigned)__builtin_ctz(mask);
		return from[i] == ' ' ? i : 0;
	}
	return 0;
#else
	size_t length = plain_length(from);

	if (from[length] != ' ' || length >= SHORT)
		return 0;
	memcpy(to, from, length);
	return length;
#endif
}

/* The kind of a place and the blank behind it: 0 to 2, or 1 and 2. */
static inline bool is_kind(const char *at, char first)
{
	return at[0] >= first && at[0] <= '2' && at[1] == ' ';
}

/* An offset and the blank behind it. */
static inline bool copy_offset(uint8_t **to, const char **at)
{
	uint64_t offset;
	unsigned digits = hex_open(*at, &offset);

	*to = key_put_number(*to, offset);
	*at += digits + 1;
	return digits && (*at)[-1] == ' ';
}

/* A decimal number of less than 20 digits, and what ends it. */
static inline bool take_short_count(const char **at, char end, uint64_t *out)
{
	const char *first = *at, *p = first;
	uint64_t sum = 0;

	for (; (unsigned char)(*p - '0') < 10; p++)
		sum = sum * 10 + (uint64_t)(*p - '0');
	*out = sum;
	*at = p + 1;
	return *p == end && p > first && p - first < 20;
}

bool fdata_take(const char **line, struct key *key, struct merge_item *item)
{
	const char *at = *line;
	size_t length;

	key->size = 0;
	if (!is_kind(at, '1') || !key_reserve(key, 2 * (SHORT + 16) + 2 * sizeof(uint64_t) + 8))
		return false;
	uint8_t *to = key->at;
	*to++ = 0;
	if (!(length = copy_name(to, at + 2)))
		return false;
	to += length;
	*to++ = 0;
	*to++ = LISTED_OWN;
	*to++ = (uint8_t)*at;
	at += 2 + length + 1;
	if (!copy_offset(&to, &at) || !is_kind(at, '0'))
		return false;
	*to++ = (uint8_t)*at;
	if (!(length = copy_name(to, at + 2)))
		return false;
	to += length;
	*to++ = 0;
	at += 2 + length + 1;
	if (!copy_offset(&to, &at) || !take_short_count(&at, ' ', &item->sum[1]) || !take_short_count(&at, '\n', &item->sum[0]))
		return false;
	key->size = (size_t)(to - key->at);
	item->key = key->at;
	item->size = key->size;
	item->same[0] = item->same[1] = 0;
	*line = at;
	return true;
}
