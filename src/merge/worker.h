/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What one thread reads inputs with.  Threads share nothing while they run, so they need no locks; what
 * they found is put together afterwards, and does not depend on which thread read which input.
 */
#ifndef MERGE_WORKER_H
#define MERGE_WORKER_H

#include "src/base/file.h"
#include "src/base/strings.h"
#include "src/merge/sorter.h"

struct merge_progress {
	void (*show)(void *ctx, const struct file_stream *stream); /* by any thread; or NULL */
	void *ctx;
};

struct merge_worker {
	struct temporary items; /* of YAML inputs; only read once all inputs were looked at */
	struct temporary runs;  /* of what was sorted */
	struct strings names;   /* of the functions of YAML inputs */
	struct sorter sorter;   /* of inputs that are small, or out of order */
	struct merge_progress progress;
	bool saturate;

	uint64_t saturated, scaled_away;
	exact_sum in[2]; /* of items that were counted one by one */
};

#endif
