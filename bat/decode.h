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
	 * first, cold ones after them, unless the layout mixes them. */
	uint32_t fragments, hot, entries, secondary;
	uint32_t unhashed;    /* block entries without a hash (bat.h) */
	uint32_t zero_starts; /* hot ones (fixed: any) that begin with block 0 -> 0 */
};

/* Read the whole descriptor: all of a table but `parent`, which bat_link() sets by
 * stored_hot. */
BAT_MUST_USE bool bat_read(struct bat_pass *p, const struct bat_features *features);

/* After the last byte: give back the capacity that is not used, and set the
 * counts of the table.  BAT_ERROR_NOMEM */
BAT_MUST_USE bool bat_pass_finish(struct bat_pass *p);

/* Sort a table's fragments by address and set every parent.
 *
 * table   as the decoders leave it: in BAT_LAYOUT_FIXED sorted, otherwise all hot
 *         fragments sorted, then all cold ones sorted
 *
 * BAT_ERROR_NOMEM */
BAT_MUST_USE bool bat_link(struct bat_table *table, struct bat_error *err);

#endif
