/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What records of traces are made of: places, and by their letter which of them stand in the line. */
#ifndef MERGE_PREAGG_SHAPE_H
#define MERGE_PREAGG_SHAPE_H

#include <stdbool.h>

#include "src/base/attr.h"
#include "src/base/text.h"

/* Marks in the places of branch and `to`. */
#define BRANCH_ONLY UINT64_MAX   /* to */
#define RUN_ONLY UINT64_MAX      /* branch: F */
#define RUN_EXTERNAL (UINT64_MAX - 1) /* f */
#define RUN_RETURN (UINT64_MAX - 2)   /* r */
#define OUTSIDE "X"

enum { BRANCH, FROM, TO, PLACES };

struct location {
	uint64_t at;
	struct text file; /* what stands before the colon */
};

static const struct shape {
	char letter;
	uint8_t first, last; /* of the places, those that stand in the line */
	bool mispredictions, returns;
	uint64_t branch; /* where none stands there */
} shapes[] = {
	{'T', BRANCH, TO, true, false, 0},           {'R', BRANCH, TO, true, true, 0},
	{'B', BRANCH, FROM, true, false, 0},         {'F', FROM, TO, false, false, RUN_ONLY},
	{'f', FROM, TO, false, false, RUN_EXTERNAL}, {'r', FROM, TO, false, false, RUN_RETURN},
};

/* NULL: no record of a trace begins with this letter */
static inline const struct shape *shape_of(char letter)
{
	for (size_t i = 0; i < BC_COUNT(shapes); i++)
		if (shapes[i].letter == letter)
			return &shapes[i];
	return NULL;
}

#endif
