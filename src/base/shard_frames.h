/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The first and the last frame of a shard, which zstd skips; what is in them is reported in
 * src/profile/shard.h.  Each has a title with the version, and makes a file a shard without the
 * other one: so a damaged shard is not taken for a file that has no checksum.
 *
 * The last line of a shard is a checksum of all bytes before it, from version 2 on.  Whoever reads
 * a stream to its end checks it, whatever the stream is read for.
 */
#ifndef BASE_SHARD_FRAMES_H
#define BASE_SHARD_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/build_id.h"
#include "src/base/error.h"
#include "src/base/text.h"

#define SHARD_TEXT          ((size_t)256)
#define SHARD_FRAME         (8 + SHARD_TEXT)
#define SHARD_CHECKSUM      "crc64 "
#define SHARD_CHECKSUM_LINE ((size_t)(6 + 16 + 1))
#define SHARD_VERSION       2 /* that is written */

enum shard_frame { SHARD_HEAD, SHARD_TAIL };

/* ---- writing ---- */

/* A frame with a title, lines of text, and blanks. */
void shard_frame_make(enum shard_frame which, const char *lines, uint8_t out[SHARD_FRAME]);

/* The checksum of what comes after `checksum`, 0 at first. */
uint64_t shard_checksum(uint64_t checksum, const void *data, size_t size);

/* Put the checksum into the last frame.  before: the checksum of all bytes before the frame. */
void shard_frame_close(uint64_t before, uint8_t frame[SHARD_FRAME]);

/* ---- reading ---- */

/* The version in the title of a frame, 0: it is none, or SHARD_VERSION + 1 for all later ones. */
unsigned shard_frame_version(enum shard_frame which, const uint8_t frame[SHARD_FRAME]);

/* Do both belong to one shard?  They are none, if both versions are 0.  BC_FORMAT: one of them is
 * missing or damaged; BC_UNSUPPORTED: a later version.  The text lacks the name of the file. */
BC_MUST_USE bool shard_frames_fit(unsigned head, unsigned tail, struct bc_error *err);

/* The lines after the title of a frame of this version.  False: what is before or after them is
 * not as it is written. */
BC_MUST_USE bool shard_frame_lines(enum shard_frame which, const uint8_t frame[SHARD_FRAME],
				   struct text *lines);

/* The value after a key at the front of the next line. */
BC_MUST_USE bool shard_frame_value(struct text *rest, const char *key, struct text *value);

/* The same of "identity HEX"; size 0: "-", there is none. */
BC_MUST_USE bool shard_frame_identity(struct text *rest, struct build_id *out);

/* A file that may be a shard, on its way from front to back.  Zero at first. */
struct shard_check {
	bool begun;               /* more than a head was taken */
	unsigned head;            /* its version */
	struct build_id identity; /* that the head shows, once it was taken; size 0: none */
	uint64_t before;          /* checksum of all bytes that are not in `last` */
	size_t held;
	uint8_t last[SHARD_FRAME];
};

void shard_check_take(struct shard_check *check, const uint8_t *data, size_t size);

/* At the end: is it no shard, or one that is as it was written?  Errors as of shard_frames_fit(),
 * and BC_FORMAT: the checksum is another. */
BC_MUST_USE bool shard_check_end(const struct shard_check *check, struct bc_error *err);

#endif
