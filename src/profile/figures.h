/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What perf2bolt says of a profile at its end: of how many functions it has something,
 * and how densely their code was seen to run.  docs/perf2bolt.md, "Figures".
 */
#ifndef PROFILE_FIGURES_H
#define PROFILE_FIGURES_H

#include "src/profile/executed.h"
#include "src/profile/profile.h"

struct figures {
	uint64_t functions;   /* of the binary, without PLT entries                          */
	uint64_t profiled;    /* of these, with a profile                                    */
	uint64_t not_simple;  /* with one, but BOLT does not know where their jumps lead     */
	double density;       /* bytes that ran per byte of code: most samples lie in
	                         functions that have as much or more; 0: there are no samples */
	bool no_disassembler; /* libLLVM was needed and is missing: some are in `not_simple`
	                         that should not be                                          */
};

struct cfg;

struct figures_options {
	uint64_t cutoff; /* how many samples of a million are "most" */
	struct code_marks left_out; /* BOLT is told not to look at these; borrowed */
	bool strict; /* BOLT is told that the code is sane: unknown jumps are calls */
	struct cfg *graphs; /* of the binary: those that are missing are built */
	unsigned threads;
	struct name_marks *not_simple; /* set for each that figures.not_simple counts; or NULL */
};

/* BC_NOMEM */
BC_MUST_USE bool figures_take(const struct profile *profile, const struct executed *executed,
			      const struct figures_options *options, struct figures *out,
			      struct bc_error *err);

#endif
