/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A word that may have been meant. */
#ifndef CLI_SIMILAR_H
#define CLI_SIMILAR_H

#include <stddef.h>

struct similar {
	const char *word; /* that was given */
	const char *best; /* the nearest so far, or NULL: borrowed */
	size_t distance;
};

/* Look at one more candidate.  Near is what at most a third of the letters make of the other,
 * two at most: left out, put in, replaced, or two neighbours exchanged. */
void similar_try(struct similar *similar, const char *candidate);

#endif
