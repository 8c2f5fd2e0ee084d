/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Shards: what a reader believes of their two frames, and what it does not.  An input is a file,
 * or, with two form feeds in it, the text of the first frame, that of the last one, and the profile
 * between them, which is compressed here and gets its checksums: few changes of a file pass them.
 * A shard that is taken gives what its profile alone gives, and no cut of it is taken; nor is one
 * of version 2 with a byte that was changed.  For the rest support/merge_text.h says what holds.
 */
#undef NDEBUG
#include <assert.h>
#include <stdlib.h>
#include <zstd.h>

#include "src/base/shard_frames.h"
#include "tests/hostile/fuzz/support/merge_text.h"

#define TEXT  SHARD_TEXT
#define FRAME SHARD_FRAME

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_frame(char *to, struct text text)
{
	memcpy(to, "\x5b\x2a\x4d\x18\x00\x01\x00\x00", 8);
	memset(to + 8, ' ', TEXT);
	if (text.len)
		memcpy(to + 8, text.at, text.len < TEXT ? text.len : TEXT);
}

/* In new memory. */
static struct text make_shard(struct text head, struct text tail, struct text body)
{
	size_t room = ZSTD_compressBound(body.len);
	char *file = malloc(2 * FRAME + room);
	ZSTD_CCtx *zstd = ZSTD_createCCtx();

	assert(file && zstd);
	put_frame(file, head);
	ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
	size_t size = ZSTD_compress2(zstd, file + FRAME, room, body.at, body.len);
	assert(!ZSTD_isError(size));
	ZSTD_freeCCtx(zstd);
	put_frame(file + FRAME + size, tail);
	if (text_starts(tail, "batconv-shard-end 2\n"))
		shard_frame_close(shard_checksum(0, file, FRAME + size),
				  (uint8_t *)file + FRAME + size);
	return (struct text){file, 2 * FRAME + size};
}

/* Which one depends on what is in it alone. */
static void check_change(struct text file)
{
	char *bytes = (char *)(uintptr_t)file.at;
	uint64_t which = shard_checksum(1, file.at, file.len);
	size_t at = which % file.len, size;

	bytes[at] = (char)(bytes[at] ^ (char)(1 + which / file.len % 255));
	assert(!merge_text(file, false, (size_t)1 << 20, &size));
}

/* One with another title is a file that zstd wrote, and its frames say nothing. */
static void check_shard(struct text file, struct text head, struct text body)
{
	size_t size, plain_size, cut_size;
	char *merged = text_starts(head, "batconv-shard ") ?
			       merge_text(file, false, (size_t)1 << 20, &size) :
			       NULL;

	if (!merged)
		return;
	char *plain = merge_text(body, false, (size_t)1 << 20, &plain_size);
	assert(plain && plain_size == size && !memcmp(plain, merged, size));
	/* Which cut depends on what is in it alone. */
	size_t cut = 1 + (body.len * 2654435761u + size) % (file.len - 1);
	assert(!merge_text(text_first(file, cut), false, (size_t)1 << 20, &cut_size));
	if (text_starts(head, "batconv-shard 2\n"))
		check_change(file);
	free(plain);
	free(merged);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct text all = {(const char *)data, size};
	size_t first = text_find(all, '\f');
	struct text rest = text_from(all, first < size ? first + 1 : size);
	size_t second = text_find(rest, '\f');

	if (first == size || second == rest.len) {
		if (size)
			merge_text_check(all);
		return 0;
	}
	struct text body = text_from(rest, second + 1);
	struct text file = make_shard(text_first(all, first), text_first(rest, second), body);
	merge_text_check(file);
	check_shard(file, text_first(all, first), body);
	free((char *)(uintptr_t)file.at);
	return 0;
}
