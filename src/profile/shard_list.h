/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The shards of a directory, such as `batconv record -o DIR/` writes: which code each is of.  Files
 * of the directory that are no shards are counted, and not those in directories below it. */
#ifndef PROFILE_SHARD_LIST_H
#define PROFILE_SHARD_LIST_H

#include "src/base/build_id.h"
#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/profile/item.h"

struct listed_shard {
	char *path;
	enum profile_kind kind;
	struct build_id id; /* as of struct shard */
};
DEFINE_VEC(listed_shard_vec, struct listed_shard);

struct shard_list {
	struct listed_shard_vec all; /* of a directory, by path */
	size_t others;               /* files that are no shards */
	size_t unreadable;           /* that cannot be read, or are damaged or cut */
};

/* A directory, and no recording? */
bool shard_list_is_folder(const char *path);

/* Adds those of a directory.  BC_IO: it cannot be read; BC_NOMEM */
BC_MUST_USE bool shard_list_add(struct shard_list *list, const char *folder, struct bc_error *err);

/* Are all of one binary? */
bool shard_list_is_one(const struct shard_list *list);

/* Those of one binary next to each other, in the order of their ids. */
void shard_list_sort(struct shard_list *list);

/* How many of a sorted list have the id of number `first`, from there on. */
size_t shard_list_same(const struct shard_list *list, size_t first);

void shard_list_free(struct shard_list *list);

#endif
