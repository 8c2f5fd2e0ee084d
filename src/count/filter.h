/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which samples the user wants. */
#ifndef COUNT_FILTER_H
#define COUNT_FILTER_H

#include "src/samples/event.h"
#include "src/count/ledger.h"

struct filter {
	const uint32_t *pids; /* these alone; borrowed */
	size_t pid_count;     /* 0: all */
	/* This alone, as perf names it, len 0: all.  Without a modifier ("cycles") it is the one
	 * event of that name with any ("cycles:u"), but with a colon behind it ("cycles:"). */
	struct text event;
	uint64_t from_ns; /* of this time on ... */
	uint64_t to_ns;   /* ... before this one; 0: to the end */
	uint64_t most;    /* of each input, the first ones; 0: all */
};

/* What the samples were of that were left out, the first few; and what the event meant. */
#define FILTER_SEEN ((size_t)6)
#define FILTER_NAME ((size_t)64)
struct filter_seen {
	char events[FILTER_SEEN][FILTER_NAME]; /* cut if longer */
	uint32_t pids[FILTER_SEEN];
	size_t event_count, pid_count; /* FILTER_SEEN: maybe more */
	bool other_times;              /* samples of other times were left out, ... */
	uint64_t first_ns, last_ns;    /* ... and of which; the last 0: they have none */
	char meant[FILTER_NAME];       /* with its modifier; empty: none yet */
};

/* After filter_check() said `why` of the sample of an event, whose time is `time`.
 *
 * BC_MISMATCH  filter->event means two events */
BC_MUST_USE bool filter_note(struct filter_seen *seen, const struct filter *filter,
			     const struct sample *sample, uint64_t time, enum sample_drop why,
			     struct bc_error *err);

/* "events of the recording: cpu-clock:u"; empty if nothing was left out. */
void filter_tell(const struct filter_seen *seen, char *line, size_t size);

/* Is this process wanted? */
bool filter_has_pid(const struct filter *filter, uint32_t pid);

bool filter_is_set(const struct filter *filter);

/* SAMPLE_KEPT, or why the sample of an event is not wanted.
 *
 * seen   how many samples of this input came before it */
enum sample_drop filter_check(const struct filter *filter, const struct event *event,
			      uint64_t seen);

#endif
