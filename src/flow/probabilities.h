/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How often each block of a function runs for each time that the function is entered, by the
 * probabilities of its edges: the solution of x = e + P'x, where e is 1 for the first block.  It is
 * exact for any control flow, for loops with several entries, too.
 *
 * One block after the other is taken out of the graph, that of the fewest paths through it first:
 * what came into it continues to its successors.  Its own loop, of probability s, multiplies by 1 /
 * (1 - s).
 */
#ifndef FLOW_PROBABILITIES_H
#define FLOW_PROBABILITIES_H

#include "src/base/attr.h"
#include "src/base/vec.h"

struct probable_edge {
	uint32_t from, to; /* numbers of blocks */
	double probability;
};
DEFINE_VEC(probable_edge_vec, struct probable_edge);

/* A loop that is left less often than once in LOOP_LEAST times was not seen to end by a profile of
 * samples: it is taken to run LOOP_UNKNOWN times, as LLVM takes it. */
#define LOOP_LEAST   (UINT32_C(1) << 20)
#define LOOP_UNKNOWN 4096.0

enum probabilities_result { PROBABILITIES_SOLVED, PROBABILITIES_TOO_MUCH, PROBABILITIES_NO_MEMORY };

/* Sets runs[0 .. blocks).  Edges may be there twice.  TOO_MUCH: it takes more than a number of
 * steps for each block and edge that the control flow of programs does not take. */
BC_MUST_USE enum probabilities_result probabilities_solve(const struct probable_edge *edges,
							  size_t edge_count, uint32_t blocks,
							  double *runs);

#endif
