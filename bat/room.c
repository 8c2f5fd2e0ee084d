/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The arrays of a table while it is decoded. */
#include "bat/decode.h"
#include "bat/fail.h"

#include <stdlib.h>

/* An array for `room` items, one at least, so that NULL always means out of
 * memory; the old one stands then. */
static void *resized(void *array, size_t room, size_t item_size)
{
	room += !room;
	return room > SIZE_MAX / item_size ? NULL : realloc(array, room * item_size);
}

/* Twice the room there was, or what is needed.  All counts of a descriptor fit in
 * 32 bits together, as no item takes less than a byte. */
static uint32_t next_room(uint32_t room, uint32_t used, uint32_t more)
{
	uint32_t doubled = room > UINT32_MAX / 2 ? UINT32_MAX : 2 * room;

	return used + more > doubled ? used + more : doubled;
}

/* Resize the arrays of the table; rooms are noted by the caller. */
static bool resize_fragments(struct bat_table *t, uint32_t room)
{
	void *array = resized(t->fragments, room, sizeof(*t->fragments));

	t->fragments = array ? array : t->fragments;
	return array;
}

static bool resize_entries(struct bat_table *t, uint32_t room, bool with_blocks)
{
	void *entries = resized(t->entries, room, sizeof(*t->entries));
	void *blocks = NULL;

	t->entries = entries ? entries : t->entries;
	if (with_blocks)
		blocks = resized(t->blocks, room, sizeof(*t->blocks));
	t->blocks = blocks ? blocks : t->blocks;
	return entries && (blocks || !with_blocks);
}

static bool resize_secondary(struct bat_table *t, uint32_t room)
{
	void *array = resized(t->secondary, room, sizeof(*t->secondary));

	t->secondary = array ? array : t->secondary;
	return array;
}

bool bat_grow_fragments(struct bat_pass *p, uint32_t count)
{
	uint32_t room = next_room(p->room.fragments, p->fragments, count);

	if (!resize_fragments(p->table, room))
		return bat_fail_nomem(p->in.err);
	p->room.fragments = room;
	return true;
}

bool bat_grow_entries(struct bat_pass *p, uint32_t count)
{
	uint32_t room = next_room(p->room.entries, p->entries, count);

	if (!resize_entries(p->table, room, p->with_blocks))
		return bat_fail_nomem(p->in.err);
	p->room.entries = room;
	return true;
}

bool bat_grow_secondary(struct bat_pass *p, uint32_t count)
{
	uint32_t room = next_room(p->room.secondary, p->secondary, count);

	if (!resize_secondary(p->table, room))
		return bat_fail_nomem(p->in.err);
	p->room.secondary = room;
	return true;
}

bool bat_settle(struct bat_pass *p)
{
	struct bat_table *t = p->table;

	t->fragment_count = p->fragments;
	t->hot_count = p->hot;
	t->entry_count = p->entries;
	t->secondary_count = p->secondary;
	return (resize_fragments(t, p->fragments) &&
		resize_entries(t, p->entries, p->with_blocks) &&
		resize_secondary(t, p->secondary)) ||
	       bat_fail_nomem(p->in.err);
}
