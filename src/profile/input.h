/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One input of a merge: what a first look at all of it found, and its items as often as
 * they are wanted.  The first look checks everything, so that an input is used as a whole
 * or not at all.
 */
#ifndef PROFILE_INPUT_H
#define PROFILE_INPUT_H

#include "src/base/file.h"
#include "src/base/strings.h"
#include "src/profile/fdata.h"
#include "src/profile/preagg.h"
#include "src/profile/shard.h"
#include "src/profile/sorter.h"
#include "src/profile/text_input.h"
#include "src/profile/yaml_items.h"

/*
 * What one thread reads inputs with.  Threads share nothing while they run, so they need no locks;
 * what they found is put together afterwards, and does not depend on which thread read which input.
 */
struct merge_worker {
	struct temporary items; /* of YAML inputs; only read once all inputs were looked at */
	struct temporary runs;  /* of what was sorted */
	struct strings names;   /* of the functions of YAML inputs */
	struct sorter sorter;   /* of inputs that are small, or out of order */
	struct input_progress progress;
	bool saturate;

	uint64_t saturated, scaled_to_zero;
	exact_sum in[2]; /* of items that were counted one by one */
};

struct merge_input {
	const char *path; /* borrowed; "-" is stdin */
	uint64_t weight;  /* at least 1 */

	struct merge_input *next; /* after the first look: the next profile of the file; owned.
				     merge_look() makes it an input of its own */
	char *why;                /* it cannot be used; NULL: it can.  Owned */
	char *hint;               /* ... what can be done about it, or NULL.  Owned */
	bool other_build;         /* this is why */
	struct profile_head head;
	bool is_shard;
	struct shard shard; /* what it says of itself, which was held against what is there */
	bool in_order;      /* each key once, and in order */
	bool trusted;       /* ... which was not looked at, nor whether all of it is well formed:
			       merge_trust() */
	bool taken;         /* its records are with those of small inputs: merge_trust() */
	size_t memory;      /* bytes that reading it takes */
	uint64_t records;
	exact_sum sums[2];
	struct preagg_returns returns; /* taken by whoever needs those of all */
	bool spooled;
	struct temporary spool; /* what cannot be read twice, as it was read */
	struct run run;         /* YAML: its items, callees by number, */
	struct fid_vec fids;    /* ... and which function each number is: by the names of `worker`,
				   then by those of all */
	unsigned worker;        /* number of the one that looked at it */
};

void merge_input_free(struct merge_input *input);

/* Read all of it, and fill in the rest of *input.  False: it cannot be used, which `why` says, or
 * something else went wrong, which `err` says (else its code is BC_OK). */
BC_MUST_USE bool merge_input_look(struct merge_input *input, struct merge_worker *worker,
				  struct bc_error *err);

/* A source of its items: in order, if it is.  names: of all inputs.  NULL: BC_IO; BC_FORMAT: it is
 * not what it was; BC_NOMEM */
struct source *merge_input_open(struct merge_input *input, struct merge_worker *worker,
				const struct yaml_names *names, struct bc_error *err);

/* An input that was opened: what it is, and its lines as items (fdata, pre-aggregated records). */
struct line_reader {
	struct source source; /* BC_FORMAT: a line is none, or the file is not what `expected` or
				 `trusted` say */
	struct file_stream stream;
	struct profile_start start;
	struct text_input in;
	struct fdata_input fdata; /* its head is that of pre-aggregated records, too */
	struct preagg_returns returns, *wanted; /* wanted: it, or NULL */
	struct key keys[2];                     /* in turn, so that the one before is there still */
	unsigned turn;
	const struct merge_input *expected; /* what the first look found; or NULL */
	struct merge_input *trusted; /* what is taken for granted until the end, which fills in the
					rest; or NULL */
	uint64_t count;
	exact_sum sums[2];
};

/* Open an input and find out what it is.  What can be read only once is copied first.  BC_IO,
 * BC_NOMEM; BC_FORMAT: it is no profile; BC_UNSUPPORTED: a shard of a later version.  To be closed
 * as a source is; NULL: failed */
struct line_reader *line_reader_open(struct merge_input *input, struct merge_worker *worker,
				     struct bc_error *err);

/* All lines were read: their number and sums go to the input.  BC_FORMAT: they are not what the
 * shard says */
BC_MUST_USE bool line_reader_end(struct line_reader *reader, struct merge_input *input,
				 struct bc_error *err);

/* The reader is at its end, or at the end of what is wanted: its head and what it says as a shard
 * go to the input. */
void line_reader_give(struct line_reader *reader, struct merge_input *input);

#endif
