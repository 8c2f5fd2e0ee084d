/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Encoders of the layouts.  What they write of a decoded table is the descriptor again,
 * canonically. */
#include "bat/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers: fixed widths, little-endian, and LEB128 ---- */

/* Zeroed means empty.  After it ran out of memory it takes no more bytes, so that
 * encoders check `failed` once, at the end.  Its owner frees `data`. */
struct bat_buffer {
	uint8_t *data;
	size_t size, capacity;
	bool failed;
};

static bool reserve(struct bat_buffer *s, size_t size)
{
	size_t capacity = s->capacity;
	uint8_t *data;

	if (s->failed || size <= capacity - s->size)
		return !s->failed;
	while (size > capacity - s->size)
		capacity = capacity ? capacity * 2 : 4096;
	data = realloc(s->data, capacity);
	if (!data) {
		s->failed = true;
		return false;
	}
	s->data = data;
	s->capacity = capacity;
	return true;
}

static void bat_buffer_bytes(struct bat_buffer *s, const uint8_t *data, size_t size)
{
	if (!size || !reserve(s, size))
		return;
	memcpy(s->data + s->size, data, size);
	s->size += size;
}

static void bat_buffer_u32(struct bat_buffer *s, uint32_t value)
{
	uint8_t bytes[4];

	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	bat_buffer_bytes(s, bytes, sizeof(bytes));
}

static void bat_buffer_u64(struct bat_buffer *s, uint64_t value)
{
	bat_buffer_u32(s, (uint32_t)value);
	bat_buffer_u32(s, (uint32_t)(value >> 32));
}

static void bat_buffer_uleb(struct bat_buffer *s, uint64_t value)
{
	uint8_t bytes[10];
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (uint8_t)(value | 0x80);
	bytes[size++] = (uint8_t)value;
	bat_buffer_bytes(s, bytes, size);
}

static void bat_buffer_sleb(struct bat_buffer *s, uint64_t value)
{
	uint64_t sign = value >> 63 ? UINT64_MAX : 0;
	uint8_t bytes[10];
	size_t size = 0;

	/* Until what is left, and the last bit written, only repeat the sign. */
	while (value >> 6 != sign >> 6) {
		bytes[size++] = (uint8_t)(value | 0x80);
		value = value >> 7 | sign << 57;
	}
	bytes[size++] = value & 0x7f;
	bat_buffer_bytes(s, bytes, size);
}

/* ---- which entries of a table a layout can encode ---- */

/* Does a layout encode entry i of a fragment of `count` entries?  All layouts but
 * hashed have one entry for each OutputOffset.  For several the last one is encoded,
 * which is the one that translates. */
static inline bool bat_encodes_entry(const struct bat_features *features,
				     const struct bat_entry *entries, uint32_t count, uint32_t i)
{
	return features->hashed || i + 1 == count || entries[i].output != entries[i + 1].output;
}

/* How many of the entries a layout encodes. */
static uint32_t bat_encoded_entries(const struct bat_features *features,
				    const struct bat_entry *entries, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		kept += bat_encodes_entry(features, entries, count, i);
	return kept;
}

/* BAT_ERROR_UNENCODABLE: `layout` cannot encode this fragment.  Returns false. */
static bool bat_fail_unencodable(enum bat_layout layout, const struct bat_fragment *f,
				 const char *why, struct bat_error *err)
{
	*err = (struct bat_error){.code = BAT_ERROR_UNENCODABLE, .field = ""};
	(void)snprintf(err->text, sizeof(err->text),
		       "layout %s cannot hold the fragment at 0x%llx: %s", bat_layout_name(layout),
		       (unsigned long long)f->address, why);
	return false;
}

/* ---- the layout fixed ---- */

static uint32_t input_to_fixed(uint32_t input)
{
	return input >> 1 | input << 31;
}

static void write_fragment(struct bat_buffer *s, const struct bat_table *table,
			   const struct bat_fragment *f)
{
	const struct bat_features *features = bat_layout_features(BAT_LAYOUT_FIXED);
	const struct bat_entry *entries = table->entries + f->first_entry;
	uint32_t count = f->entry_count;

	bat_buffer_u64(s, f->address);
	bat_buffer_u32(s, bat_encoded_entries(features, entries, count));
	for (uint32_t i = 0; i < count; i++) {
		if (!bat_encodes_entry(features, entries, count, i))
			continue;
		bat_buffer_u32(s, entries[i].output);
		bat_buffer_u32(s, input_to_fixed(entries[i].input));
	}
}

