/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * fdata, BOLT's text profile, a line a record: docs/conversion.md, "fdata".  A line is read into a
 * struct and written from it; items (item.h) are made of it, and it of items.
 */
#ifndef PROFILE_FDATA_H
#define PROFILE_FDATA_H

#include <stdio.h>

#include "src/base/emit.h"
#include "src/profile/item.h"
#include "src/profile/profile.h"

struct fdata_place {
	uint8_t kind; /* the digit */
	/* A name in which a backslash is before something else than a blank or a backslash,
	 * which no program of BOLT writes, is as the line has it. */
	bool as_it_stands;
	struct text name; /* else without the backslashes that escape */
	uint64_t offset;
};

struct fdata_line {
	struct fdata_place from, to;
	bool sampled; /* a basic sample: it has no `to` */
	uint64_t mispredicted, count;
};

/* Is the line one of accesses to memory? */
bool fdata_is_memory(const struct fdata_line *line);

/* A line that is none of the head, without a zero byte; after it are its newline and
 * TEXT_AFTER bytes that can be read.  Names are where the line is, or in
 * `names`, until the next line.  *line is moved after the newline. false: *why it is none, or
 * `names` is out of memory. */
BC_MUST_USE bool fdata_read(const char **line, enum profile_mode mode, struct key *names,
			    struct fdata_line *out, const char **why);

/* The lines of an input, one after the other.  All but `in` is zeroed before. */
struct fdata_input {
	struct text_input *in;    /* borrowed */
	struct profile_head head; /* what stood before the lines that were read */
	struct key names;
	bool records; /* the head is at its end */
};

/* The next line that is none of the head, valid until the next call.  False at the end, with BC_OK
 * in `err`, and on errors: BC_FORMAT with the line; BC_NOMEM; those of text_input_line(). */
BC_MUST_USE bool fdata_input_next(struct fdata_input *input, struct fdata_line *out,
				  struct bc_error *err);
void fdata_input_free(struct fdata_input *input);

void fdata_write(const struct fdata_line *line, struct emit *out);

/* llvm-bolt looks for no_lbr first.  events: of basic samples.  A newline in one is replaced, so
 * that the line stays one. */
void fdata_write_head(bool plain, bool bolted, const struct text *events, size_t event_count,
		      struct emit *out);

/* The item of a line, whose names fdata_read() found; `key` holds its key.  false: out of memory
 *
 * Keys are in this order: lines of branches and of basic samples before those of memory; by the
 * name of the function that a line is listed under; its own records before those from outside; then
 * by both locations: kind, name, offset. */
BC_MUST_USE bool fdata_item(const struct fdata_line *line, struct key *key,
			    struct profile_item *out);

/* The line of an item; its names are where the key is. */
struct fdata_line fdata_of_item(const struct profile_item *item);

/* ---- profiles that were converted ---- */

struct fdata_header {
	const char *const *events; /* of basic samples, sorted */
	size_t event_count;
};

/* Errors of the file are the caller's to check, with ferror().  BC_NOMEM. */
BC_MUST_USE bool fdata_write_profile(const struct profile *profile,
				     const struct fdata_header *header, unsigned threads, FILE *out,
				     struct bc_error *err);

/* Only the names of its functions, as many entries of one each: for a llvm-bolt that is to process
 * only these.  A function whose name has a newline is left out.  Errors of the file are the
 * caller's to check. */
void fdata_write_names(const struct profile *profile, FILE *out);

#endif
