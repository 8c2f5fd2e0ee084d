/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Canonical encoding of delta, equal and hashed: see decode_leb.c. */
#include "bat/encode.h"
#include "bat/fail.h"
#include "bat/encodable.h"

#include <stdlib.h>

struct writer {
	struct bat_buffer *s;
	const struct bat_table *table;
	enum bat_layout layout;
	const struct bat_features *features;
	const uint32_t *ranks; /* of each fragment: how many hot ones stand before it */
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
	struct bat_block block = { 0, 0 };

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
			return bat_fail_unencodable(w->layout, f, "it has no parent",
					       err);
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

static bool write_function(struct writer *w, const struct bat_fragment *f,
			   struct bat_error *err)
{
	const struct bat_table *t = w->table;
	bool has_equal = w->cold ? w->features->equal_cold
				 : w->features->equal_hot;
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
	uint32_t count = w->cold ? t->fragment_count - t->hot_count
				 : t->hot_count;

	bat_buffer_uleb(w->s, count);
	for (uint32_t i = 0; i < t->fragment_count; i++)
		if (t->fragments[i].cold == w->cold &&
		    !write_function(w, &t->fragments[i], err))
			return false;
	return true;
}

static uint32_t *rank_hot(const struct bat_table *t)
{
	uint32_t *ranks = malloc((t->fragment_count + (size_t)1) *
				 sizeof(*ranks));
	uint32_t rank = 0;

	for (uint32_t i = 0; ranks && i < t->fragment_count; i++) {
		ranks[i] = rank;
		rank += !t->fragments[i].cold;
	}
	return ranks;
}

bool bat_write_leb(struct bat_buffer *s, const struct bat_table *table,
		   enum bat_layout layout, struct bat_error *err)
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
