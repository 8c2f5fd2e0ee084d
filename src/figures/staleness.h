/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much of an earlier build's profile fits a new build: the figures of `batconv stale`, which
 * are llvm-bolt's. */
#ifndef FIGURES_STALENESS_H
#define FIGURES_STALENESS_H

#include <stdio.h>

#include "src/figures/builds.h"

/* What functions are distinguished by. */
enum stale_means {
	STALE_BY_HASHES,       /* as llvm-bolt does it */
	STALE_BY_BLOCK_COUNTS, /* the profile or the build has no hashes: "exact" is the same number
				  of blocks, which a changed function can have, too */
	STALE_BY_OFFSETS, /* fdata: "exact" is that each record begins and ends where the new code
			    has such a branch */
};

enum function_fate {
	FUNCTION_EXACT,   /* llvm-bolt takes its profile as it is */
	FUNCTION_STALE,   /* another function has its name now */
	FUNCTION_MISSING, /* none has */
	FUNCTION_UNKNOWN, /* the new build has one, and nothing shows what is in it */
	FUNCTION_FATES,
};

struct fitting_share {
	uint64_t count, samples;
};

struct lost_function {
	struct text name;
	enum function_fate fate;
	uint64_t samples, matched;
};
DEFINE_VEC(lost_function_vec, struct lost_function);

struct staleness {
	const char *path;                    /* of the build */
	const struct old_document *document; /* of the profile */
	enum stale_means means;
	bool has_blocks, has_calls; /* the figures of blocks are known, those of calls, too */
	bool has_branches;          /* those of branches are, of fdata */
	uint64_t samples;           /* of the profile */
	struct fitting_share functions[FUNCTION_FATES];
	struct fitting_share blocks[BLOCK_FATES]; /* of stale functions; samples: how often
						     functions were entered there */
	uint64_t matched; /* samples in exact functions, and in stale ones on jumps of which both
			    blocks are found again; has_blocks */
	uint64_t branches, lost_branches; /* records of fdata, and of these those that the new code
					     cannot make */
	struct lost_function_vec lost; /* all that are not exact, those with most samples first */
};

/* Compares; `profile` must outlive *out.  BC_NOTFOUND: none of several profiles in the file is of
 * this program; BC_UNSUPPORTED: fdata with a build whose code is not there; BC_FORMAT, BC_NOMEM
 */
BC_MUST_USE bool staleness_take(const struct old_profile *profile, struct new_build *build,
				struct staleness *out, struct bc_error *err);
void staleness_free(struct staleness *staleness);

/* ---- what is said of it ---- */

struct stale_report {
	const char *profile; /* its path */
	const struct staleness *builds;
	size_t count;
	bool has_min;
	double min;  /* percent */
	bool failed; /* one of the builds is below it */
};

/* Sets `failed`. */
void stale_judge(struct stale_report *report);

void stale_text(const struct stale_report *report, FILE *out);
void stale_json(const struct stale_report *report, FILE *out);

/* Builds that are below the least share, a line each. */
void stale_tell_min(const struct stale_report *report, FILE *out);

#endif
