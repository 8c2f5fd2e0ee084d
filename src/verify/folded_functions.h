/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of the input that llvm-bolt folded (-icf) into the one that a fragment is of. */
#ifndef VERIFY_FOLDED_FUNCTIONS_H
#define VERIFY_FOLDED_FUNCTIONS_H

#include "src/verify/check_input.h"

struct folded {
	uint32_t fragment; /* the hot one */
	uint32_t input;    /* a function whose name is there, and of which the fragment is not */
};
DEFINE_VEC(folded_vec, struct folded);

/* Lists them by fragment.  By the names: those of a folded function are of the same place.  False: no memory */
BC_MUST_USE bool folded_list(const struct binary *subject, const struct input *input, struct folded_vec *out);

/* The first of those of a hot fragment, and how many there are. */
const struct folded *folded_of(const struct folded_vec *folded, uint32_t fragment, size_t *count);

#endif
