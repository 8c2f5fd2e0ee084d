/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/fdata.h"

#include "src/base/hex.h"

#define MEMORY_KIND '3' /* and above: places of accesses to memory */

struct place {
	uint8_t kind; /* the digit */
	struct text name; /* as it stands there */
	bool escaped;     /* it has a backslash */
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

/* ---- reading ---- */

/* How many bytes stand before the first blank or backslash. */
static size_t plain_length(const char *at, size_t size)
{
	size_t i = 0;

#ifdef __SSE2__
	for (; size - i >= 16; i += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i));
		__m128i found = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
		unsigned mask = (unsigned)_mm_movemask_epi8(found);
		if (mask)
			return i + (unsigned)__builtin_ctz(mask);
	}
#endif
	while (i < size && at[i] != ' ' && at[i] != '\\')
		i++;
	return i;
}

/* Take the bytes up to the next blank, which is taken, too; a backslash takes a blank its meaning. */
static bool take_name(struct text *rest, struct text *out, bool *escaped)
{
	const char *at = rest->at, *end = at + rest->len;

	at += plain_length(at, rest->len);
	*escaped = at < end && *at == '\\';
	while (at < end && *at == '\\') {
		at += end - at > 1 ? 2 : 1;
		at += plain_length(at, (size_t)(end - at));
	}
	if (at == end || at == rest->at)
		return false;
	*out = (struct text){rest->at, (size_t)(at - rest->at)};
	*rest = (struct text){at + 1, (size_t)(end - at) - 1};
	return true;
}

static bool take_offset(struct text *rest, uint64_t *out)
{
	size_t digits = hex_read(rest->at, rest->at + rest->len, out);

	if (!digits || digits > 16 || digits == rest->len || rest->at[digits] != ' ')
		return false;
	*rest = (struct text){rest->at + digits + 1, rest->len - digits - 1};
	return true;
}

static bool take_place(struct text *rest, struct place *out, const char **why)
{
	*why = "expected a place: its kind (0 to 5), a name, and an offset in hexadecimal digits";
	if (rest->len < 2 || rest->at[0] < '0' || rest->at[0] > '5' || rest->at[1] != ' ')
		return false;
	out->kind = (uint8_t)rest->at[0];
	*rest = (struct text){rest->at + 2, rest->len - 2};
	return take_name(rest, &out->name, &out->escaped) && take_offset(rest, &out->offset);
}

/* A decimal number and the blank behind it, or the end of the line where `last`. */
static bool take_count(struct text *rest, bool last, uint64_t *out)
{
	uint64_t sum = 0;
	size_t i = 0;

	for (; i < rest->len && rest->at[i] >= '0' && rest->at[i] <= '9'; i++)
		if (__builtin_mul_overflow(sum, 10u, &sum) || __builtin_add_overflow(sum, (uint64_t)(rest->at[i] - '0'), &sum))
			return false;
	if (!i || (last ? i != rest->len : i == rest->len || rest->at[i] != ' '))
		return false;
	*out = sum;
	*rest = last ? (struct text){rest->at + i, 0} : (struct text){rest->at + i + 1, rest->len - i - 1};
	return true;
}

/* Names sort as they are, not as they are escaped. */
static void key_escaped(struct key *key, const struct place *place)
{
	struct text name = place->name;

	if (!place->escaped) {
		key_name(key, name);
		return;
	}
	if (!key_reserve(key, name.len + 1))
		return;
	for (size_t i = 0; i < name.len; i++) {
		if (name.at[i] == '\\' && i + 1 < name.len)
			i++;
		key->at[key->size++] = (uint8_t)name.at[i];
	}
	key->at[key->size++] = 0;
}

enum { LISTED_OWN, LISTED_ENTRY };

static bool is_symbol(const struct place *place)
{
	return place->kind != '0' && place->kind != MEMORY_KIND;
}

static void key_place(struct key *key, const struct place *place, bool named)
{
	key_byte(key, place->kind);
	if (!named)
		key_escaped(key, place);
	key_number(key, place->offset);
}

