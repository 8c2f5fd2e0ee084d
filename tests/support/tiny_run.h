/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Delivers events and compares lines of fdata: the way from src/count/aggregate.h to
 * src/profile/fdata.h, on the binary of tiny_binary.h. */
#ifndef TESTS_SUPPORT_TINY_RUN_H
#define TESTS_SUPPORT_TINY_RUN_H

#include "src/flow/convert.h"
#include "tests/support/tiny_binary.h"

/* Where tiny_run_map() puts vaddr 0. */
#define TINY_LOAD UINT64_C(0x550000000000)

struct tiny_run {
	struct tiny_binary tiny;
	struct aggregate aggregate;
	struct ledgers ledgers;     /* set by tiny_run_gives() */
	struct build_check check;   /* set by tiny_run_gives() */
	struct returns_found found; /* likewise, by the conversion */
	struct restored restored;   /* likewise */
};

void tiny_run_begin(struct tiny_run *run, const struct aggregate_options *options);

/* Delivers an event, which must succeed. */
void tiny_run_event(struct tiny_run *run, const struct event *event);

/* Begins the next input. */
void tiny_run_next(struct tiny_run *run);

/* Maps the binary into a process. */
void tiny_run_map(struct tiny_run *run, uint32_t pid);

/* kind: 'T' or 'R' */
void tiny_run_trace(struct tiny_run *run, char kind, struct trace trace, uint64_t count,
		    uint64_t mispredicted);
void tiny_run_sample(struct tiny_run *run, const struct sample *sample);
void tiny_run_stack(struct tiny_run *run, uint32_t pid, const struct branch *branches,
		    size_t count);
void tiny_run_address(struct tiny_run *run, uint32_t pid, uint64_t ip, const char *event);

/* Convert, compare with lines of fdata without `boltedcollection`, and end the run.
 * Every ledger must balance. */
void tiny_run_gives(struct tiny_run *run, unsigned threads, const char *lines);

#endif
