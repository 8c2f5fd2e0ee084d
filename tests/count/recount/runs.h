/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Fall-throughs: which edges of the input function a run through code represents. */
#ifndef TESTS_COUNT_RECOUNT_RUNS_H
#define TESTS_COUNT_RECOUNT_RUNS_H

#include "src/code/cfg.h"
#include "tests/count/recount/should.h"

struct fallthrough {
	struct spot from, to;
	uint64_t branch; /* that led to `from` */
	bool returns;    /* it is a return */
	uint64_t count;
};

/* The graphs of the functions without a map that traces run through.  BC_NOMEM */
BC_MUST_USE bool runs_graphs(const struct count *count, struct cfg *out, struct bc_error *err);

/* Put its edges down, each run by itself.  Returns what became of it, a name of a number. */
const char *fallthrough_take(struct should *should, const struct fallthrough *run,
			     const struct cfg *cfg);

#endif
