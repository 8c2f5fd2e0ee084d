/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The directory that shards are written to, also by other hosts, by earlier runs and by other
 * recorders: what is there of this host, and which of it is deleted.  Nobody else's file is.
 *
 * The account is kept by adding what is written: the directory is read for it when it is opened,
 * when the oldest shards that were found then are all deleted, and when one of them was gone.
 */
#ifndef RECORD_SHARD_FOLDER_H
#define RECORD_SHARD_FOLDER_H

#include <sys/stat.h>

#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/record/shard_name.h"

/* What is left of the shards of this host in the directory; both 0: all. */
struct record_keep {
	uint64_t files,
		bytes; /* bytes: that they take on the disk, or their length if that is more */
};

struct old_shard {
	struct timespec time;
	uint64_t bytes;
	char *name;
};
DEFINE_VEC(old_shard_vec, struct old_shard);

struct shard_folder {
	const char *path; /* borrowed */
	char host[SHARD_HOST_SIZE];
	struct record_keep keep;
	bool made;                   /* it was not there */
	uint64_t files, bytes;       /* of this host, if `keep` says how many may be left */
	struct old_shard_vec oldest; /* some of these, the oldest last */
	uint64_t written_bytes;      /* by this run */
	uint64_t deleted;            /* shards, for `keep` */
};

/* Makes the directory, and removes what an earlier run that was killed left half written there.
 * BC_IO, BC_NOMEM */
BC_MUST_USE bool shard_folder_open(const char *path, struct record_keep keep,
				   struct shard_folder *out, struct bc_error *err);

/* Removes the directory, if it was made and nothing was written there. */
void shard_folder_close(struct shard_folder *folder);

/* This shard was written there. */
void shard_folder_add(struct shard_folder *folder, const char *path);

/* Deletes the oldest shards, down to what `keep` says. */
void shard_folder_keep(struct shard_folder *folder);

#endif
