/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/support/random_bat.h"

#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>

struct generator {
	uint64_t state;
	struct bat_table *table;
	uint32_t entries; /* on average */
	size_t entry_room, secondary_room;
	uint32_t index; /* of the next block */
};

uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((random_next(state) >> 32) * limit >> 32);
}

static bool one_in(struct generator *g, uint32_t n)
{
	return random_below(&g->state, n) == 0;
}

static void *grow(void *array, size_t *room, size_t count, size_t item_size)
{
	if (count < *room)
		return array;
	*room = *room ? *room * 2 : 64;
	array = realloc(array, *room * item_size);
	assert(array);
	return array;
}

static bool is_hashed(const struct generator *g)
{
	return g->table->layout == BAT_LAYOUT_HASHED;
}

static void add_entry(struct generator *g, struct bat_fragment *f, uint32_t output, uint32_t input,
		      bool branch)
{
	struct bat_table *t = g->table;
	size_t room = g->entry_room;
	struct bat_block block = {0, 0};

	t->entries = grow(t->entries, &g->entry_room, t->entry_count, sizeof(*t->entries));
	if (is_hashed(g)) {
		t->blocks = grow(t->blocks, &room, t->entry_count, sizeof(*t->blocks));
		if (!branch) {
			block.hash = random_next(&g->state);
			block.index = one_in(g, 6) ? random_below(&g->state, 400) : g->index + 1;
			g->index = block.index;
		}
		t->blocks[t->entry_count] = block;
	}
	t->entries[t->entry_count++] = (struct bat_entry){output, input << 1 | branch};
	f->entry_count++;
}

/* Adds entries without code, after all others. */
static void add_dead_entries(struct generator *g, struct bat_fragment *f, uint32_t size)
{
	uint32_t never = (uint32_t)(0 - f->address);

	if (is_hashed(g) && one_in(g, 8))
		for (uint32_t n = 1 + random_below(&g->state, 3); n; n--)
			add_entry(g, f, size, random_below(&g->state, 4 * size), false);
	if (one_in(g, 40) && never > size)
		add_entry(g, f, never, random_below(&g->state, 4 * size), one_in(g, 2));
}

/* Adds the entries of a fragment; returns its size. */
static uint32_t add_entries(struct generator *g, struct bat_fragment *f)
{
	uint32_t count = random_below(&g->state, 2 * g->entries + 1);
	uint32_t input = f->cold ? random_below(&g->state, 2000) : 0;
	uint32_t output = 0;
	bool moved = one_in(g, 3); /* not a single block stayed where it was */

	g->index = UINT32_MAX;
	f->first_entry = g->table->entry_count;
	if (!f->cold && one_in(g, 200))
		output = 1 + random_below(&g->state, 16);
	for (uint32_t i = 0; i < count; i++) {
		bool branch = i > 0 && one_in(g, 2);

		add_entry(g, f, output, input, branch);
		if (is_hashed(g) && one_in(g, 25))
			add_entry(g, f, output, input + 4, false);
		output += 1 + random_below(&g->state, one_in(g, 9) ? 900 : 30);
		if (moved || one_in(g, 7))
			input = random_below(&g->state, 3000);
		else
			input += output - g->table->entries[g->table->entry_count - 1].output;
	}
	add_dead_entries(g, f, output + 1);
	return output + 2;
}

static void add_secondary(struct generator *g, struct bat_fragment *f)
{
	struct bat_table *t = g->table;
	uint32_t offset = 0;

	f->first_secondary = t->secondary_count;
	f->secondary_count = one_in(g, 12) ? 1 + random_below(&g->state, 3) : 0;
	for (uint32_t i = 0; i < f->secondary_count; i++) {
		t->secondary = grow(t->secondary, &g->secondary_room, t->secondary_count,
				    sizeof(*t->secondary));
		offset += 1 + random_below(&g->state, 300);
		t->secondary[t->secondary_count++] = offset;
	}
}

/* Adds fragments of one kind from `address` on; returns where they end. */
static uint64_t add_fragments(struct generator *g, uint32_t count, bool cold, uint64_t address)
{
	struct bat_table *t = g->table;

	for (uint32_t i = 0; i < count; i++) {
		struct bat_fragment *f = &t->fragments[t->fragment_count++];

		*f = (struct bat_fragment){.address = address, .cold = cold};
		if (is_hashed(g) && !cold) {
			f->hash = random_next(&g->state);
			f->block_count = random_below(&g->state, 500);
			add_secondary(g, f);
		}
		address += add_entries(g, f);
		address += random_below(&g->state, 16);
	}
	return address;
}

/* Gives the cold fragments parents, and stores them as the layout does. */
static void add_parents(struct generator *g, uint32_t first_hot)
{
	struct bat_table *t = g->table;

	for (uint32_t i = 0; i < t->fragment_count; i++) {
		struct bat_fragment *f = &t->fragments[i];
		uint32_t rank = random_below(&g->state, t->hot_count);

		f->parent = f->cold ? first_hot + rank : i;
		if (f->cold)
			f->stored_hot = t->layout == BAT_LAYOUT_FIXED ?
						t->fragments[f->parent].address :
						rank;
	}
}

void random_bat(struct bat_table *out, enum bat_layout layout, uint32_t functions, uint32_t entries,
		uint64_t seed)
{
	struct generator g = {
		.state = seed ^ (uint64_t)layout << 60, .table = out, .entries = entries};
	uint32_t cold = functions ? random_below(&g.state, functions + 1) : 0;
	uint64_t address = 0x400000;
	bool cold_first = one_in(&g, 4);

	*out = (struct bat_table){.layout = layout, .hot_count = functions};
	out->fragments = calloc(functions + cold + (size_t)1, sizeof(*out->fragments));
	assert(out->fragments);
	/* Allocates all arrays, so that none is NULL. */
	out->entries = grow(NULL, &g.entry_room, 0, sizeof(*out->entries));
	out->secondary = grow(NULL, &g.secondary_room, 0, sizeof(*out->secondary));
	if (layout == BAT_LAYOUT_HASHED)
		out->blocks = calloc(g.entry_room, sizeof(*out->blocks));

	if (one_in(&g, 3))
		address = random_next(&g.state) >> random_below(&g.state, 30) >> 2;
	if (cold_first)
		address = add_fragments(&g, cold, true, address) + 64;
	address = add_fragments(&g, functions, false, address) + 64;
	if (!cold_first)
		add_fragments(&g, cold, true, address);
	add_parents(&g, cold_first ? cold : 0);
}
