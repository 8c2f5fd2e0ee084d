/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shards: a profile as one zstd frame between two frames that zstd skips.  The first says
 * what it is, the last what must be in it; `zstd -dc` gives the text.
 *
 *   5b 2a 4d 18, u32 256, 256 bytes: "batconv-shard 2\nkind KIND\nmode MODE\nidentity HEX\nscaled
 *   0\n", then blanks a zstd frame
 *   5b 2a 4d 18, u32 256, 256 bytes: "batconv-shard-end 2\nrecords N\ncounts N\nmispredictions
 *   N\n", then blanks, and as the last 23 of them "crc64 HEX\n"
 *
 * MODE is branches, basic or open; HEX is "-" where there is none.  crc64, as of xz, is of all
 * bytes before its line, so that every cut and every changed byte is noticed: base/shard_frames.h.
 * Version 1 has a checksum of the text alone, that of the zstd frame, and is read, too.
 */
#ifndef PROFILE_SHARD_H
#define PROFILE_SHARD_H

#include <stdio.h>

#include "src/base/file.h"
#include "src/profile/item.h"

struct shard {
	enum profile_kind kind;
	enum profile_mode mode;
	struct build_id id; /* preagg: code_digest(); else the build-id of BOLT's input */
	bool scaled;

	uint64_t records;
	exact_sum sums[2];

	uint64_t checksum; /* while it is written: of what was written */
};

/* A stream whose text becomes the frame in the middle; the frame before it is written to `to`.  Its
 * errors are ferror()'s to report; fclose() ends the frame, and then shard_end() writes the last
 * one. NULL: out of memory */
FILE *shard_begin(struct shard *shard, FILE *to);
void shard_end(struct shard *shard, FILE *to);

/* For a file that nothing was read of yet, its first and last bytes.  *is: it is a shard, and *out
 * what it says. BC_FORMAT: it is cut or damaged, or says nothing sensible; BC_UNSUPPORTED: it is of
 * a later version; BC_IO. The checksum is looked at when all was read. */
BC_MUST_USE bool shard_look(const struct file_stream *stream, bool *is, struct shard *out,
			    struct bc_error *err);

#endif
