/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What ran without a taken branch, added up before it becomes records: a run adds its count
 * where it begins and takes it away where it ends, and sums along the function are the counts
 * of the edges.  So a run makes no more records for being of many blocks: an edge becomes one
 * for all runs of a fragment, or of a function that BAT does not have, that come in a row.
 */
#ifndef PROFILE_RUNS_H
#define PROFILE_RUNS_H

#include "src/base/attr.h"
#include "include/bat/bat.h"
#include "src/cfg/graph.h"

/* Zeroed means empty. */
struct runs {
	const struct bat_fragment *fragment; /* what they are of: this, */
	const struct graph *graph;           /* or this; both NULL: there are no runs */
	uint64_t *steps; /* per entry or block: the counts that begin there, less those that end */
	uint32_t room;
	/* Per entry of a fragment, where a way back was long: the block entry that it belongs to. */
	const struct bat_fragment *blocks_of;
	uint32_t *blocks, blocks_room;
	uint32_t first, last; /* those that have steps lie between, both included */
};

/* How often a fall-through was seen from one block to the next one; offsets as
 * bat_fallthroughs() has them, or the block's last instruction and the next one's start. */
typedef void runs_edge_fn(void *ctx, uint32_t from, uint32_t to, uint64_t count);

/* Add a run from `from` to `to`, offsets in the fragment, `count` times.  *any: whether
 * bat_fallthroughs() has an edge for it.  Runs are of one fragment or graph: of the first, until
 * runs_take().  Returns false when out of memory. */
BC_MUST_USE bool runs_add(struct runs *runs, const struct bat_table *bat,
			  const struct bat_fragment *fragment, uint32_t from, uint32_t to,
			  uint64_t count, bool *any);

/* The same for a run through blocks `first` to `last` of a graph, which are not the same. */
BC_MUST_USE bool runs_add_blocks(struct runs *runs, const struct graph *graph, uint32_t first,
				 uint32_t last, uint64_t count);

/* Tell all edges in order, and be empty. */
void runs_take(struct runs *runs, const struct bat_table *bat, runs_edge_fn *edge, void *ctx);

void runs_free(struct runs *runs);

#endif
