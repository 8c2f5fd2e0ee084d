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

/* Tries one more candidate.  It is near if changes of at most a third of the letters, and at most
 * two, make one word of the other: a letter left out, put in or replaced, or two neighbours
 * exchanged. */
void similar_try(struct similar *similar, const char *candidate);

#endif
