/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * An arc of a network whose cost rises with what goes through it: pieces, each with a cost of its own.
 *
 * Of all its pieces two are of use at a time, the one to fill next and the one to take back first.  They are the
 * two arcs of one pair, so that a search does not look at the others.
 */
#ifndef INFER_CURVE_H
#define INFER_CURVE_H

#include "src/base/vec.h"

/* `width` more units can go through, at this cost of each. */
struct curve_piece {
	int64_t width; /* above 0 */
	int64_t cost;
};
DEFINE_VEC(curve_piece_vec, struct curve_piece);

/* The pieces of one arc: a range of the array that the functions below get. */
struct curve {
	size_t arc;          /* of the network; its way back is the next one */
	size_t first, count; /* pieces; one at least */
	size_t at;           /* the piece that was filled last */
	int64_t within;      /* the flow in that piece */
};
DEFINE_VEC(curve_vec, struct curve);

/* The piece to fill next, and what it still takes. */
struct curve_piece curve_forth(const struct curve *curve, const struct curve_piece *pieces);

/* What taking back one unit costs, and how much can be taken back at that. */
struct curve_piece curve_back(const struct curve *curve, const struct curve_piece *pieces);

/* Fills the curve by `amount`, which is at most the room that curve_forth() returns. */
void curve_fill(struct curve *curve, const struct curve_piece *pieces, int64_t amount);

/* Takes `amount` back, which is at most what curve_back() returns. */
void curve_take(struct curve *curve, const struct curve_piece *pieces, int64_t amount);

/* Fills the pieces whose cost is negative.  Returns how much that is. */
int64_t curve_fill_gains(struct curve *curve, const struct curve_piece *pieces);

/* Returns the whole flow through the curve. */
int64_t curve_flow(const struct curve *curve, const struct curve_piece *pieces);

#endif
