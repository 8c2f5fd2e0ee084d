/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which instructions of two sequences are the same: an alignment of the greatest weight, where
 * what says more weighs more, and where it is too large for that between what is in both once. */
#ifndef CARRY_ALIGN_H
#define CARRY_ALIGN_H

#include "src/carry/tokens.h"

#define ALIGN_NONE UINT32_MAX

struct token_span {
	const struct token *at;
	uint32_t count;
};

/* to[i]: the number in b of the token that number i of a is; ascending where it is not ALIGN_NONE.
 * weak: matches without a match next to them will do.  *budget: pairs of tokens that may be
 * looked at; what it took is subtracted, and where it does not suffice nothing is matched.  False:
 * out of memory. */
BC_MUST_USE bool align(struct token_span a, struct token_span b, bool weak, uint64_t *budget,
		       uint32_t *to);

/* Adds matches of sequences that occur in both once among what has none, wherever they are.  from:
 * the way back, by number in b.  False: out of memory. */
BC_MUST_USE bool align_moved(struct token_span a, struct token_span b, uint32_t *to,
			     uint32_t *from);

#endif
