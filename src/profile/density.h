/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How densely code was seen to run.  How many bytes ran in each function: from where each trace
 * begins to where it ends, and of basic samples the blocks that hold them; samples in a cold
 * fragment count for its parent.  And what perf2bolt says of a profile at its end: of how many
 * functions it has something, and how many of their bytes ran: docs/perf2bolt.md, "Figures".
 */
#ifndef PROFILE_DENSITY_H
#define PROFILE_DENSITY_H

#include "src/code/cfg.h"
#include "src/count/located.h"
#include "src/profile/profile.h"

DEFINE_BY_CODE(executed, _Atomic uint64_t) /* bytes, modulo 2^64, as perf2bolt has them */

struct executed_options {
	bool imputes;
	bool as_perf2bolt; /* of basic samples in functions without a graph, which is what a split
			      one is, nothing is counted. Else their blocks are those of the table
			    */
};

/* Count what is in the totals, before convert() takes it.  The caller frees *out with
 * executed_free(), also after an error.
 *
 * graphs  of the binary: those that are missing are built
 *
 * BC_NOMEM */
BC_MUST_USE bool executed_count(struct located_counts *located,
				const struct executed_options *options, struct cfg *graphs,
				unsigned threads, struct executed *out, struct bc_error *err);

struct density {
	uint64_t functions;   /* of the binary, without PLT entries                          */
	uint64_t profiled;    /* of these, with a profile                                    */
	uint64_t non_simple;  /* with one, but BOLT does not know where their jumps lead     */
	double density;       /* bytes that ran per byte of code: most samples lie in
				 functions that have as much or more; 0: there are no samples */
	bool no_disassembler; /* libLLVM was needed and is missing: some are in `non_simple`
				 that should not be                                          */
};

struct density_options {
	uint64_t cutoff;            /* how many samples of a million are "most" */
	struct code_marks left_out; /* BOLT is asked not to look at these; borrowed */
	bool strict;        /* BOLT is to trust that the code is sane: unknown jumps are calls */
	struct cfg *graphs; /* of the binary: those that are missing are built */
	unsigned threads;
	struct name_marks *non_simple; /* set for each that density.non_simple counts; or NULL */
};

/* BC_NOMEM */
BC_MUST_USE bool density_measure(const struct profile *profile, const struct executed *executed,
				 const struct density_options *options, struct density *out,
				 struct bc_error *err);

#endif
