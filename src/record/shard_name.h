/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Names of shards in a directory:
 *
 *   NAME.DIGEST.HOST.20261126T073000Z.zst      DIGEST: 12 digits of code_digest(); the time is
 *   NAME.DIGEST.HOST.20261126T073000Z.1.zst    that of the first sample, or before; the second
 *                                              shard of that second, up to 999
 *
 * They are read from their end, so that nothing in NAME, which a program chooses, decides.  HOST
 * has no 12 digits before a dot, so that no host's name ends with a digest and another one's.
 */
#ifndef RECORD_SHARD_NAME_H
#define RECORD_SHARD_NAME_H

#include <time.h>

#include "src/base/build_id.h"
#include "src/base/text.h"

enum {
	SHARD_NAME_SIZE = 256, /* with the terminator */
	SHARD_HOST_SIZE = 65,
	SHARD_NUMBERS = 1000, /* of one second: 0 to 999 */
};

struct shard_name {
	const char *path; /* of the binary; all but its last part is left out */
	struct build_id digest;
	const char *host; /* as shard_host() makes it */
	time_t since;
	unsigned number;
};

/* A host's name as it is in names of shards. */
void shard_host(const char *name, char host[SHARD_HOST_SIZE]);

void shard_name_format(const struct shard_name *name, char out[SHARD_NAME_SIZE]);

/* Is it the name of a shard of this host? */
bool shard_name_is(struct text name, const char *host);

/* ... of the temporary file of such a shard, while it is written: with ".XXXXXX" at its end? */
bool shard_name_is_unfinished(struct text name, const char *host);

#endif
