/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How much two profiles have in common, whatever their lengths: every count is a share of all of
 * its kind in its profile, and of each thing the smaller share is added up.  docs/quality.md,
 * "Overlap".
 */
#ifndef FIGURES_OVERLAP_H
#define FIGURES_OVERLAP_H

#include <stdio.h>

#include "src/base/json.h"
#include "src/code/pair.h"
#include "src/profile/flat.h"

/* ---- which function of one profile is which of the other, by a binary that has both ---- */

/* Equal names are the same function; a local function has one name in profiles of a BOLTed binary
 * (auxsort/ltablib.c/1) and another one in those of a binary that is not BOLTed (auxsort/1). */

#define NO_NAME UINT32_MAX

/* By number in the second profile. */
struct same_names {
	uint32_t *own;    /* the number in the first one; FLAT_OUTSIDE: it has no such function */
	uint32_t *binary; /* the name_number in the binary; NO_NAME: it has no such function */
};

/* The names of local functions are those of the pair's input, or, if pair is NULL, of the binary,
 * where they can have other numbers. false: out of memory */
BC_MUST_USE bool same_names_take(const struct binary *binary, const struct pair *pair,
				 const struct flat_profile *first,
				 const struct flat_profile *second, struct same_names *out);
/* How many local functions of one profile alone (auxsort/ltablib.c/1) can be a function of the
 * other one alone (auxsort/1), which no binary was asked about.  of: two such names of the first
 * one; not set if there is none. */
size_t same_names_likely(const struct flat_profile *first, const struct flat_profile *second,
			 struct text of[2]);
void same_names_free(struct same_names *same);

/* ---- what both have in common ---- */

/* X(NAME, key, text) */
#define OVERLAP_KINDS(X)                                                                           \
	X(FUNCTIONS, "functions", "functions")                                                     \
	X(BLOCKS, "blocks", "blocks")                                                              \
	X(CALLS, "calls", "calls")

#define X(name, key, text) OVERLAP_##name,
enum overlap_kind { OVERLAP_KINDS(X) OVERLAP_KIND_COUNT };
#undef X

struct overlap_share {
	const char *why_not; /* why the profiles cannot be compared so; NULL: they were */
	double percent;
	uint64_t only_a, only_b, both;   /* how many things have a count in each */
	uint64_t hot_a, hot_b, hot_both; /* of the fewest that hold 90 % */
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
 * same  which function of the second is which of the first, FLAT_OUTSIDE for none; NULL: those with
 *       equal names are
 *
 * BC_NOMEM */
BC_MUST_USE bool overlap_take(const struct flat_profile *a, const struct flat_profile *b,
			      const uint32_t *same, struct overlap *out, struct bc_error *err);
void overlap_free(struct overlap *overlap);

/* ---- what is said of it ---- */

struct overlap_report {
	const struct overlap *overlap;
	const char *paths[2];
	bool has_min;
	double min;  /* percent */
	bool failed; /* a share is below it */
};

/* Sets `failed`. */
void overlap_judge(struct overlap_report *report);

void overlap_text(const struct overlap_report *report, FILE *out);
void overlap_json_members(const struct overlap_report *report,
			  struct json *json); /* except for what is asked of it */
void overlap_json(const struct overlap_report *report, FILE *out);

/* Shares that are below the least one, a line each. */
void overlap_tell_min(const struct overlap_report *report, FILE *out);

#endif
