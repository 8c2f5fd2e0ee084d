/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How good is a profile?  All figures together, separate from how they are printed;
 * docs/quality.md explains each.  Percentages are from 0 to 100.
 */
#ifndef FIGURES_QUALITY_H
#define FIGURES_QUALITY_H

#include "src/count/located.h"
#include "src/figures/flow_figures.h"
#include "src/figures/gain.h"
#include "src/figures/heat.h"
#include "src/figures/layouts.h"
#include "src/flow/conversion.h"
#include "src/profile/density.h"
#include "src/profile/profile.h"

/* ---- in which kind of code the program ran: BOLT made it hot or cold, or it lies where it was
 * ---- */

/* X(NAME, key for machines, text for people) */
#define CODE_PLACES(X)                                                                             \
	X(HOT, "hot", "in hot parts of functions that BOLT moved")                                 \
	X(COLD, "cold", "in cold parts")                                                           \
	X(ORIGINAL, "original", "in original bodies (.bolt.org.text)")                             \
	X(IGNORED, "ignored", "in functions that BOLT ignored")                                    \
	X(PLT, "plt", "in PLT entries")                                                            \
	X(NONE, "none", "in no function")

#define X(name, key, text) PLACE_##name,
enum code_place { CODE_PLACES(X) CODE_PLACE_COUNT };
#undef X

struct code_places {
	uint64_t all[CODE_PLACE_COUNT]; /* traces that began in such code, or basic samples in it */
	uint64_t hottest[CODE_PLACE_COUNT]; /* of these, at the addresses that hold the first 90 %
					       of them */
	uint64_t sum, hottest_sum;
};

/* "hot" */
const char *code_place_key(enum code_place place);

/* Which kind of code is at a location? */
enum code_place code_place_of(const struct binary *binary, struct output_place place);

/* ---- all figures ---- */

/* The shares of the samples for which functions and bytes are counted. */
#define HELD_LEVELS 3
extern const double held_levels[HELD_LEVELS];

struct coverage {
	uint64_t samples;   /* counts of branches from functions, or basic samples in them */
	uint64_t functions; /* functions that have samples */
	uint64_t held_functions[HELD_LEVELS]; /* how many of the hottest hold such a share */
	bool has_bytes;
	uint64_t bytes; /* in buckets of HEAT_BUCKET that were run through */
	uint64_t held_bytes[HELD_LEVELS];
};

struct quality {
	bool of_samples;    /* else of a profile alone, which has coverage and flow only; */
	bool of_compiler;   /* or of the compiler's counts, of which no more samples can be had:
			       neither stability nor density, and no locations */
	bool basic;         /* basic samples: no flow */
	bool says_inferred; /* a profile alone says so of its branches, or they are the compiler's:
			       their flow is consistent by construction */

	bool has_density;
	struct density density;
	uint64_t density_cutoff;
	double threshold; /* the density that is enough for perf2bolt */

	bool has_stability; /* branches are known, or inferred */
	struct stability stability;
	struct gain gain; /* known: branches are, and the code that llvm-bolt reads */

	struct coverage coverage;
	struct code_places places;

	bool has_flow;
	struct flow_figures flow;

	bool has_inferred; /* of basic samples: how convert infers branches from them */
	struct inferred inferred;

	bool has_kept;
	double kept;      /* of the samples that were not left out on purpose */
	uint64_t kept_of; /* the number of these: taken branches, */
};

#define DENSITY_CUTOFF 990000
#define DENSITY_ENOUGH 60

/* How the density is measured, and how much of it is enough. */
struct quality_options {
	uint64_t density_cutoff;
	double threshold;
};

/* What figures are taken from, for whoever shows more than figures.  Zeroed at first; it must stay
 * where it is, and lives no longer than the conversion. */
struct quality_sources {
	bool by_byte;      /* `bytes` is wanted, too, and `code` of basic samples */
	struct heat bytes; /* with buckets of one byte */
	struct heat heat;  /* with buckets of HEAT_BUCKET */
	struct flat_profile flat;
	struct name_marks non_simple; /* llvm-bolt does not know where their jumps lead */
	struct block_source blocks;
	struct flow_code code; /* points into the one above, and into the conversion */
	struct flow_calls calls;
};
void quality_sources_free(struct quality_sources *sources);

/* Read and convert samples, and measure.  *conversion: as conversion_run() has it, with
 * WANT_EXECUTED and WANT_HALVES, also after a failure; *sources: to be freed, also after a failure.
 * Errors as of conversion_run() */
BC_MUST_USE bool quality_of_samples(const struct quality_options *how,
				    struct conversion *conversion, struct quality_sources *sources,
				    struct quality *out, struct bc_error *err);

/* ... after conversion_open(), and the events that were delivered to conversion->aggregate. */
BC_MUST_USE bool quality_of_opened(const struct quality_options *how, struct conversion *conversion,
				   struct quality_sources *sources, struct quality *out,
				   struct bc_error *err);

/* Measures fdata or YAML.  *mine: as in flat_read().  Errors of flat_read() */
BC_MUST_USE bool quality_of_profile(const char *path, struct quality *out, bool *mine,
				    struct bc_error *err);

/* By what factor the samples must grow to reach the density that is enough; 0: it is reached, or
 * not known. */
double quality_times_more(const struct quality *quality);

/* What functions have counts of: "samples" if they are plain, else "branches" (taken or not). */
static inline const char *quality_counted(const struct quality *quality)
{
	return quality->basic ? "samples" : "branches";
}

#endif
