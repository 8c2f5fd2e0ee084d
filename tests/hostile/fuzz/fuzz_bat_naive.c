/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The decoder compared with a second, naive one: they accept the same bytes under every
 * layout and read the same from them, field by field, parents included; they
 * recognize the same layout; offsets translate to the same ones and traces walk over
 * the same edges.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>

#include "bat/layout.h"
#include "tests/hostile/fuzz/support/mutators.h"
#include "tests/hostile/fuzz/support/naive_bat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_edge(void *ctx, uint32_t from, uint32_t to)
{
	assert(naive_numbers_push(ctx, from) && naive_numbers_push(ctx, to));
}

static void check_trace(const struct bat_table *t, uint32_t i, const struct naive_fragment *n,
			uint32_t from, uint32_t to)
{
	struct naive_numbers a = {0}, b = {0};
	size_t edges = bat_fallthroughs(t, &t->fragments[i], from, to, add_edge, &a);

	naive_fallthroughs(n, from, to, &b);
	assert(a.len == 2 * edges && a.len == b.len);
	for (size_t j = 0; j < a.len; j++)
		assert(a.at[j] == b.at[j]);
	naive_numbers_free(&a);
	naive_numbers_free(&b);
}

/* Around every entry of a few, where results change. */
static void check_offsets(const struct bat_table *t, uint32_t i, const struct naive_fragment *n)
{
	uint32_t before = 0;

	for (size_t j = 0; j < n->entries.len && j < 8; j++) {
		uint32_t at = n->entries.at[j].output;
		for (uint32_t offset = at - 1; offset != at + 2; offset++)
			for (int is_source = 0; is_source < 2; is_source++)
				assert(bat_translate(t, &t->fragments[i], offset, is_source) ==
				       naive_translate(n, offset, is_source));
		check_trace(t, i, n, before, at);
		check_trace(t, i, n, 0, at + 1);
		check_trace(t, i, n, at, UINT32_MAX);
		before = at;
	}
}

static void check_entries(const struct bat_table *t, const struct bat_fragment *f,
			  const struct naive_fragment *n)
{
	assert(f->entry_count == n->entries.len && f->secondary_count == n->secondary.len);
	for (uint32_t j = 0; j < f->entry_count; j++) {
		const struct naive_entry *e = &n->entries.at[j];
		assert(t->entries[f->first_entry + j].output == e->output);
		assert(t->entries[f->first_entry + j].input == e->input);
		assert(!t->blocks || t->blocks[f->first_entry + j].hash == e->hash);
		assert(!t->blocks || t->blocks[f->first_entry + j].index == e->index);
	}
	for (uint32_t j = 0; j < f->secondary_count; j++)
		assert(t->secondary[f->first_secondary + j] == n->secondary.at[j]);
}

static void check_same(const struct bat_table *t, const struct naive_table *n)
{
	uint32_t hot = 0;

	assert(t->fragment_count == n->all.len);
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		const struct bat_fragment *f = &t->fragments[i];
		const struct naive_fragment *m = &n->all.at[i];
		hot += !m->cold;
		assert(f->address == m->address && f->cold == m->cold && f->parent == m->parent);
		assert(m->cold ? f->stored_hot == m->stored_hot :
				 f->hash == m->hash && f->block_count == m->blocks);
		check_entries(t, f, m);
		check_offsets(t, i, m);
	}
	assert(t->hot_count == hot);
}

/* For the layouts that fit, the one under which most functions begin with 0 -> 0. */
static void check_recognition(const uint8_t *data, size_t size, const struct naive_table *n,
			      const bool *fits)
{
	struct bat_table table;
	struct bat_error err;
	unsigned fitting = 0, best = 0, as_good = 0;
	bool empty = true;

	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++)
		if (fits[i] && (!fitting++ || n[i].zero_starts > n[best].zero_starts))
			best = i;
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++)
		if (fits[i] && n[i].zero_starts == n[best].zero_starts) {
			as_good++;
			empty &= !n[i].all.len;
		}
	if (bat_decode(data, size, &table, &err)) {
		assert(as_good == 1 ? table.layout == (enum bat_layout)best : empty);
		bat_free(&table);
	} else {
		assert(err.code == (fitting ? BAT_ERROR_AMBIGUOUS : BAT_ERROR_FORMAT));
		assert(!fitting || (as_good > 1 && !empty));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct naive_table naive[BAT_LAYOUT_COUNT];
	bool fits[BAT_LAYOUT_COUNT];
	struct bat_table table;
	struct bat_error err;

	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++) {
		fits[i] = naive_decode((enum bat_layout)i, data, size, &naive[i]);
		bool decoded = bat_decode_as((enum bat_layout)i, data, size, &table, &err);
		assert(decoded == fits[i]);
		if (!decoded)
			continue;
		check_same(&table, &naive[i]);
		bat_free(&table);
	}
	check_recognition(data, size, naive, fits);
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++)
		naive_free(&naive[i]);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_bat(data, size, most, seed);
}
