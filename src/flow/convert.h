/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From counted traces of the optimized binary to the profile of the input binary:
 * docs/conversion.md, "Traces to records".  The traces are walked once (traces.h); two take the
 * steps: records (records.h), which are restored where the input is at hand (restore.h), and ranges
 * for llvm-profgen (ranges.h).
 */
#ifndef FLOW_CONVERT_H
#define FLOW_CONVERT_H

#include "src/code/cfg.h"
#include "src/count/aggregate.h"
#include "src/count/located.h"
#include "src/flow/ranges.h"
#include "src/code/pair.h"
#include "src/profile/build_check.h"
#include "src/profile/profile.h"

struct converted {
	struct ledgers ledgers; /* of the aggregate, and what became of the traces or addresses */
	struct build_check check;
	struct returns_found found;
	struct restored restored;
	struct profile profile;
	bool no_disassembler; /* libLLVM was needed and is missing: traces dropped as
				 TRACE_DROP_NO_MAP */
};

struct convert_job {
	struct located_counts
		*located;  /* the addresses or the traces of an aggregate, and the binary */
	struct pair *pair; /* with the input binary; of traces its graphs are built: of each
			      function that ran; or NULL */
	struct code_marks left_out; /* functions whose code is not read; none; borrowed */
	bool keep_counts;           /* the counts and locations stay; else they are empty then */
	bool keep_code;             /* the graphs are with their code, as somebody needs it later */
	struct cfg *graphs;         /* of the binary: those that are missing are built */
	struct ranges *ranges; /* of traces: what llvm-profgen reads, with the calls of the profile;
				  NULL: not wanted */
	unsigned threads;      /* to use; the result does not depend on it */
};

/* Convert what was counted.  The caller finishes with profile_free(&out->profile) and
 * ranges_free(job->ranges). BC_NOMEM, BC_FORMAT (work.h) */
BC_MUST_USE bool convert(const struct convert_job *job, const struct aggregate *aggregate,
			 struct converted *out, struct bc_error *err);

/*
 * The counts themselves as a result, row by row as pre-aggregated text has them; trace_of() shows
 * what a row is.
 *
 * perf2bolt 21 and 22 take mispredictions with branches alone.  Where there are any, each trace is
 * split into the branch (TRACE_BR_ONLY) and the fall-through, which says instead of its branch how
 * it was reached, as far as a profile depends on it; of returns only the fall-through is left.
 */
struct preagg_counts {
	struct count_row *rows; /* sorted, each key once */
	size_t count;
	uint64_t returns; /* taken branches that are not among them: returns that were split */
};

/* Take what was counted; the counts are empty then.  BC_NOMEM */
BC_MUST_USE bool preagg_counts_take(struct located_counts *located,
				    const struct aggregate *aggregate, struct preagg_counts *out,
				    struct bc_error *err);
void preagg_counts_free(struct preagg_counts *counts);

#endif
