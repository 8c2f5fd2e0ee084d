/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Fall-throughs, added up before they become records: each adds its count at the block where it
 * begins and subtracts it at the block where it ends, so that the sum up to a block is the count of
 * the edge to the next one.  A fall-through of many blocks costs no more than one of two, and
 * all fall-throughs that come in a row for one fragment, or for one function that BAT does not
 * have, make one record per edge.
 */
#ifndef FLOW_FALL_THROUGHS_H
#define FLOW_FALL_THROUGHS_H

#include "src/base/attr.h"
#include "include/bat/bat.h"
#include "src/code/cfg.h"

/* Zeroed means empty. */
struct fall_throughs {
	const struct bat_fragment *fragment; /* they lie in this fragment, */
	const struct graph *graph; /* or in this graph; both NULL: there are no fall-throughs */
	uint64_t *steps; /* per entry or block: the counts that begin there, less those that end */
	uint32_t capacity;
	/* Per entry of a fragment, where a way back was long: the block entry that it belongs to.
	 */
	const struct bat_fragment *blocks_of;
	uint32_t *blocks, blocks_capacity;
	uint32_t first,
		last; /* entries or blocks with steps lie between these two, both included */
};

/* How often a fall-through was seen from one block to the next one; offsets as
 * bat_fallthroughs() has them, or the block's last instruction and the next one's start. */
/* output: where `to` begins in the fragment; NO_OUTPUT: of a graph */
typedef void fall_throughs_edge_fn(void *ctx, uint32_t from, uint32_t to, uint32_t output,
				   uint64_t count);
#define NO_OUTPUT UINT32_MAX

/* Add a fall-through from `from` to `to`, offsets in the fragment, `count` times.  *any: whether
 * bat_fallthroughs() has an edge for it.  All that are added before fall_throughs_take() must lie
 * in the same fragment or graph.  Returns false when out of memory. */
BC_MUST_USE bool fall_throughs_add(struct fall_throughs *falls, const struct bat_table *bat,
				   const struct bat_fragment *fragment, uint32_t from, uint32_t to,
				   uint64_t count, bool *any);

/* The same for a fall-through from block `first` to `last` of a graph, which are two blocks. */
BC_MUST_USE bool fall_throughs_add_blocks(struct fall_throughs *falls, const struct graph *graph,
					  uint32_t first, uint32_t last, uint64_t count);

/* Call `edge` for all edges in order, and remove all fall-throughs. */
void fall_throughs_take(struct fall_throughs *falls, const struct bat_table *bat,
			fall_throughs_edge_fn *edge, void *ctx);

void fall_throughs_free(struct fall_throughs *falls);

#endif
