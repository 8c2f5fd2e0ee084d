/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* All functions of the output that traces lie in, with their code and the input's. */
#ifndef FLOW_PIECES_H
#define FLOW_PIECES_H

#include "src/flow/piece.h"
#include "src/flow/ranges.h"

struct pieces {
	const struct binary *binary;
	const struct pair *pair;
	struct piece *at;     /* by output address */
	size_t count;
	uint32_t *of;         /* per function of the output: its number, or NO_PIECE */
};
#define NO_PIECE UINT32_MAX

/* Opens the pieces of all traces that were counted.  BC_NOMEM */
BC_MUST_USE bool pieces_open(const struct ranges_job *job, struct pieces *out, struct bc_error *err);
void pieces_close(struct pieces *pieces);

/* The piece of a function, or NULL. */
static inline struct piece *pieces_of(const struct pieces *pieces, const struct function *output)
{
	uint32_t number = output ? pieces->of[output - pieces->binary->functions.at] : NO_PIECE;

	return number == NO_PIECE ? NULL : &pieces->at[number];
}

#endif
