/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pre-aggregated records: docs/conversion.md, "Pre-aggregated text".  Keys of traces are (from, branch, to),
 * as unsigned numbers, then what stands before their colons; plain samples are ordered by their address.
 *
 *   sum[0] count   sum[1] mispredictions
 */
#ifndef MERGE_PREAGG_H
#define MERGE_PREAGG_H

#include "src/base/emit.h"
#include "src/profile/head.h"
#include "src/profile/item.h"
#include "src/merge/preagg_returns.h"

/* ---- reading: preagg_read.c ---- */

/* Can text that begins so be of this kind? */
bool preagg_can_be(struct text start);

/* A line without a zero byte, behind which its newline stands and TEXT_INPUT_BEHIND bytes can be read (text_input.h).  returns: where those of R records go; or NULL.  *is_record: it has a key; else it is blank, a comment, or the name of an event, which is put into
 * *head, as the mode is.  false: *why it is none, or out of memory (why is NULL). */
BC_MUST_USE bool preagg_take(struct text line, struct profile_head *head, struct preagg_returns *returns,
			     struct key *key, struct profile_item *item, bool *is_record, const char **why);

/* The same for nearly all records of branches, faster: *line is moved behind the newline.  false: only preagg_take() can tell */
BC_MUST_USE bool preagg_take_record(const char **line, const struct preagg_returns *returns, struct key *key,
				    struct profile_item *item);

/* Of whole lines only the returns are wanted.  false: a line with an R is none, or out of memory */
BC_MUST_USE bool preagg_take_returns(struct text lines, struct preagg_returns *returns, struct key *key);

/* ---- writing: preagg_write.c ---- */

/* false: out of memory */
BC_MUST_USE bool preagg_write_head(const struct profile_head *head, struct emit *out);

void preagg_write_item(const struct profile_item *item, enum profile_mode mode, const struct preagg_returns *returns,
		       struct emit *out);

#endif