static bool write_pair(struct bat_buffer *s, const struct bat_table *table,
		       const struct bat_fragment *f, struct bat_error *err)
{
	bat_buffer_u64(s, f->address);
	if (bat_layout_features(table->layout)->fixed)
		bat_buffer_u64(s, f->stored_hot);
	else if (f->parent != BAT_NO_PARENT)
		bat_buffer_u64(s, table->fragments[f->parent].address);
	else
		return bat_fail_unencodable(BAT_LAYOUT_FIXED, f, "it has no parent", err);
	return true;
}

static bool write_fixed(struct bat_buffer *s, const struct bat_table *table, struct bat_error *err)
{
	const struct bat_fragment *fragments = table->fragments;
	uint32_t count = table->fragment_count;

	bat_buffer_u32(s, count);
	for (uint32_t i = 0; i < count; i++) {
		if (i && fragments[i].address == fragments[i - 1].address)
			return bat_fail_unencodable(BAT_LAYOUT_FIXED, &fragments[i],
						    "another begins there", err);
		write_fragment(s, table, &fragments[i]);
	}
	bat_buffer_u32(s, count - table->hot_count);
	for (uint32_t i = 0; i < count; i++)
		if (fragments[i].cold && !write_pair(s, table, &fragments[i], err))
			return false;
	return true;
}

/* ---- the layouts delta, equal and hashed: see decode.c ---- */

struct writer {
	struct bat_buffer *s;
	const struct bat_table *table;
	enum bat_layout layout;
	const struct bat_features *features;
	const uint32_t *ranks; /* of each fragment: how many hot ones are before it */
	bool cold;             /* which of the two tables                       */
	uint64_t output;       /* the address that the next difference is taken from */
	uint64_t hot_index;    /* the one written last                          */
};

/* The entries of one fragment, and how they are encoded. */
struct entry_list {
	const struct bat_entry *entries;
	const struct bat_block *blocks; /* NULL: all zero                        */
	uint32_t count;
	uint64_t skew;
};

static bool is_encoded(const struct writer *w, const struct entry_list *list, uint32_t i)
{
	return bat_encodes_entry(w->features, list->entries, list->count, i);
}

static bool is_equal(const struct entry_list *list, uint32_t i)
{
	return list->entries[i].output + list->skew == bat_entry_input(list->entries[i]);
}

static uint32_t count_equal(const struct writer *w, const struct entry_list *list)
{
	uint32_t equal = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		if (!is_encoded(w, list, i))
			continue;
		if (!is_equal(list, i))
			break;
		equal++;
	}
	return equal;
}

static void write_mask(struct writer *w, const struct entry_list *list, uint32_t equal)
{
	uint8_t byte = 0;
	uint32_t bit = 0;

	for (uint32_t i = 0; bit < equal; i++) {
		if (!is_encoded(w, list, i))
			continue;
		if (bat_entry_is_branch(list->entries[i]))
			byte |= (uint8_t)(1u << bit % 8);
		if (++bit % 8 == 0 || bit == equal) {
			bat_buffer_bytes(w->s, &byte, 1);
			byte = 0;
		}
	}
}

static void write_block(struct writer *w, const struct entry_list *list, uint32_t i,
			uint64_t *index)
{
	struct bat_block block = {0, 0};

	if (bat_entry_is_branch(list->entries[i]))
		return;
	if (list->blocks)
		block = list->blocks[i];
	bat_buffer_u64(w->s, block.hash);
	bat_buffer_uleb(w->s, block.index - *index);
	*index = block.index;
}

static void write_entries(struct writer *w, const struct bat_fragment *f,
			  const struct entry_list *list, uint32_t equal)
{
	uint64_t input = 0;
	uint64_t index = 0;
	uint32_t written = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		const struct bat_entry *e = &list->entries[i];
		uint64_t output = f->address + e->output;

		if (!is_encoded(w, list, i))
			continue;
		bat_buffer_uleb(w->s, output - w->output);
		w->output = output;
		if (written++ >= equal)
			bat_buffer_sleb(w->s, e->input - input);
		input = e->input;
		if (w->features->hashed)
			write_block(w, list, i, &index);
	}
}

