/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What each user has of what all users of a machine share, so that nobody can take all of it: the
 * table of files, files that are open, processor time for their digests.  A user gets more of three
 * quarters of something as long as it has less than what is free.  One alone can have half of them
 * then, two a third each if they come at once, and who comes later has less.  The fourth quarter is
 * for root and the user who records, who can have all that is free: any number of users leaves them
 * that.
 */
#ifndef RECORD_SHARES_H
#define RECORD_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/record/recorder.h"

/* Users that are distinguished; further ones have one share. */
#define SHARES_MOST 256

/* For a process that has ended, or of a recording of another time. */
#define NO_USER UINT32_MAX

struct user_share {
	uint32_t uid;
	uint32_t files, open; /* in the table, and open */
	uint32_t maps;    /* memory of what its processes have mapped, as far as that was asked */
	uint64_t waited;  /* ns for calls about its files */
	uint64_t looked;  /* ns of processor time for digests of its files; those who wait for them
			     have had that of whoever waited then, at least */
	uint64_t scanned; /* ... and for its processes in /proc in this scan: each has an order of
			     its own, or whoever has no processes would be first for digests */
	bool waits;       /* for digests */
	uint64_t refused; /* mappings for which, or for whose file, there was no room */
	uint64_t unread;  /* processes with more mappings than there was room or time to read */
	/* Samples in its files and processes, except for those in code without a file, and in files
	 * that nobody asked for. */
	uint64_t dropped[RECORDED_DROP_COUNT];
};

struct shares {
	struct user_share
		at[SHARES_MOST]; /* the first one is NO_USER's, and that of further ones */
	size_t count;
};

/* Users that are named in a report. */
#define USERS_MOST 10

/* What was left out of all that a user ran. */
uint64_t share_left_out(const struct user_share *user);

/* Up to `most` users of whom something was left out, the one with most first.  *others: the sums of
 * further ones, and of those that are not known; its uid is NO_USER. */
size_t shares_left_out(const struct shares *shares, const struct user_share **out, size_t most,
		       struct user_share *others);

/* Root, or the user who records. */
bool share_is_trusted(const struct user_share *user);

/* The number of a user's share. */
uint32_t shares_of(struct shares *shares, uint32_t uid);

/* May a user who has `own` of something have more of it, where all have `used` of `most`? */
bool share_allows(const struct user_share *user, uint32_t own, uint32_t used, uint32_t most);
bool shares_allow(bool trusted, uint32_t own, uint32_t used, uint32_t most);

#endif
