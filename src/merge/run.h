/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A run: items in a temporary file, one behind the other.  Of a key only what the one before does not
 * begin with is there. */
#ifndef MERGE_RUN_H
#define MERGE_RUN_H

#include "src/base/emit.h"
#include "src/base/vec.h"
#include "src/profile/item.h"
#include "src/merge/source.h"
#include "src/merge/temporary.h"

struct run {
	struct temporary *file; /* borrowed */
	uint64_t begin, end;    /* bytes of it */
};
DEFINE_VEC(run_vec, struct run);

struct run_writer {
	struct run run;
	struct key last;
	uint8_t *buffer;
	size_t used;
};

/* false: out of memory */
BC_MUST_USE bool run_begin(struct run_writer *writer, struct temporary *file);
/* BC_IO, BC_NOMEM */
BC_MUST_USE bool run_put(struct run_writer *writer, const struct profile_item *item, struct bc_error *err);
/* Of an unfinished one, too. */
BC_MUST_USE bool run_end(struct run_writer *writer, struct run *out, struct bc_error *err);
void run_abandon(struct run_writer *writer);

/* A source (source.h) that reads a run.  NULL: BC_NOMEM */
struct source *run_open(struct run run, struct bc_error *err);

#endif
