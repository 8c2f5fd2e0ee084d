/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The arrays of a table while it is decoded. */
#include "bat/decode.h"
#include "bat/fail.h"

#include <stdlib.h>

/* The array resized to `capacity` items, at least one, so that NULL always means
 * out of memory: then the old array is still there. */
static void *resized(void *array, size_t capacity, size_t item_size)
{
	capacity += !capacity;
	return capacity > SIZE_MAX / item_size ? NULL : realloc(array, capacity * item_size);
}

/* Twice the capacity, or more if more is needed.  All counts of a descriptor fit in
 * 32 bits together, as no item takes less than a byte. */
static uint32_t next_capacity(uint32_t capacity, uint32_t used, uint32_t more)
{
	uint32_t doubled = capacity > UINT32_MAX / 2 ? UINT32_MAX : 2 * capacity;

	return used + more > doubled ? used + more : doubled;
}

/* Resize the arrays of the table.  The caller sets the new capacity. */
static bool resize_fragments(struct bat_table *t, uint32_t capacity)
{
	void *array = resized(t->fragments, capacity, sizeof(*t->fragments));

	t->fragments = array ? array : t->fragments;
	return array;
}

static bool resize_entries(struct bat_table *t, uint32_t capacity, bool with_blocks)
{
	void *entries = resized(t->entries, capacity, sizeof(*t->entries));
	void *blocks = NULL;

	t->entries = entries ? entries : t->entries;
	if (with_blocks)
		blocks = resized(t->blocks, capacity, sizeof(*t->blocks));
	t->blocks = blocks ? blocks : t->blocks;
	return entries && (blocks || !with_blocks);
}

static bool resize_secondary(struct bat_table *t, uint32_t capacity)
{
	void *array = resized(t->secondary, capacity, sizeof(*t->secondary));

	t->secondary = array ? array : t->secondary;
	return array;
}

bool bat_grow_fragments(struct bat_pass *p, uint32_t count)
{
	uint32_t capacity = next_capacity(p->capacity.fragments, p->fragments, count);

	if (!resize_fragments(p->table, capacity))
		return bat_fail_nomem(p->in.err);
	p->capacity.fragments = capacity;
	return true;
}

bool bat_grow_entries(struct bat_pass *p, uint32_t count)
{
	uint32_t capacity = next_capacity(p->capacity.entries, p->entries, count);

	if (!resize_entries(p->table, capacity, p->with_blocks))
		return bat_fail_nomem(p->in.err);
	p->capacity.entries = capacity;
	return true;
}

bool bat_grow_secondary(struct bat_pass *p, uint32_t count)
{
	uint32_t capacity = next_capacity(p->capacity.secondary, p->secondary, count);

	if (!resize_secondary(p->table, capacity))
		return bat_fail_nomem(p->in.err);
	p->capacity.secondary = capacity;
	return true;
}

bool bat_pass_finish(struct bat_pass *p)
{
	struct bat_table *t = p->table;

	t->fragment_count = p->fragments;
	t->hot_count = p->hot;
	t->entry_count = p->entries;
	t->unhashed_count = p->unhashed;
	t->secondary_count = p->secondary;
	return (resize_fragments(t, p->fragments) &&
		resize_entries(t, p->entries, p->with_blocks) &&
		resize_secondary(t, p->secondary)) ||
	       bat_fail_nomem(p->in.err);
}