static void write_secondary(struct writer *w, const struct bat_fragment *f)
{
	const uint32_t *offsets = w->table->secondary + f->first_secondary;
	uint64_t last = 0;

	for (uint32_t i = 0; i < f->secondary_count; i++) {
		bat_buffer_uleb(w->s, offsets[i] - last);
		last = offsets[i];
	}
}

static bool write_cold_header(struct writer *w, const struct bat_fragment *f,
			      const struct entry_list *list, struct bat_error *err)
{
	uint64_t index = f->stored_hot;

	if (w->layout != w->table->layout) {
		if (f->parent == BAT_NO_PARENT)
			return bat_fail_unencodable(w->layout, f, "it has no parent", err);
		index = w->ranks[f->parent];
	}
	bat_buffer_uleb(w->s, index - w->hot_index);
	w->hot_index = index;
	if (w->features->hashed)
		bat_buffer_uleb(w->s, list->skew);
	return true;
}

static void write_hot_header(struct writer *w, const struct bat_fragment *f)
{
	if (!w->features->hashed)
		return;
	bat_buffer_u64(w->s, f->hash);
	bat_buffer_uleb(w->s, f->block_count);
	bat_buffer_uleb(w->s, f->secondary_count);
}

static bool write_function(struct writer *w, const struct bat_fragment *f, struct bat_error *err)
{
	const struct bat_table *t = w->table;
	bool has_equal = w->cold ? w->features->equal_cold : w->features->equal_hot;
	struct entry_list list = {
		.entries = t->entries + f->first_entry,
		.blocks = t->blocks ? t->blocks + f->first_entry : NULL,
		.count = f->entry_count,
	};
	uint32_t equal = 0;

	if (w->cold && w->features->hashed && list.count)
		list.skew = bat_entry_input(list.entries[0]);
	bat_buffer_uleb(w->s, f->address - w->output);
	w->output = f->address;
	if (!w->cold)
		write_hot_header(w, f);
	else if (!write_cold_header(w, f, &list, err))
		return false;
	bat_buffer_uleb(w->s, bat_encoded_entries(w->features, list.entries, list.count));
	if (has_equal) {
		equal = count_equal(w, &list);
		bat_buffer_uleb(w->s, equal);
		write_mask(w, &list, equal);
	}
	write_entries(w, f, &list, equal);
	if (w->features->hashed)
		write_secondary(w, f);
	return true;
}

static bool write_functions(struct writer *w, struct bat_error *err)
{
	const struct bat_table *t = w->table;
	uint32_t count = w->cold ? t->fragment_count - t->hot_count : t->hot_count;

	bat_buffer_uleb(w->s, count);
	for (uint32_t i = 0; i < t->fragment_count; i++)
		if (t->fragments[i].cold == w->cold && !write_function(w, &t->fragments[i], err))
			return false;
	return true;
}

static uint32_t *rank_hot(const struct bat_table *t)
{
	uint32_t *ranks = malloc((t->fragment_count + (size_t)1) * sizeof(*ranks));
	uint32_t rank = 0;

	for (uint32_t i = 0; ranks && i < t->fragment_count; i++) {
		ranks[i] = rank;
		rank += !t->fragments[i].cold;
	}
	return ranks;
}

static bool write_leb(struct bat_buffer *s, const struct bat_table *table, enum bat_layout layout,
		      struct bat_error *err)
{
	uint32_t *ranks = rank_hot(table);
	struct writer w = {
		.s = s,
		.table = table,
		.layout = layout,
		.features = bat_layout_features(layout),
		.ranks = ranks,
	};
	bool done;

	if (!ranks)
		return bat_fail_nomem(err);
	done = write_functions(&w, err);
	w.cold = true;
	done = done && write_functions(&w, err);
	free(ranks);
	return done;
}

/* ---- all ---- */

bool bat_encode(const struct bat_table *table, enum bat_layout layout, uint8_t **data, size_t *size,
		struct bat_error *err)
{
	struct bat_buffer s = {NULL, 0, 0, false};
	struct bat_error unread = {0};
	bool done;

	err = err ? err : &unread;
	*data = NULL;
	*size = 0;
	if (!bat_know_layout(layout, err))
		return false;
	done = bat_layout_features(layout)->fixed ? write_fixed(&s, table, err) :
						    write_leb(&s, table, layout, err);

	if (done && s.failed)
		done = bat_fail_nomem(err);
	if (!done) {
		free(s.data);
		return false;
	}
	*data = s.data;
	*size = s.size;
	return true;
}
