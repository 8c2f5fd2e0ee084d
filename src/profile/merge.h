/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Profiles of one kind become one: exact sums, in an order that depends on the text alone, in
 * constant memory.  What comes out does not depend on the order of the inputs, on the memory, or on
 * how many are read side by side; merging what was merged gives what merging all gives.
 */
#ifndef PROFILE_MERGE_H
#define PROFILE_MERGE_H

#include <stdio.h>

#include "src/base/output.h"
#include "src/base/parallel.h"
#include "src/base/vec.h"
#include "src/profile/input.h"

/* Is shown each item that is written. */
struct merge_observer {
	bool (*take)(void *ctx, enum profile_kind kind,
		     const struct profile_item *item); /* false: out of memory; or NULL */
	void *ctx;
};

struct merge_options {
	unsigned threads; /* at most so many, up to PARALLEL_MOST; 0: one per processor, if they
			     have memory enough */
	size_t memory;    /* bytes of items that are sorted at a time, by all threads */
	size_t fan_in;    /* sources that are read side by side; at least 2 */
	const char *tmpdir;
	bool saturate;       /* sums that do not fit are 2^64 - 1 */
	bool shard;          /* the output is one */
	uint64_t yaml_for;   /* of YAML: the release of llvm-bolt that is to read it; 0: the first
				that can */
	bool require_shards; /* an input that is none is a bad one */
	bool scaled;         /* each input adds up to scale_to */
	uint64_t scale_to;
	bool skip_bad; /* bad inputs are left out */
	bool limited;  /* to at most max_bad of them, or so many percent */
	bool percent;
	uint64_t max_bad;
	struct build_id expect, expect_code; /* inputs of another identity, and of those of
						pre-aggregated records, are bad */
	struct input_progress progress;
	struct merge_observer observer;
};

struct merge_report {
	size_t inputs, bad, empty, unchecked, without_identity;
	uint64_t records_in, records_out, runs, scaled_to_zero, saturated;
	uint64_t
		differing; /* unknown keys of YAML of another value than the one that was written */
	exact_sum in[2], out[2]; /* of what is counted, weighted */
};

struct merge {
	struct merge_options options;
	struct merge_input
		*inputs; /* those given; with each profile of a file of several: `apart` */
	size_t count;
	struct merge_input *given, *apart; /* apart: owned, or NULL */
	bool several; /* some file has several profiles: one for each build is written */
	struct merge_worker workers[PARALLEL_MOST];
	unsigned threads;        /* how many of them there are */
	struct yaml_names names; /* of all inputs */
	bool trusting; /* the workers' sorters have what small inputs have: merge_trust() */
	struct merge_report report;
};

/* inputs: path and weight set; borrowed, as the strings in `options` are. */
void merge_init(struct merge *merge, const struct merge_options *options,
		struct merge_input *inputs, size_t count);
void merge_free(struct merge *merge);

/* Look at all inputs: `why` shows which are bad.  False: nothing that an input can help; err. */
BC_MUST_USE bool merge_look(struct merge *merge, struct bc_error *err);

/* May what is good be merged?  together: as one, else each identity by itself.
 * BC_FORMAT    inputs are bad, which is for the caller to report (the text is empty); BC_MISMATCH:
 *              all of these are of another build
 * BC_MISMATCH  more of them are than may be, none is left, or two good ones do not fit */
BC_MUST_USE bool merge_check(struct merge *merge, bool together, struct bc_error *err);

/* The identity of an input: of fdata and YAML the build-id of BOLT's input binary, its last bit
 * cleared; of pre-aggregated records the digest of the optimized code; none has size 0. */
struct build_id merge_identity(const struct merge_input *input);

/* The identities of the good inputs, each once, in order.  false: out of memory */
DEFINE_VEC(build_id_vec, struct build_id);
BC_MUST_USE bool merge_identities(const struct merge *merge, struct build_id_vec *ids);

/* Merge the good inputs, or those of one identity, or of several one after the other, into `file`,
 * whose errors are for the caller. *kind: of what was written.
 * BC_MISMATCH: two inputs do not fit.  BC_FORMAT: a sum does not fit, or an input was changed
 * meanwhile. BC_IO, BC_NOMEM */
BC_MUST_USE bool merge_write(struct merge *merge, const struct build_id *only, FILE *file,
			     enum profile_kind *kind, struct bc_error *err);

/*
 * Inputs read once.  A first look at all of an input (merge_look()) shows whether it can be used,
 * and then it is read again.  Nearly always it can: so what is written aside anyway is first merged
 * without that look, and only if it fails, for whatever reason, all is forgotten and begun again
 * with it.  What comes out is the same.
 */

/* Instead of merge_look(): take large inputs for granted except for their beginnings, and read
 * small ones.  False: some input cannot be trusted, or was found to be wrong; err says nothing of
 * use. */
BC_MUST_USE bool merge_trust(struct merge *merge, struct bc_error *err);

/* After merge_write(): count what is known of inputs only now. */
void merge_trusted(struct merge *merge);

/* Whatever was found of inputs and written aside is forgotten: as after merge_init(). */
void merge_forget(struct merge *merge);

/* It failed, with this error.  Where memory was too little for several threads, and all inputs are
 * files that can be read again, all is forgotten, and one thread can try: true. */
bool merge_forget_threads(struct merge *merge, const struct bc_error *err);

/* ---- for programs: where the profile goes, and what they merge with ---- */

#define MERGE_MEMORY ((size_t)64 << 20)
#define MERGE_FAN_IN ((size_t)256)

/* Returns the directory in which temporary files are made unless the user names one: the directory
 * of the output, where there must be room anyway. directory: the output is a directory.  For
 * free(); NULL: out of memory */
char *merge_tmpdir(const char *output, bool folder);

/* Runs merge_write() into an output.  An output that is written directly, such as a pipe, gets no
 * byte before everything is merged. */
BC_MUST_USE bool merge_write_whole(struct merge *merge, const struct build_id *only,
				   struct output *to, enum profile_kind *kind,
				   struct bc_error *err);

/* The kind of the good inputs, which is one. */
enum profile_kind merge_kind_of(const struct merge *merge);

/* ---- between merge.c and merge_write.c ---- */

/* Call each() for all numbers below `count`, in any order, on several threads.  False: for one it
 * was false, with this error; others may have been left out. */
typedef bool merge_each_fn(void *ctx, size_t number, struct merge_worker *worker,
			   struct bc_error *err);
BC_MUST_USE bool merge_each(struct merge *merge, size_t count, merge_each_fn *each, void *ctx,
			    struct bc_error *err);

/* An empty sorter of a worker, which has its part of the memory. */
struct sorter merge_sorter(const struct merge *merge, struct merge_worker *worker);

/* What a shard of the good inputs, or of those of one identity, says of itself before its records.
 */
struct shard merge_shard(const struct merge *merge, const struct build_id *only);

/* An item of `input` as it counts, times its weight or scaled, which is added to the worker's sums.
 * BC_FORMAT: a count times its weight does not fit */
BC_MUST_USE bool weighed_item(const struct merge *merge, const struct merge_input *input,
			      struct merge_worker *worker, struct profile_item *item,
			      struct bc_error *err);

#endif
