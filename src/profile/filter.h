/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which samples the user wants. */
#ifndef PROFILE_FILTER_H
#define PROFILE_FILTER_H

#include "src/event/event.h"
#include "src/profile/ledger.h"

struct filter {
	const uint32_t *pids; /* these alone; borrowed */
	size_t pid_count;     /* 0: all */
	struct text event;    /* this alone, as perf names it; len 0: all */
	uint64_t from_ns;     /* of this time on ... */
	uint64_t to_ns;       /* ... before this one; 0: to the end */
	uint64_t most;        /* of each input, the first ones; 0: all */
};

bool filter_is_set(const struct filter *filter);

/* Why the sample of an event is not wanted, or SAMPLE_DROP_COUNT.
 *
 * seen   how many samples of this input came before it */
enum sample_drop filter_check(const struct filter *filter, const struct event *event, uint64_t seen);

#endif
