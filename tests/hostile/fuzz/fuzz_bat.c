/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any bytes are refused with a proper error, or they are a table that can be
 * searched, and that encodes, in its own layout, to bytes which decode to the
 * same table and encode to themselves.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bat/bat.h"
#include "bat/layout.h"
#include "tests/hostile/fuzz/support/mutators.h"
#include "tests/support/build_bat.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct bat_error *err, size_t size)
{
	assert(err->code == BAT_ERROR_FORMAT || err->code == BAT_ERROR_AMBIGUOUS ||
	       err->code == BAT_ERROR_NOMEM);
	assert(err->byte <= size);
	assert(err->field);
	assert(memchr(err->text, 0, sizeof(err->text)) && *err->text);
	assert(!strchr(err->text, '\n'));
}

static void count_edge(void *ctx, uint32_t from, uint32_t to)
{
	(void)from;
	(void)to;
	++*(size_t *)ctx;
}

static void check_searches(const struct bat_table *t)
{
	for (uint32_t i = 0; i < t->fragment_count; i++) {
		const struct bat_fragment *f = &t->fragments[i];
		const struct bat_entry *e = bat_entry_at(t, f, 100);
		size_t edges = 0;

		assert(bat_find(t, f->address)->address == f->address);
		assert(bat_find_exact(t, f->address)->address == f->address);
		assert(!e || e->output <= 100);
		if (!e)
			assert(bat_translate(t, f, 100, true) == 100);
		assert(bat_fallthroughs(t, f, 0, 100, count_edge, &edges) == edges);
		assert(f->parent == BAT_NO_PARENT || !t->fragments[f->parent].cold);
		assert(f->cold || f->parent == i);
	}
}

static void check_parents(struct bat_table *t, const uint8_t *data, size_t size)
{
	static const char *const names[] = {"f", "f.cold.0", "f.cold", "f.cold.cold.1",
					    "g", "g.warm"};
	struct bat_symbol symbols[32];
	struct bat_parents counts;
	struct bat_error err;
	size_t count = 0;

	for (uint32_t i = 0; i < t->fragment_count && i < size && count < 32; i++)
		symbols[count++] = (struct bat_symbol){
			.address = t->fragments[i].address,
			.name = names[data[i] % 6],
			.order = data[i] / 3u,
			.file = data[i] / 64u,
		};
	if (!bat_fix_parents(t, symbols, count, &counts, &err)) {
		assert(err.code == BAT_ERROR_NOMEM);
		return;
	}
	assert(counts.cold == t->fragment_count - t->hot_count);
	assert(counts.cold == counts.agreed + counts.repaired + counts.unchecked + counts.unknown);
}

static void check_round_trip(struct bat_table *t, const uint8_t *data, size_t size)
{
	struct bat_table again;
	struct bat_error err;
	uint8_t *bytes, *bytes_again;
	size_t length, length_again;

	assert(bat_encode(t, t->layout, &bytes, &length, &err));
	assert(bat_decode_as(t->layout, bytes, length, &again, &err));
	assert(bat_same_table(t, &again));
	check_parents(&again, data, size);
	assert(bat_encode(&again, t->layout, &bytes_again, &length_again, &err));
	assert(length == length_again && !memcmp(bytes, bytes_again, length));
	bat_free(&again);
	free(bytes_again);
	free(bytes);
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++) {
		if (bat_encode(t, (enum bat_layout)i, &bytes, &length, &err))
			free(bytes);
		else
			assert(err.code == BAT_ERROR_UNENCODABLE);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bat_table table;
	struct bat_error err;

	if (bat_decode(data, size, &table, &err)) {
		check_searches(&table);
		check_round_trip(&table, data, size);
		bat_free(&table);
	} else {
		check_error(&err, size);
	}
	/* The layouts that recognition would have hidden. */
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++) {
		if (bat_decode_as((enum bat_layout)i, data, size, &table, &err)) {
			check_round_trip(&table, data, size);
			bat_free(&table);
		} else {
			check_error(&err, size);
			assert(err.code != BAT_ERROR_AMBIGUOUS);
		}
	}
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	return mutate_bat(data, size, most, seed);
}
