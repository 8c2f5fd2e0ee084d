/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One pass over a descriptor, from its first byte to its last.
 *
 * The same code fills a table or, without a table, only checks the descriptor and
 * counts what is in it, so that trying a layout takes no memory.  Each count is
 * checked against the number of bytes left before memory is allocated for it.
 */
#ifndef BATCONV_BAT_DECODE_H
#define BATCONV_BAT_DECODE_H

#include "bat/cursor.h"
#include "bat/layout.h"

struct bat_pass {
	struct bat_cursor in;
	struct bat_table *table; /* NULL: only check                            */
	bool with_blocks;        /* fill table->blocks, too                     */
	struct {                 /* of the table's arrays, in items              */
		uint32_t fragments, entries, secondary;
	} capacity;

	/* Found, and stored if there is a table.  Hot fragments are stored
	 * first, cold ones behind them, unless the layout mixes them. */
	uint32_t fragments, hot, entries, secondary;
	uint32_t unhashed;    /* block entries without a hash (bat.h) */
	uint32_t zero_starts; /* hot ones (fixed: any) that begin with block 0 -> 0 */
};

/* Read the whole descriptor.  They fill all of a table but `parent`, which
 * bat_link() sets by stored_hot. */
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

/* Enlarge an array of the table for at least `count` more items. */
BAT_MUST_USE bool bat_grow_fragments(struct bat_pass *p, uint32_t count);
BAT_MUST_USE bool bat_grow_entries(struct bat_pass *p, uint32_t count);
BAT_MUST_USE bool bat_grow_secondary(struct bat_pass *p, uint32_t count);

/* Make sure that the table has capacity for `count` more items.  The caller has
 * checked that as many can be in the bytes left.  BAT_ERROR_NOMEM */
BAT_MUST_USE static inline bool pass_reserve_fragments(struct bat_pass *p,
						    uint32_t count)
{
	return !p->table || count <= p->capacity.fragments - p->fragments ||
	       bat_grow_fragments(p, count);
}

BAT_MUST_USE static inline bool pass_reserve_entries(struct bat_pass *p,
						  uint32_t count)
{
	return !p->table || count <= p->capacity.entries - p->entries ||
	       bat_grow_entries(p, count);
}

BAT_MUST_USE static inline bool pass_reserve_secondary(struct bat_pass *p,
						    uint32_t count)
{
	return !p->table || count <= p->capacity.secondary - p->secondary ||
	       bat_grow_secondary(p, count);
}

/* Behind the last byte: give back the capacity that is not used, and set the
 * counts of the table.  BAT_ERROR_NOMEM */
BAT_MUST_USE bool bat_pass_finish(struct bat_pass *p);

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

/* Fails if bytes are left behind the table. */
BAT_MUST_USE static inline bool pass_ends(const struct bat_pass *p)
{
	if (p->in.pos == p->in.end)
		return true;
	return bat_cursor_fail(&p->in, p->in.pos, "end", BAT_CAUSE_LEFT,
			   "%zu bytes are left over",
			   cursor_left(&p->in));
}

#endif
