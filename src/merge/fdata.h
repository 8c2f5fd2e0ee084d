/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * fdata, a line a record: docs/conversion.md, "fdata".  Keys are in this order: lines of branches and of
 * plain samples before those of memory; by the name of the function that a line is listed under; its
 * own records before those from outside; then by both places: kind, name, offset.
 *
 *   a byte: 1 of memory, else 0; the name that it is listed under, which is not named again; a byte: LISTED_...;
 *   of each place the digit of its kind, its name, its offset.  Names are without the backslashes that escape a blank or
 *   a backslash.  A name in which another byte follows a backslash, which no program of BOLT writes, is as the line has
 *   it, and its kind has FDATA_AS_IT_STANDS added.
 *   sum[0] count   sum[1] mispredictions
 */
#ifndef MERGE_FDATA_H
#define MERGE_FDATA_H

#include "src/base/emit.h"
#include "src/merge/head.h"
#include "src/merge/key.h"

#define FDATA_AS_IT_STANDS 0x80
#define FDATA_DIGIT 0x7f /* the rest of a kind */
enum { LISTED_OWN, LISTED_ENTRY }; /* under the name of the first place, or of the second */

/* ---- reading: fdata_read.c ---- */

/* Can text that begins so be fdata? */
bool fdata_fits(struct text start);

/* A line of a head: what it says is put into *head, and *is_head is set.  false: out of memory */
BC_MUST_USE bool fdata_head(struct text line, struct merge_head *head, bool *is_head);

/* Any other line, without a zero byte; behind it stand its newline and TEXT_INPUT_BEHIND bytes that can be read
 * (text_input.h).  false: *why it is none, or `key` is out of memory. */
BC_MUST_USE bool fdata_parse(struct text line, enum merge_mode mode, struct key *key, struct merge_item *item,
			     const char **why);

/* The same for nearly all lines of branches, faster: *line is moved behind the newline.  false: only fdata_parse() can tell */
BC_MUST_USE bool fdata_take(const char **line, struct key *key, struct merge_item *item);

/* ---- writing: fdata_write.c ---- */

/* false: out of memory */
BC_MUST_USE bool fdata_write_head(const struct merge_head *head, struct emit *out);

void fdata_write_item(const struct merge_item *item, struct emit *out);

#endif
