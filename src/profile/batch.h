/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Samples that wait to be counted by whichever thread is free, with what they
 * need for it: the maps of their processes as they were, and the memory that
 * their branches lie in.
 */
#ifndef PROFILE_BATCH_H
#define PROFILE_BATCH_H

#include "src/base/pool.h"
#include "src/profile/tally.h"

#define BATCH_SAMPLES 512
#define BATCH_MEMORIES 4 /* what fills a batch where samples are few and far between */

struct batch_sample {
	const struct branch *branches;
	uint32_t branch_count;
	uint16_t view; /* index in views */
	uint8_t skip;  /* newest entries to leave out */
	bool address;  /* count the address, not the branches */
	bool partial;  /* see struct sample */
	struct run_addr ip;
};

struct batch {
	struct task task; /* to count it; see workers.c for this and the next two */
	struct workers *workers;
	struct batch *next;
	size_t sample_count, view_count, memory_count;
	struct batch_sample samples[BATCH_SAMPLES];
	struct process_view views[BATCH_SAMPLES]; /* owns a share of each one's maps */
	struct sample_memory *memories[BATCH_MEMORIES]; /* held */
	/* Instead of samples: traces that were counted before. */
	const struct trace_record *traces;
	size_t trace_count;
};

/* Make it an empty one. */
void batch_init(struct batch *batch);

static inline bool batch_is_full(const struct batch *batch)
{
	return batch->sample_count == BATCH_SAMPLES || batch->memory_count == BATCH_MEMORIES;
}

/* Add to a batch that is not full.  By the thread that owns maps and memory. */
void batch_add(struct batch *batch, const struct process_view *view, const struct sample *sample,
	       size_t skip, bool address);

/* Make an empty batch one of traces that lie in `memory`, which can be NULL. */
void batch_traces(struct batch *batch, const struct trace_record *traces, size_t count,
		  struct sample_memory *memory);

/* Count everything in it.  By any thread. */
BC_MUST_USE bool batch_count(struct batch *batch, struct tally *tally, struct bc_error *err);

/* Give back what it holds; it is empty then.  By the thread that added. */
void batch_clear(struct batch *batch);

#endif
