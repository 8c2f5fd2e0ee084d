/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How much two profiles have in common, whatever their lengths: every count is a share of all of its kind in its profile, and of each
 * thing the smaller share is added up.  docs/quality.md, "Overlap".
 */
#ifndef FIGURES_OVERLAP_H
#define FIGURES_OVERLAP_H

#include <stdio.h>

#include "src/base/json.h"
#include "src/profile/flat.h"

/* X(NAME, key, text) */
#define OVERLAP_KINDS(X)                                                       \
	X(FUNCTIONS, "functions", "functions")                                 \
	X(BLOCKS, "blocks", "blocks")                                          \
	X(CALLS, "calls", "calls")

#define X(name, key, text) OVERLAP_##name,
enum overlap_kind { OVERLAP_KINDS(X) OVERLAP_KIND_COUNT };
#undef X

struct overlap_share {
	bool known; /* both profiles have such counts, for one kind of place */
	double percent;
	uint64_t only_a, only_b, both;             /* how many things have a count in each */
	uint64_t hot_a, hot_b, hot_both;           /* of the fewest that hold 90 % */
};

struct overlap_mover {
	struct text name; /* of the first profile's names, else the second's */
	double a, b;      /* percent of the samples */
};
DEFINE_VEC(overlap_mover_vec, struct overlap_mover);

struct overlap {
	struct overlap_share shares[OVERLAP_KIND_COUNT];
	struct overlap_mover_vec movers; /* all functions, those first that lost most */
};

/* Compares two profiles.  *out borrows from both.
 *
 * same  which function of the second is which of the first, FLAT_OUTSIDE for none; NULL: those with equal names are
 *
 * BC_NOMEM */
BC_MUST_USE bool overlap_take(const struct flat_profile *a, const struct flat_profile *b, const uint32_t *same, struct overlap *out,
			      struct bc_error *err);
void overlap_free(struct overlap *overlap);

/* ---- what is said of it ---- */

struct overlap_report {
	const struct overlap *overlap;
	const char *paths[2];
	bool has_min;
	double min;   /* percent */
	bool wanting; /* a share is below it */
};

/* Sets `wanting`. */
void overlap_judge(struct overlap_report *report);

void overlap_text(const struct overlap_report *report, FILE *out);
void overlap_json_members(const struct overlap_report *report, struct json *json); /* but for what is asked of it */
void overlap_json(const struct overlap_report *report, FILE *out);

/* Shares that are below the least one, a line each. */
void overlap_tell_min(const struct overlap_report *report, FILE *out);

#endif
