/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A pass over a descriptor.
 *
 * The same code reads a descriptor with a table, into it, and without one, which
 * only checks and counts: so a wrong layout costs no memory.  Counts that are
 * read are checked against the bytes left before there is made room for them.
 */
#ifndef BATCONV_BAT_DECODE_H
#define BATCONV_BAT_DECODE_H

#include "bat/cursor.h"
#include "bat/layout.h"

struct bat_pass {
	struct bat_cursor in;
	struct bat_table *table; /* NULL: only check                            */
	bool with_blocks;        /* fill table->blocks, too                     */
	struct bat_room {        /* items that the table's arrays have room for */
		uint32_t fragments, entries, secondary;
	} room;

	/* Found, and stored if there is a table.  Hot fragments are stored
	 * first, cold ones behind them, unless the layout mixes them. */
	uint32_t fragments, hot, entries, secondary;
	uint32_t zero_starts; /* hot ones (fixed: any) that begin with block 0 -> 0 */
};

/* Read the whole descriptor.  They fill everything but `parent`, of which cold
 * fragments only have stored_hot. */
BAT_MUST_USE bool bat_read_fixed(struct bat_pass *p);
BAT_MUST_USE bool bat_read_leb(struct bat_pass *p,
			       const struct bat_features *features);

/* Is `address` allowed behind `last` of the same table? */
BAT_MUST_USE static inline bool pass_ascends(const struct bat_pass *p,
					     const uint8_t *at,
					     const char *field, uint64_t last,
					     uint64_t address)
{
	if (address > last)
		return true;
	return bat_cursor_fail(&p->in, at, field, BAT_CAUSE_ORDER,
			   "0x%llx does not ascend from 0x%llx",
			   (unsigned long long)address,
			   (unsigned long long)last);
}

/* The same for the OutputOffsets of a fragment, which may repeat. */
BAT_MUST_USE static inline bool pass_continues(const struct bat_pass *p,
					       const uint8_t *at, uint32_t last,
					       uint32_t output)
{
	if (output >= last)
		return true;
	return bat_cursor_fail(&p->in, at, "OutputOffset", BAT_CAUSE_ORDER,
			   "0x%x decreases from 0x%x", output, last);
}

/* Make the table's arrays larger, for `count` items more. */
BAT_MUST_USE bool bat_grow_fragments(struct bat_pass *p, uint32_t count);
BAT_MUST_USE bool bat_grow_entries(struct bat_pass *p, uint32_t count);
BAT_MUST_USE bool bat_grow_secondary(struct bat_pass *p, uint32_t count);

/* See that there is room for `count` more, of which the caller knows that they
 * fit in the bytes left.  BAT_NOMEM */
BAT_MUST_USE static inline bool pass_room_fragments(struct bat_pass *p,
						    uint32_t count)
{
	return !p->table || count <= p->room.fragments - p->fragments ||
	       bat_grow_fragments(p, count);
}

BAT_MUST_USE static inline bool pass_room_entries(struct bat_pass *p,
						  uint32_t count)
{
	return !p->table || count <= p->room.entries - p->entries ||
	       bat_grow_entries(p, count);
}

BAT_MUST_USE static inline bool pass_room_secondary(struct bat_pass *p,
						    uint32_t count)
{
	return !p->table || count <= p->room.secondary - p->secondary ||
	       bat_grow_secondary(p, count);
}

/* At the end: give back what is not used, and set the table's counts.
 * BAT_NOMEM */
BAT_MUST_USE bool bat_settle(struct bat_pass *p);

static inline void pass_add_entry(struct bat_pass *p, struct bat_entry entry)
{
	if (p->table)
		p->table->entries[p->entries] = entry;
	p->entries++;
}

static inline void pass_add_fragment(struct bat_pass *p,
				     const struct bat_fragment *fragment)
{
	if (p->table)
		p->table->fragments[p->fragments] = *fragment;
	p->fragments++;
}

static inline bool entry_is_zero_start(struct bat_entry entry)
{
	return entry.output == 0 && entry.input == 0;
}

/* Nothing may follow a table. */
BAT_MUST_USE static inline bool pass_ends(const struct bat_pass *p)
{
	if (p->in.pos == p->in.end)
		return true;
	return bat_cursor_fail(&p->in, p->in.pos, "end", BAT_CAUSE_LEFT,
			   "%zu bytes are left over",
			   cursor_left(&p->in));
}

#endif
