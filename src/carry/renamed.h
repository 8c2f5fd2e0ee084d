/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which functions are the same ones under another name, by what is in their code. */
#ifndef CARRY_RENAMED_H
#define CARRY_RENAMED_H

#include "src/carry/align.h"

#define RENAMED_NONE UINT32_MAX

/* partner[i]: the number in b of the function that number i of a is, or RENAMED_NONE.  Two
 * functions are one where at least a quarter of what they have is in both, weighed by how few
 * functions have it, and where each is by far the best one for the other.  The time grows with the
 * tokens, n log n.  False: out of memory. */
BC_MUST_USE bool renamed_find(const struct token_span *a, uint32_t a_count,
			      const struct token_span *b, uint32_t b_count, uint32_t *partner);

#endif
