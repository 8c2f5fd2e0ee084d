/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pre-aggregated records, BOLT's text of counts: docs/conversion.md, "Pre-aggregated text".
 * convert writes what it counted, and merge reads and writes items (item.h), both by the same
 * function.  samples/preagg_read.h reads a line.
 *
 *   T, R, B    a trace, one whose branch is a return, a branch alone
 *   F, f, r    a fall-through alone, by how it was reached
 *   E, S       the name of an event; a basic sample
 */
#ifndef PROFILE_PREAGG_H
#define PROFILE_PREAGG_H

#include <stdio.h>

#include "src/base/counts.h"
#include "src/base/emit.h"
#include "src/base/map.h"
#include "src/count/returns.h"
#include "src/profile/item.h"
#include "src/samples/preagg_read.h"

/* The locations are those that are in a line with this letter.  B always has its mispredictions, as
 * perf2bolt 22 wants; others if there are any. */
void preagg_write(const struct preagg_record *record, struct emit *out);
void preagg_write_event(struct text name, struct emit *out);

/* ---- returns ---- */

/* For so many files returns are distinguished. */
#define PREAGG_RETURNS_FILES ((size_t)64)

/* By what is before the colon. */
struct preagg_returns {
	struct strings files;
	struct number_set *at; /* of files.len, at least 1 */
	size_t room;
};

void preagg_returns_free(struct preagg_returns *returns);

/* false: out of memory */
BC_MUST_USE bool preagg_returns_add(struct preagg_returns *returns, struct text file, uint64_t at);
BC_MUST_USE bool preagg_returns_join(struct preagg_returns *to, const struct preagg_returns *from);

bool preagg_returns_have(const struct preagg_returns *returns, struct text file, uint64_t at);

/* ---- items ---- */

/* A line without a zero byte, after which its newline is and TEXT_AFTER bytes can be
 * read (text_input.h).  returns: where those of R records go; or NULL.  *is_record: it has a key;
 * else it is blank, a comment, or the name of an event, which is put into *head, as the mode is.
 * false: *why it is none, or out of memory (why is NULL). */
BC_MUST_USE bool preagg_take(struct text line, struct profile_head *head,
			     struct preagg_returns *returns, struct key *key,
			     struct profile_item *item, bool *is_record, const char **why);

/* The same for nearly all records of branches, faster: *line is moved after the newline.  false:
 * only preagg_take() can show */
BC_MUST_USE bool preagg_take_record(const char **line, const struct preagg_returns *returns,
				    struct key *key, struct profile_item *item);

/* For whole lines only the returns are wanted.  false: a line with an R is none, or out of memory
 * */
BC_MUST_USE bool preagg_take_returns(struct text lines, struct preagg_returns *returns,
				     struct key *key);

/* The record of an item.  Its texts are where the key is. */
struct preagg_record preagg_of_item(const struct profile_item *item, enum profile_mode mode,
				    const struct preagg_returns *returns);

/* ---- counts of a conversion ---- */

struct preagg_profile {
	const struct count_row *rows; /* sorted, each key once; where there are mispredictions as
					 preagg_counts_take() leaves them, or */
	bool whole;                   /* they are on traces, too, which perf2bolt does not read */
	bool basic;                   /* basic samples: keys are addresses */
	size_t count;
	const struct returns *returns;
	const char *const *events; /* of basic samples */
	size_t event_count;
	const struct build_id
		*file; /* before addresses of a shared library is its build-id, without which
			  perf2bolt 23 takes them for outside; in a program it must not: NULL */
};

/* Lines are sorted: equal samples give equal bytes.  Errors of the file are the caller's to check.
 */
void preagg_write_profile(const struct preagg_profile *profile, FILE *file);

/* The same as a shard (shard.h); digest: of the code that ran.  BC_NOMEM, BC_IO; errors of the file
 * are the caller's. */
BC_MUST_USE bool preagg_write_shard(const struct preagg_profile *profile, struct build_id digest,
				    FILE *file, struct bc_error *err);

#endif
