/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table made ready for another layout. */
#ifndef CHECK_TRANSCODE_H
#define CHECK_TRANSCODE_H

#include "include/bat/bat.h"
#include "src/base/error.h"

/* What the other layout does not hold. */
struct transcode_losses {
	uint32_t function_hashes, block_hashes, entry_points;
	uint32_t entries;       /* that share an output offset: the last is kept    */
	uint32_t fragments;     /* cold ones whose function nobody knows            */
	uint32_t unknown_hashes; /* blocks that the layout wants a hash of: it is 0
	                            but for its low 16 bits                        */
};

/* Prepare a table, with its parents repaired, to be encoded as a layout: stored
 * parents become the true ones; cold fragments without one are dropped; towards
 * BAT_HASHED blocks are numbered by their input offsets.
 *
 * BC_NOMEM */
BC_MUST_USE bool transcode_prepare(struct bat_table *table, enum bat_layout layout,
				   struct transcode_losses *out, struct bc_error *err);

#endif
