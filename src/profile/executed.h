/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * How many bytes ran in each function, as perf2bolt counts them: from where each trace
 * begins to where it ends, and of plain addresses the blocks that hold them.  What ran in
 * a cold fragment ran in its parent.
 */
#ifndef PROFILE_EXECUTED_H
#define PROFILE_EXECUTED_H

#include "src/cfg/cfg.h"
#include "src/count/located.h"

DEFINE_BY_CODE(executed, _Atomic uint64_t) /* bytes, modulo 2^64, as perf2bolt has them */

/* Count what is in the totals, before convert() takes it.  The caller frees *out with executed_free(), also after an error.
 *
 * basic   addresses count, else traces
 * graphs  of the binary: those that are missing are built
 *
 * BC_NOMEM */
BC_MUST_USE bool executed_count(struct located_counts *located, bool imputes, struct cfg *graphs, unsigned threads,
				struct executed *out, struct bc_error *err);

#endif
