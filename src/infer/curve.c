/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/infer/curve.h"

struct curve_piece curve_forth(const struct curve *curve, const struct curve_piece *pieces)
{
	struct curve_piece piece = pieces[curve->at];

	if (curve->within == piece.width && curve->at + 1 < curve->first + curve->count)
		return pieces[curve->at + 1];
	piece.width -= curve->within;
	return piece;
}

struct curve_piece curve_back(const struct curve *curve, const struct curve_piece *pieces)
{
	bool is_empty = !curve->within && curve->at > curve->first;
	struct curve_piece piece = pieces[is_empty ? curve->at - 1 : curve->at];

	piece.cost = -piece.cost;
	if (!is_empty)
		piece.width = curve->within;
	return piece;
}

void curve_fill(struct curve *curve, const struct curve_piece *pieces, int64_t amount)
{
	if (curve->within == pieces[curve->at].width) {
		curve->at++;
		curve->within = 0;
	}
	curve->within += amount;
}

void curve_take(struct curve *curve, const struct curve_piece *pieces, int64_t amount)
{
	if (!curve->within) {
		curve->at--;
		curve->within = pieces[curve->at].width;
	}
	curve->within -= amount;
}

int64_t curve_fill_gains(struct curve *curve, const struct curve_piece *pieces)
{
	int64_t sum = 0;

	for (size_t i = curve->first; i < curve->first + curve->count && pieces[i].cost < 0; i++) {
		curve->at = i;
		curve->within = pieces[i].width;
		sum += pieces[i].width;
	}
	return sum;
}

int64_t curve_flow(const struct curve *curve, const struct curve_piece *pieces)
{
	int64_t flow = curve->within;

	for (size_t i = curve->first; i < curve->at; i++)
		flow += pieces[i].width;
	return flow;
}
