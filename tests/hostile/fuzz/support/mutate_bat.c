/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A descriptor as the list of its fields.  Numbers are changed in their own encoding;
 * whole entries, fragments and pairs are left out, doubled or moved, with the counts
 * before them kept right.  What cannot be read as a field stays as a rest of bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "bat/bat.h"
#include "bat/layout.h"
#include "tests/hostile/fuzz/support/mutators.h"

struct fields {
	struct bat_field *at;
	size_t count, capacity;
	const uint8_t *bytes; /* of the descriptor */
	uint64_t end;         /* where the last field ends */
};

/* A field that was given another number is nowhere; `value`: padding bytes. */
#define NOT_STORED UINT64_MAX

static void insert(struct fields *f, size_t at, const struct bat_field *field)
{
	if (f->count == f->capacity) {
		f->capacity = 2 * f->capacity + 64;
		f->at = realloc(f->at, f->capacity * sizeof(*f->at));
		if (!f->at)
			abort();
	}
	memmove(f->at + at + 1, f->at + at, (f->count - at) * sizeof(*f->at));
	f->at[at] = *field;
	f->count++;
}

static bool collect(void *ctx, const struct bat_field *field)
{
	struct fields *f = ctx;

	insert(f, f->count, field);
	f->end = field->byte + field->size;
	return f->count < 1 << 14;
}

static void give(struct bat_field *field, uint64_t number, unsigned padding)
{
	if (field->encoding == BAT_ENCODING_BITS)
		return;
	field->stored = number;
	field->byte = NOT_STORED;
	field->value = padding;
}

static bool is_named(const struct bat_field *field, const char *name)
{
	return !strcmp(field->name, name);
}

/* The count that counts what `of` belongs to: its entries, or its fragment. */
static struct bat_field *count_of(struct fields *f, const struct bat_field *of, bool entries)
{
	for (size_t i = 0; i < f->count; i++) {
		struct bat_field *c = &f->at[i];
		if (c->cold != of->cold)
			continue;
		if (entries && of->fragment != BAT_NO_INDEX && c->fragment == of->fragment &&
		    is_named(c, is_named(of, "SecEntryPoint") ? "NumSecEntryPoints" : "NumEntries"))
			return c;
		if ((!entries || of->fragment == BAT_NO_INDEX) && c->fragment == BAT_NO_INDEX &&
		    c->entry == BAT_NO_INDEX)
			return c;
	}
	return NULL;
}

static bool is_together(const struct bat_field *a, const struct bat_field *b, bool entries)
{
	if (a->cold != b->cold || a->fragment != b->fragment)
		return false;
	return !entries || (a->entry == b->entry &&
			    is_named(a, "SecEntryPoint") == is_named(b, "SecEntryPoint"));
}

/* The fields of the same entry or fragment: [*begin, *end). */
static void group(const struct fields *f, size_t at, bool entries, size_t *begin, size_t *end)
{
	*begin = at;
	*end = at + 1;
	while (*begin > 0 && is_together(&f->at[*begin - 1], &f->at[at], entries))
		--*begin;
	while (*end < f->count && is_together(&f->at[*end], &f->at[at], entries))
		++*end;
}

static void leave_out(struct fields *f, size_t begin, size_t end)
{
	memmove(f->at + begin, f->at + end, (f->count - end) * sizeof(*f->at));
	f->count -= end - begin;
}

static void copy(struct fields *f, size_t begin, size_t end, size_t to)
{
	size_t count = end - begin;
	struct bat_field *copies = malloc(count * sizeof(*copies));

	if (!copies)
		abort();
	memcpy(copies, f->at + begin, count * sizeof(*copies));
	for (size_t i = 0; i < count; i++)
		insert(f, to + i, &copies[i]);
	free(copies);
}

/* Entries, pairs or fragments: one less, one more, or one elsewhere. */
static void mutate_group(struct fields *f, struct prng *random)
{
	size_t at = (size_t)prng_below(random, f->count), begin, end, to, to_end;
	struct bat_field of = f->at[at];
	bool entries =
		of.entry != BAT_NO_INDEX && (of.fragment == BAT_NO_INDEX || prng_below(random, 3));
	struct bat_field *count = count_of(f, &of, entries);

	if (!count || (of.fragment == BAT_NO_INDEX && of.entry == BAT_NO_INDEX))
		return;
	group(f, at, entries, &begin, &end);
	switch (prng_below(random, 3)) {
	case 0:
		give(count, count->stored - 1, 0);
		leave_out(f, begin, end);
		break;
	case 1:
		give(count, count->stored + 1, 0);
		copy(f, begin, end, end);
		break;
	default: /* after another one of the same table */
		group(f, (size_t)prng_below(random, f->count), entries, &to, &to_end);
		if (f->at[to].cold != of.cold || (entries && f->at[to].fragment != of.fragment) ||
		    f->at[to].fragment == BAT_NO_INDEX)
			return;
		copy(f, begin, end, to_end);
		if (to_end <= begin)
			leave_out(f, begin + (end - begin), end + (end - begin));
		else
			leave_out(f, begin, end);
	}
}

