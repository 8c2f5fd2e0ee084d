/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An input that was opened: what it is, and its lines as items (fdata, pre-aggregated records). */
#ifndef MERGE_LINE_READER_H
#define MERGE_LINE_READER_H

#include "src/merge/input.h"
#include "src/profile/item.h"
#include "src/merge/source.h"
#include "src/profile/text_input.h"

struct line_reader {
	struct source source; /* BC_FORMAT: a line is none, or the file is not what `expected` or `trusted` say */
	struct file_stream stream;
	bool is_shard;
	struct shard shard;
	struct text_input in;
	struct profile_head head;
	struct preagg_returns returns, *wanted; /* wanted: it, or NULL */
	bool records; /* the head is over */
	struct key keys[2]; /* in turn, so that the one before is there still */
	unsigned turn;
	struct key fdata_names; /* of the present line of fdata, without their backslashes */
	const struct merge_input *expected; /* what the first look found; or NULL */
	struct merge_input *trusted;        /* what is taken for granted until the end, which fills in the rest; or NULL */
	uint64_t count;
	exact_sum sums[2];
};

/* Open an input and find out what it is.  What can be read only once is copied first.  BC_IO, BC_NOMEM;
 * BC_FORMAT: it is no profile; BC_UNSUPPORTED: a shard of a later version.  To be closed as a source is; NULL: failed */
struct line_reader *line_reader_open(struct merge_input *input, struct merge_worker *worker, struct bc_error *err);

/* Is there what the shard says? */
BC_MUST_USE bool line_reader_check_shard(const struct line_reader *reader, const struct merge_input *input,
					 struct bc_error *err);

/* The reader is at its end, or at the end of what is wanted: its head and what it says as a shard go to the input. */
void line_reader_give(struct line_reader *reader, struct merge_input *input);

#endif
