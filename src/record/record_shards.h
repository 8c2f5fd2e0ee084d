/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where the counts of a recording go: shards in a directory, one a binary and hand-over; or the one
 * shard of one binary, or its counts in memory, for a profile.  A shard has its name only when it
 * is complete.
 */
#ifndef RECORD_RECORD_SHARDS_H
#define RECORD_RECORD_SHARDS_H

#include <time.h>

#include "src/base/vec.h"
#include "src/record/recorder.h"
#include "src/record/shard_folder.h"

/* A binary that had samples. */
struct recorded_binary {
	char *path;
	struct build_id digest, build_id;
	bool bolted, plain;
	uint64_t samples, branches; /* that were handed over */
	uint64_t shards;            /* files that were written */
	char *file;                 /* the last of them, or NULL */
};
DEFINE_VEC(recorded_binary_vec, struct recorded_binary);

/* So many are remembered, for the summary.  For a recording that continues for months, those with
 * fewest samples are forgotten, except for how many samples they had. */
#define RECORDED_BINARIES_MOST 4096

struct record_shards {
	struct shard_folder folder; /* where there are several binaries; no path: */
	const char *binary;         /* the one binary */
	const char *file; /* of the one binary: its shard; NULL: its counts are kept, for a profile
			   */
	bool keeps;       /* they are kept of a shard, too */
	struct recorded_counts *counts; /* that are kept; NULL: there are none (yet) */
	uint64_t least;                 /* samples of a shard */
	uint64_t deadline; /* ns of CLOCK_MONOTONIC: nothing is written later; 0: there is none */
	void *ctx;
	void (*writes)(void *ctx, bool begins); /* before and after a file is written; or NULL */

	struct build_id digest; /* of `binary` */
	time_t since;           /* what is written next was counted from then on */
	bool failing;           /* the last hand-over did */
	struct recorded_binary_vec binaries;
	uint64_t written;                   /* shards, also of those that are forgotten */
	uint64_t forgotten_samples;         /* of binaries that are not remembered */
	uint64_t few_samples, few_binaries; /* at the end, that were too few for a shard */
	uint64_t other_samples;             /* of other layouts of the one binary */
};

/* output: a directory if `binary` is NULL, else a file.  Makes the directory, and removes what an
 * earlier run that was killed left half written there.  BC_IO; of `binary` what binary_map() says
 */
BC_MUST_USE bool record_shards_open(struct record_shards *out, const char *output,
				    const char *binary, uint64_t least, struct record_keep keep,
				    struct bc_error *err);

/* Removes the directory, if it was made and nothing was written there. */
void record_shards_close(struct record_shards *shards);

/* That of what is handed over, a new one if it has none.  NULL: out of memory. */
struct recorded_binary *record_shards_binary(struct record_shards *shards,
					     const struct recorded *recorded);

/* At the end: that with most samples first. */
void record_shards_sort(struct record_shards *shards);

/* Has the recorder hand over what was counted.  last: also what was too little so far is done with.
 * BC_IO: something could not be written, and stays counted; and what recorder_flush() says */
BC_MUST_USE bool record_shards_write(struct record_shards *shards, struct recorder *recorder,
				     bool last, struct bc_error *err);

#endif
