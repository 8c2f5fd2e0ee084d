/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Traces of the output, walked through the input's instructions: steps of ranges_make(). */
#ifndef FLOW_WALK_H
#define FLOW_WALK_H

#include "src/flow/walker.h"

/* Count all traces of a shard. */
void walk_shard(struct walker *walker, size_t shard);

/* Call it when all traces are counted: adds what ran through whole groups of a piece. */
void walk_piece_sums(struct walker *walker, const struct piece *piece);

#endif
