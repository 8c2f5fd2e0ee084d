/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Shares of a whole in percent, and what they say: whether two files belong together. */
#ifndef BASE_SHARE_H
#define BASE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* A part of a whole in percent; 0 if the whole is 0. */
static inline double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/*
 * Do two files belong together: samples and the binary that ran, a binary and its input, two tables
 * of one input?  Build-ids decide where they can tell.  Elsewhere a share decides: how much of what
 * was compared disagrees.
 */

struct disagreement {
	uint64_t compared, differ; /* of what was compared: does not fit */
};

enum belonging {
	BELONGS,         /* at most the limit disagrees */
	BELONGS_BY_ID,   /* more does, and the build-ids fit */
	BELONGS_PERHAPS, /* more does, but that is little: see DISAGREE_FEW */
	BELONGS_NOT,
};

/* So few that disagree show another file only where they are more than half of all. */
#define DISAGREE_FEW 10

/* In percent; 0 if nothing was compared. */
double disagreement_percent(struct disagreement d);

/* limit: in percent; by_id: the build-ids can tell, and fit */
enum belonging belonging_judge(struct disagreement d, double limit, bool by_id);

/* Why files are taken all the same: the end of a sentence that has the share.  Empty for BELONGS
 * and BELONGS_NOT. */
const char *belonging_although(enum belonging belonging);

#endif
