/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From events to counts.  Addresses become vaddrs, branch stacks become traces, and
 * equal ones are counted.
 */
#ifndef COUNT_AGGREGATE_H
#define COUNT_AGGREGATE_H

#include "src/base/vec.h"
#include "src/count/batches.h"
#include "src/count/ledger.h"
#include "src/count/returns.h"
#include "src/count/rules.h"
#include "src/elf/functions.h"
#include "src/samples/event.h"

/*
 * Which samples the user wants.
 */

struct filter {
	const uint32_t *pids; /* these alone; borrowed */
	size_t pid_count;     /* 0: all */
	/* This alone, as perf names it, len 0: all.  Without a modifier ("cycles") it is the one
	 * event of that name with any ("cycles:u"), but with a colon after it ("cycles:"). */
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

/* What of the samples is used. */
enum sample_mode {
	MODE_AUTO, /* branch stacks if there are any, else addresses */
	MODE_BASIC,
};

struct aggregate_options {
	enum sample_mode mode;
	/* From the first stack of exactly 32 branches in an input on, drop the
	 * two newest of every stack: Intel's Skylake erratum, for x86-64. */
	bool erratum;
	bool impute;    /* for convert(): guess where a trace without an end ended */
	bool halves;    /* totals.halves */
	bool ends;      /* count what stacks begin and end with, too (totals.ends) */
	unsigned names; /* for convert(): of functions that may be written (profile/profile.h) */
	struct profile_rules rules; /* likewise */
	unsigned threads;           /* that count samples, at least 1 */
	struct filter filter;
};

DEFINE_VEC(name_vec, char *);
DEFINE_VEC(flag_vec, bool);

struct aggregate {
	struct aggregate_options options;
	struct image_space space;
	struct totals totals;
	struct sample_counter counter; /* of this thread; its ledgers are all of
			       them after aggregate_finish() */
	struct filter_seen seen;       /* what the filter left out */
	struct count_table memory;     /* accesses: vaddr of the code, of the data */
	struct returns returns;
	bool stacks_recorded;     /* by an event of an input, whether it has samples or not */
	struct name_vec events;   /* of basic samples; sorted at the end */
	struct process_view view; /* of view_pid, when space.changes was view_changes */
	uint32_t view_pid;
	uint64_t view_changes;
	bool erratum_seen;       /* in the present input */
	bool types_seen;         /* likewise: branches have types */
	uint64_t samples_seen;   /* likewise */
	struct batches *batches; /* NULL: this thread counts alone */
	size_t inputs_seen;
	bool placed; /* likewise: a process of its samples or traces has the binary, or it has
			records of no process */
	struct flag_vec used;            /* `placed`, by the number of an input */
	struct kernel_place_vec kernels; /* where the kernel was, by the number of an input */
	uint64_t given; /* samples, not left out, of processes whose mapping of the binary was given
			 */
	struct bc_error contradicted; /* what build-ids that came late say against; or BC_OK */
	size_t contradicted_by;       /* the number of the input that they came in, from 0 */
};

/* `image` and `match` are borrowed. */
BC_MUST_USE bool aggregate_init(struct aggregate *aggregate, const struct image *image,
				const struct aggregate_options *options,
				const struct image_match_options *match, struct bc_error *err);
void aggregate_fini(struct aggregate *aggregate);

/* struct event_sink.event of an aggregate.  What late build-ids say against is noted only: the
 * summary of a refusal is as full as any.  BC_NOMEM, BC_FORMAT; BC_MISMATCH as of
 * image_space_event(). */
BC_MUST_USE bool aggregate_event(void *aggregate, const struct event *event, struct bc_error *err);

/* The threads that count, for a reader to share.  NULL: there are none but this. */
struct pool *aggregate_pool(struct aggregate *aggregate);

/* Samples that a reader could not deliver. */
void aggregate_undelivered(struct aggregate *aggregate, enum sample_drop why, uint64_t count);

/* After the last input: everything is in the totals then, and the ledgers are
 * settled.  *basic: the profile is to be of addresses, not of branches.  BC_NOMEM;
 * BC_FORMAT: with traces whose ends are guessed there can be 2^64 or more. */
BC_MUST_USE bool aggregate_finish(struct aggregate *aggregate, bool *basic, struct bc_error *err);

#endif