/* The name that all is listed under stands once. */
static void make_key(struct key *key, const struct place *from, const struct place *to)
{
	bool entry = to && !is_symbol(from) && is_symbol(to);

	key->size = 0;
	key_byte(key, from->kind >= MEMORY_KIND);
	key_escaped(key, entry ? to : from);
	key_byte(key, entry ? LISTED_ENTRY : LISTED_OWN);
	key_place(key, from, !entry);
	if (to)
		key_place(key, to, entry);
}

static bool parse_counts(struct text rest, const struct place *from, const struct place *to, struct merge_item *item,
			 const char **why)
{
	*why = "expected the mispredictions and the count, two decimal numbers below 2^64, and nothing behind them";
	if (from->kind < MEMORY_KIND && to->kind < MEMORY_KIND)
		return take_count(&rest, false, &item->sum[1]) && take_count(&rest, true, &item->sum[0]);
	*why = "expected two places of memory and a count, a decimal number below 2^64";
	return from->kind >= MEMORY_KIND && to->kind >= MEMORY_KIND && take_count(&rest, true, &item->sum[0]);
}

bool fdata_parse(struct text line, enum merge_mode mode, struct key *key, struct merge_item *item, const char **why)
{
	struct place from, to;
	bool plain = mode == MODE_PLAIN;

	*item = (struct merge_item){0};
	if (!take_place(&line, &from, why))
		return false;
	if (plain && from.kind < MEMORY_KIND) {
		*why = "expected the count of a plain sample, a decimal number below 2^64";
		if (!take_count(&line, true, &item->sum[0]))
			return false;
		make_key(key, &from, NULL);
	} else if (!take_place(&line, &to, why) || !parse_counts(line, &from, &to, item, why)) {
		return false;
	} else {
		make_key(key, &from, &to);
	}
	item->key = key->at;
	item->size = key->size;
	return !key->failed;
}

/* ---- writing ---- */

bool fdata_write_head(const struct merge_head *head, struct emit *out)
{
	struct text *events = merge_sorted(&head->events);

	if (!events)
		return false;
	/* llvm-bolt looks for no_lbr first. */
	if (head->mode == MODE_PLAIN) {
		emit_string(out, "no_lbr");
		for (size_t i = 0; i < merge_set_size(&head->events); i++) {
			emit_char(out, ' ');
			emit_bytes(out, events[i].at, events[i].len);
		}
		emit_char(out, '\n');
	}
	if (head->bolted)
		emit_string(out, "boltedcollection\n");
	free(events);
	return true;
}

static void write_name(struct emit *out, struct text name)
{
	if (!memchr(name.at, ' ', name.len) && !memchr(name.at, '\\', name.len)) {
		emit_bytes(out, name.at, name.len);
		return;
	}
	for (size_t i = 0; i < name.len; i++) {
		if (name.at[i] == ' ' || name.at[i] == '\\')
			emit_char(out, '\\');
		emit_char(out, name.at[i]);
	}
}

static void write_place(struct emit *out, struct key_parts *key, const struct text *listed)
{
	emit_char(out, (char)key_take_byte(key));
	emit_char(out, ' ');
	write_name(out, listed ? *listed : key_take_name(key));
	emit_char(out, ' ');
	emit_hex(out, key_take_number(key));
	emit_char(out, ' ');
}

void fdata_write_item(const struct merge_item *item, struct emit *out)
{
	struct key_parts key = key_parts(item);
	bool memory = key_take_byte(&key);
	struct text listed = key_take_name(&key);
	bool entry = key_take_byte(&key) == LISTED_ENTRY;

	write_place(out, &key, entry ? NULL : &listed);
	if (key.at < key.end) {
		write_place(out, &key, entry ? &listed : NULL);
		if (!memory) {
			emit_dec(out, item->sum[1]);
			emit_char(out, ' ');
		}
	}
	emit_dec(out, item->sum[0]);
	emit_char(out, '\n');
}
