/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/hex.h"
#include "src/merge/fdata.h"

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
	uint8_t kind = key_take_byte(key);
	char begin[] = {(char)(kind & FDATA_DIGIT), ' '}, end[HEX_MOST + 2] = " ";
	struct text name = listed ? *listed : key_take_name(key);

	emit_bytes(out, begin, sizeof(begin));
	if (kind & FDATA_AS_IT_STANDS)
		emit_bytes(out, name.at, name.len);
	else
		write_name(out, name);
	unsigned digits = hex_write(end + 1, key_take_number(key));
	end[digits + 1] = ' ';
	emit_bytes(out, end, digits + 2);
}

/* ---- nearly all lines ---- */

#ifdef __SSE2__
/* Where the first byte is that ends or must be escaped. */
static inline unsigned special(__m128i bytes)
{
	__m128i blank = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));

	return (unsigned)_mm_movemask_epi8(_mm_or_si128(blank, _mm_cmpeq_epi8(bytes, _mm_setzero_si128())));
}
#endif

/* A name that a zero byte ends, which is taken, too; behind it stand 8 bytes more.  Writes 16 bytes at a time.  false: it must be escaped */
static inline bool put_name_plain(char **to, struct key_parts *key)
{
	const uint8_t *name = key->at;
	size_t i = 0;

#ifdef __SSE2__
	unsigned found = 0;
	for (; !found && key->end - name >= (ptrdiff_t)(i + 16); i += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(name + i));
		_mm_storeu_si128((__m128i *)(void *)(*to + i), bytes);
		found = special(bytes) << 16;
	}
	for (; !found; i += 8) {
		__m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)(name + i));
		_mm_storel_epi64((__m128i *)(void *)(*to + i), bytes);
		found = (special(bytes) & 0xff) << 24;
	}
	i = i + (unsigned)__builtin_ctz(found) - 32;
#else
	for (; name[i] && name[i] != ' ' && name[i] != '\\'; i++)
		(*to)[i] = (char)name[i];
#endif
	*to += i;
	key->at = name + i + 1;
	return !name[i];
}

static inline char *put_offset(char *to, struct key_parts *key)
{
	*to++ = ' ';
	to += hex_write(to, key_take_number(key));
	*to++ = ' ';
	return to;
}

/* A branch listed under the name where it begins.  false: not such a one, or it is long or must be escaped */
static bool write_own(const struct merge_item *item, struct emit *out)
{
	struct key_parts key = key_parts(item);

	if (item->size > EMIT_BUFFER / 4 || key_take_byte(&key) || !emit_room(out, 2 * item->size + 64))
		return false;
	char *first = out->at + out->used, *to = first + 2;
	if (!put_name_plain(&to, &key) || key_take_byte(&key) != LISTED_OWN)
		return false;
	first[0] = (char)key_take_byte(&key);
	first[1] = ' ';
	to = put_offset(to, &key);
	if (key.at == key.end)
		return false;
	*to++ = (char)key_take_byte(&key);
	*to++ = ' ';
	if (!put_name_plain(&to, &key))
		return false;
	to = put_offset(to, &key);
	out->used = (size_t)(to - out->at);
	emit_dec(out, item->sum[1]);
	emit_char(out, ' ');
	return true;
}

static void write_any(const struct merge_item *item, struct emit *out)
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
}

void fdata_write_item(const struct merge_item *item, struct emit *out)
{
	if (!write_own(item, out))
		write_any(item, out);
	emit_dec(out, item->sum[0]);
	emit_char(out, '\n');
}
