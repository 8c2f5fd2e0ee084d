/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A table made ready for another layout. */
#ifndef VERIFY_TRANSCODE_H
#define VERIFY_TRANSCODE_H

#include "include/bat/bat.h"
#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/elf/binary.h"

/* The functions whose profile changes in a layout that keeps only one entry for each output offset.
 */

struct changed_function {
	const char
		*name; /* of the input function, as long as the binary is open; NULL: not known */
	uint64_t address; /* of its hot fragment */
};

DEFINE_VEC(changed_vec, struct changed_function);

/* The functions in which traces can run through a block that the
 * layout does not keep: BOLT made it empty, so that it shares its output offset with the
 * block after it, and `a -> empty -> b` becomes `a -> b`.  All else means the same.  Only
 * hashed tables have such blocks.  For a section alone nobody knows where a fragment ends:
 * blocks that BOLT deleted, which are there and do not matter, are among them.
 *
 * Returns false when out of memory. */
BC_MUST_USE bool fallthrough_changes(const struct binary *binary, enum bat_layout layout,
				     struct changed_vec *out);

/* A line of their names, of at most the first ones unless `all`; nothing if there are none. */
void fallthrough_changes_text(const struct changed_vec *changed, bool all, FILE *out);

/* The bytes of a note section around a descriptor. */

struct note_bytes {
	uint8_t *data; /* the section; free it */
	size_t size;
};

/* Encode a table as a section.  BC_UNSUPPORTED: the layout cannot hold it.
 * BC_FORMAT: it would not be recognized when read.  BC_NOMEM. */
BC_MUST_USE bool note_write(const struct bat_table *table, enum bat_layout layout,
			    struct note_bytes *out, struct bc_error *err);

/* What the other layout does not hold. */
struct transcode_losses {
	uint32_t function_hashes, block_hashes, entry_points;
	uint32_t entries;        /* that share an output offset: the last is kept    */
	uint32_t fragments;      /* cold ones whose function nobody knows            */
	uint32_t unknown_hashes; /* blocks that the layout wants a hash of: it is 0
				    except for its low 16 bits                        */
};

/* Prepare a table, with its parents repaired, to be encoded as a layout: stored
 * parents become the true ones; cold fragments without one are dropped; towards
 * a layout with BAT_FEATURE_BLOCKS blocks are numbered by their input offsets.
 *
 * BC_NOMEM */
BC_MUST_USE bool transcode_prepare(struct bat_table *table, enum bat_layout layout,
				   struct transcode_losses *out, struct bc_error *err);

/* A line for each of them. */
void transcode_losses_text(const struct transcode_losses *losses, FILE *out);

#endif