static void mutate_value(struct fields *f, struct prng *random)
{
	struct bat_field *field = &f->at[prng_below(random, f->count)];
	unsigned bits = field->encoding == BAT_ENCODING_U32 ? 32 : 64;

	if (!prng_below(random, 8))
		give(field, f->at[prng_below(random, f->count)].stored, 0);
	else if (!prng_below(random, 8))
		give(field, field->stored, 1 + (unsigned)prng_below(random, 12));
	else
		give(field, mutate_number(random, field->stored, bits), 0);
}

/* Shortest LEB128, then padding that does not change the number. */
static void add_leb(struct growing *out, uint64_t number, bool is_signed, unsigned padding)
{
	uint64_t sign = is_signed && number >> 63 ? UINT64_MAX : 0;
	uint8_t byte;

	for (;;) {
		byte = number & 0x7f;
		number = number >> 7 | (sign ? ~(UINT64_MAX >> 7) : 0);
		if (number == sign && (!is_signed || (byte & 0x40) == (sign & 0x40)))
			break;
		growing_number(out, byte | 0x80u, 1);
	}
	growing_number(out, padding ? byte | 0x80u : byte, 1);
	for (; padding; padding--)
		growing_number(out, (sign & 0x7f) | (padding > 1 ? 0x80u : 0), 1);
}

static void write_mask(const struct fields *f, size_t at, struct growing *out)
{
	const struct bat_field *mask = &f->at[at];
	/* EqualElems is before its mask and says how long that is. */
	uint64_t bytes = at && is_named(&f->at[at - 1], "EqualElems") ?
				 f->at[at - 1].stored / 8 + 1 :
				 mask->size;

	if (at && is_named(&f->at[at - 1], "EqualElems") && f->at[at - 1].stored % 8 == 0)
		bytes--;
	for (uint64_t i = 0; i < bytes && i < 4096; i++)
		growing_number(out, i < mask->size ? f->bytes[mask->byte + i] : 0, 1);
}

static void write_field(const struct fields *f, size_t i, struct growing *out)
{
	const struct bat_field *field = &f->at[i];

	if (field->encoding == BAT_ENCODING_BITS)
		write_mask(f, i, out);
	else if (field->byte != NOT_STORED)
		growing_add(out, f->bytes + field->byte, (size_t)field->size);
	else if (field->encoding == BAT_ENCODING_U32)
		growing_number(out, field->stored, 4);
	else if (field->encoding == BAT_ENCODING_U64)
		growing_number(out, field->stored, 8);
	else
		add_leb(out, field->stored, field->encoding == BAT_ENCODING_SLEB,
			(unsigned)field->value);
}

/* Read as the layout that can be followed furthest. */
static void read_fields(const uint8_t *data, size_t size, unsigned chosen, struct fields *out)
{
	struct bat_error err;

	*out = (struct fields){0};
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++) {
		struct fields f = {.bytes = data};
		bool whole = bat_fields((enum bat_layout)((i + chosen) % BAT_LAYOUT_COUNT), data,
					size, collect, &f, &err);
		if (whole || !out->at || f.end > out->end) {
			free(out->at);
			*out = f;
		} else {
			free(f.at);
		}
		if (whole)
			break;
	}
}

/* The same table as another release would write it. */
static bool transcode(const uint8_t *data, size_t size, enum bat_layout layout, struct growing *out)
{
	struct bat_table table;
	struct bat_error err;
	uint8_t *bytes;
	size_t length;
	bool ok = bat_decode(data, size, &table, &err);

	if (!ok)
		return false;
	ok = bat_encode(&table, layout, &bytes, &length, &err);
	bat_free(&table);
	if (ok) {
		growing_add(out, bytes, length);
		free(bytes);
	}
	return ok;
}

static void mutate_fields(const uint8_t *data, size_t size, struct prng *random,
			  struct growing *out)
{
	struct fields f;

	read_fields(data, size, (unsigned)prng_below(random, BAT_LAYOUT_COUNT), &f);
	uint64_t end = f.end;
	for (uint64_t i = 1 + prng_below(random, 3); i && f.count; i--)
		if (prng_below(random, 2))
			mutate_value(&f, random);
		else
			mutate_group(&f, random);
	/* Sometimes cut, at the border of a field. */
	if (f.count && !prng_below(random, 32)) {
		f.count = (size_t)prng_below(random, f.count);
		end = size;
	}
	for (size_t i = 0; i < f.count; i++)
		write_field(&f, i, out);
	growing_add(out, data + end, size - (size_t)end);
	free(f.at);
}

size_t mutate_bat(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	struct prng random = {seed};
	struct growing out = {0};
	unsigned what = (unsigned)prng_below(&random, 64);

	if (what < 16 || !size)
		return LLVMFuzzerMutate(data, size, most);
	if (what > 16 ||
	    !transcode(data, size, (enum bat_layout)prng_below(&random, BAT_LAYOUT_COUNT), &out))
		mutate_fields(data, size, &random, &out);
	if (!out.size || out.size > most) {
		free(out.data);
		return LLVMFuzzerMutate(data, size, most);
	}
	memcpy(data, out.data, out.size);
	free(out.data);
	return out.size;
}
