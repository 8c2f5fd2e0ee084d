/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One input of a merge: what a first look at all of it found, and its items as often as
 * they are wanted.  The first look checks everything, so that an input is used as a whole
 * or not at all.
 */
#ifndef MERGE_INPUT_H
#define MERGE_INPUT_H

#include "src/base/file.h"
#include "src/profile/preagg.h"
#include "src/profile/shard.h"
#include "src/merge/worker.h"
#include "src/merge/yaml_names.h"

struct merge_input {
	const char *path; /* borrowed; "-" is stdin */
	uint64_t weight;  /* at least 1 */

	struct merge_input *next; /* after the first look: the next profile of the file; owned.  merge_look() makes it an input of its own */
	char *why; /* it cannot be used; NULL: it can.  Owned */
	struct profile_head head;
	bool is_shard;
	struct shard shard; /* what it says of itself, which was held against what is there */
	bool in_order;    /* each key once, and in order */
	bool trusted;     /* ... which was not looked at, nor whether all of it is well formed: trust.h */
	bool taken;       /* its records are with those of small inputs: trust.h */
	size_t memory;    /* bytes that reading it takes */
	uint64_t records;
	exact_sum sums[2];
	struct preagg_returns returns; /* taken by whoever needs those of all */
	bool spooled;
	struct temporary spool; /* what cannot be read twice, as it was read */
	struct run run;         /* YAML: its items, callees by number, */
	struct fid_vec fids;    /* ... and which function each number is: by the names of `worker`, then by those of all */
	unsigned worker;        /* number of the one that looked at it */
};

void merge_input_free(struct merge_input *input);
void merge_input_drop_next(struct merge_input *input);

/* Read all of it, and fill in the rest of *input.  False: it cannot be used, which `why` says, or something
 * else went wrong, which `err` says (else its code is BC_OK). */
BC_MUST_USE bool merge_input_look(struct merge_input *input, struct merge_worker *worker, struct bc_error *err);

/* A source of its items: in order, if it is.  names: of all inputs.  NULL: BC_IO; BC_FORMAT: it is not what it
 * was; BC_NOMEM */
struct source *merge_input_open(struct merge_input *input, struct merge_worker *worker, const struct yaml_names *names,
				struct bc_error *err);

#endif
