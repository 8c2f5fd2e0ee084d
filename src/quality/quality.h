/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How good is a profile?  All figures in one place, apart from how they are printed; docs/quality.md says what
 * each means.  Percentages are from 0 to 100.
 */
#ifndef QUALITY_QUALITY_H
#define QUALITY_QUALITY_H

#include "src/convert/conversion.h"
#include "src/profile/figures.h"
#include "src/quality/code_places.h"
#include "src/quality/flow.h"
#include "src/quality/heat.h"

/* Shares of the samples that functions and bytes are told for. */
#define HELD_LEVELS 3
extern const double held_levels[HELD_LEVELS];

struct coverage {
	uint64_t samples; /* counts of branches from functions, or plain samples in them */
	uint64_t functions; /* that have any */
	uint64_t held_functions[HELD_LEVELS]; /* the hottest that hold so much */
	bool has_bytes;
	uint64_t bytes; /* in buckets of HEAT_BUCKET that were run through */
	uint64_t held_bytes[HELD_LEVELS];
};

struct quality {
	bool of_samples; /* else of a profile alone, which has coverage and flow only */
	bool basic;      /* plain samples: no flow */

	bool has_density;
	struct figures density;
	uint64_t density_cutoff;
	double threshold;    /* the density that is enough */

	struct coverage coverage;
	struct code_places places;

	bool has_flow;
	struct flow_figures flow;

	bool has_kept;
	double kept; /* of what was not set aside on purpose */
	uint64_t kept_of; /* how much that is: taken branches, or plain samples */
};

#define DENSITY_CUTOFF 990000
#define DENSITY_ENOUGH 60

/* What is measured before the counts become a profile, and what stands beside it then. */
struct quality_options {
	uint64_t density_cutoff;
	double threshold;
};

/* Read and convert samples, and measure.  options: .executed is set; *conversion: as conversion_run() has it, also
 * after a failure.  Errors as of conversion_run() */
BC_MUST_USE bool quality_of_samples(const struct conversion_options *options, const struct quality_options *how,
				    struct conversion *conversion, struct quality *out, struct bc_error *err);

/* Of fdata or YAML.  *mine: as flat_read() has it.  Errors as of flat_read() */
BC_MUST_USE bool quality_of_profile(const char *path, struct quality *out, bool *mine, struct bc_error *err);

/* How many times more samples it takes for the density that is enough; 0: it is enough, or not known. */
double quality_times_more(const struct quality *quality);

/* In percent of those that count: X, of Y; 0 of nothing. */
double quality_share(uint64_t part, uint64_t whole);

/* Reasons of a ledger: what was dropped so deserves a look; else it was set aside on purpose. */
bool quality_reason_matters(const struct ledger_words *words, size_t reason);

#endif
