/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Carries a profile from the build that ran to the next one: which instruction of the new build
 * each of the old one became, how often it ran, and the flow of the new build that is most likely
 * by that (flow/infer.h).  docs/next-build.md, "Carried".
 */
#ifndef CARRY_CARRY_H
#define CARRY_CARRY_H

#include "src/carry/build.h"
#include "src/profile/flat.h"
#include "src/profile/profile.h"

/* How an instruction was found again.  X(field, text for people) */
#define CARRIED_WAYS(X)                                                                            \
	X(same, "in functions whose code is the same")                                             \
	X(lines, "by their lines of source")                                                       \
	X(aligned, "by the order of instructions")                                                 \
	X(moved, "where the same code is elsewhere in the function")

struct carried_share {
	uint64_t functions; /* of which any instruction that ran is there */
	uint64_t runs;      /* of instructions: how often each ran, in all */
};

struct carried_counts {
	uint64_t runs;      /* of all functions of the profile */
	uint64_t functions; /* that ran */
	uint64_t renamed;   /* of these, found under another name */
	struct carried_share same, lines, aligned, moved;
	struct carried_share unmatched; /* instructions of functions that are carried */
	struct carried_share entries;   /* functions of which so few were found that only their
					   entries are carried */
	struct carried_share gone;      /* functions that the new build has none for */
	struct carried_share no_graph;  /* functions without a control-flow graph, in one of both */
	uint64_t fits, misfits;         /* of the profile: counts that the old build can have, and
					   others */
	bool has_lines;                 /* both builds have debug information */
};

/* From 0 to 100: runs that were found again; of the profile's counts those that the old build can
 * have. */
double carried_percent(const struct carried_counts *carried);
double carried_fits_percent(const struct carried_counts *carried);

/* With less found again, builds are of different programs, in percent. */
#define CARRY_LEAST 5.0
/* A function with fewer of its runs found again has its entries only, in percent: chosen by
 * docs/next-build.md, "Carried". */
#define CARRY_FUNCTION_LEAST 5.0
/* A profile with fewer counts that fit is of another build, and with a few less than all it can be:
 * of the build that ran all but 0.01 % fit. */
#define CARRY_FITS_LEAST  90.0
#define CARRY_FITS_MOSTLY 99.0

struct carry_job {
	struct carry_build *old_build, *new_build; /* of one machine */
	const struct flat_profile *profile;        /* of the old one */
	bool without_lines;                        /* debug information is not used */
	unsigned threads;
};

/* Makes the profile of the new build; *figures is set also where that is refused.
 *
 * BC_MISMATCH     the builds are of two machines, or of different programs; the profile is not of
 *                 the old one
 * BC_UNSUPPORTED  the profile is of basic samples; there is no libLLVM
 * BC_FORMAT, BC_NOMEM */
BC_MUST_USE bool carry(const struct carry_job *job, struct profile *out,
		       struct carried_counts *figures, struct bc_error *err);

#endif
