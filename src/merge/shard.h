/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shards: a profile as one zstd frame with a checksum, between two frames that zstd skips.  The first says
 * what it is, the last what must be in it, so that every cut is noticed; `zstd -dc` gives the text.
 *
 *   5b 2a 4d 18, u32 256, 256 bytes: "batconv-shard 1\nkind KIND\nmode MODE\nidentity HEX\nscaled 0\n", then blanks
 *   a zstd frame
 *   5b 2a 4d 18, u32 256, 256 bytes: "batconv-shard-end 1\nrecords N\ncounts N\nmispredictions N\n", then blanks
 *
 * MODE is branches, plain or open; HEX is "-" where there is none.
 */
#ifndef MERGE_SHARD_H
#define MERGE_SHARD_H

#include <stdio.h>

#include "src/base/file.h"
#include "src/merge/head.h"
#include "src/merge/item.h"

struct shard {
	enum merge_kind kind;
	enum merge_mode mode;
	struct build_id id; /* preagg: code_digest.h; else the build-id of BOLT's input */
	bool scaled;

	uint64_t records;
	merge_sum sums[2];
};

/* A stream whose text becomes the frame in the middle; the frame before it is written to `to`.  Its errors are
 * ferror()'s to tell; fclose() ends the frame, and then shard_end() writes the last one.  NULL: out of memory */
FILE *shard_begin(const struct shard *shard, FILE *to);
void shard_end(const struct shard *shard, FILE *to);

/* Of a file that nothing was read of yet, its first and last bytes.  *is: it is a shard, and *out what it says.
 * BC_FORMAT: it is cut, or says nothing sensible; BC_UNSUPPORTED: it is of a later version; BC_IO */
BC_MUST_USE bool shard_look(const struct file_stream *stream, bool *is, struct shard *out, struct bc_error *err);

#endif
