/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* fopencookie() */
#include "src/profile/shard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "src/base/output.h"
#include "src/base/shard_frames.h"

#define LEVEL 3
#define WINDOW_LOG                                                                                 \
	17 /* what a reader holds of each shard that it reads at the same time: 128 KiB, at little \
	      cost in size */

static const char *const modes[] = {
	[MODE_OPEN] = "open", [MODE_BRANCHES] = "branches", [MODE_PLAIN] = "basic"};

/* ---- writing ---- */

static void write_counted(struct shard *shard, const void *data, size_t size, FILE *to)
{
	fwrite(data, 1, size, to);
	shard->checksum = shard_checksum(shard->checksum, data, size);
}

struct packer {
	ZSTD_CCtx *zstd;
	struct shard *shard;
	FILE *to;
};

static bool pack(struct packer *p, const char *data, size_t size, ZSTD_EndDirective how)
{
	char buffer[16384] = {0};
	ZSTD_inBuffer in = {data, size, 0};

	for (;;) {
		ZSTD_outBuffer out = {buffer, sizeof(buffer), 0};
		size_t left = ZSTD_compressStream2(p->zstd, &out, &in, how);
		if (ZSTD_isError(left))
			return false;
		write_counted(p->shard, buffer, out.pos, p->to);
		if (ferror(p->to))
			return false;
		if (how == ZSTD_e_end ? !left : in.pos == in.size)
			return true;
	}
}

static ssize_t packer_write(void *cookie, const char *data, size_t size)
{
	return pack(cookie, data, size, ZSTD_e_continue) ? (ssize_t)size : COOKIE_FAILED(0);
}

static int packer_close(void *cookie)
{
	struct packer *p = cookie;
	bool ok = pack(p, NULL, 0, ZSTD_e_end);

	ZSTD_freeCCtx(p->zstd);
	free(p);
	return ok ? 0 : EOF;
}

FILE *shard_begin(struct shard *shard, FILE *to)
{
	char lines[SHARD_TEXT], id[2 * BUILD_ID_MAX + 1];
	uint8_t frame[SHARD_FRAME];
	struct packer *p = calloc(1, sizeof(*p));
	FILE *stream = NULL;

	if (p && (p->zstd = ZSTD_createCCtx())) {
		p->shard = shard;
		p->to = to;
		ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_windowLog, WINDOW_LOG);
		stream = fopencookie(
			p, "w",
			(cookie_io_functions_t){.write = packer_write, .close = packer_close});
	}
	if (!stream) {
		if (p)
			ZSTD_freeCCtx(p->zstd);
		free(p);
		return NULL;
	}
	build_id_format(&shard->id, id);
	snprintf(lines, sizeof(lines), "kind %s\nmode %s\nidentity %s\nscaled %d\n",
		 profile_kind_name(shard->kind), modes[shard->mode], *id ? id : "-", shard->scaled);
	shard_frame_make(SHARD_HEAD, lines, frame);
	shard->checksum = 0;
	write_counted(shard, frame, sizeof(frame), to);
	return stream;
}

static const char *decimal(exact_sum sum, char out[48])
{
	char *at = out + 47;

	*at = '\0';
	do
		*--at = (char)('0' + (int)(sum % 10));
	while (sum /= 10);
	return at;
}

void shard_end(struct shard *shard, FILE *to)
{
	char lines[SHARD_TEXT], first[48], second[48];
	uint8_t frame[SHARD_FRAME];

	snprintf(lines, sizeof(lines), "records %" PRIu64 "\ncounts %s\nmispredictions %s\n",
		 shard->records, decimal(shard->sums[0], first), decimal(shard->sums[1], second));
	shard_frame_make(SHARD_TAIL, lines, frame);
	shard_frame_close(shard->checksum, frame);
	fwrite(frame, 1, sizeof(frame), to);
}

/* ---- reading ---- */

static bool read_at(const struct file_stream *stream, uint64_t at, uint8_t frame[SHARD_FRAME],
		    struct bc_error *err)
{
	if (stream->memory) {
		memcpy(frame, stream->memory + at, SHARD_FRAME);
		return true;
	}
	for (size_t done = 0; done < SHARD_FRAME;) {
		ssize_t got =
			pread(stream->fd, frame + done, SHARD_FRAME - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bc_fail_errno(err, "%s: cannot read", stream->name);
		if (!got)
			memset(frame + done, 0, SHARD_FRAME - done);
		done = got ? done + (size_t)got : SHARD_FRAME;
	}
	return true;
}

static bool take_sum(struct text *rest, const char *key, exact_sum *out)
{
	struct text digits;

	*out = 0;
	if (!shard_frame_value(rest, key, &digits) || !digits.len || digits.len > 38)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		if (digits.at[i] < '0' || digits.at[i] > '9')
			return false;
		*out = *out * 10 + (exact_sum)(unsigned)(digits.at[i] - '0');
	}
	return true;
}

static bool parse_head(struct text rest, struct shard *out)
{
	struct text kind, mode, scaled;
	bool kind_known = false, mode_known = false;

	if (!shard_frame_value(&rest, "kind ", &kind) ||
	    !shard_frame_value(&rest, "mode ", &mode) || !shard_frame_identity(&rest, &out->id) ||
	    !shard_frame_value(&rest, "scaled ", &scaled))
		return false;
	for (int i = KIND_NOTHING; i <= KIND_PREAGG; i++)
		if (text_is(kind, profile_kind_name((enum profile_kind)i))) {
			out->kind = (enum profile_kind)i;
			kind_known = true;
		}
	for (int i = MODE_OPEN; i <= MODE_PLAIN; i++)
		if (text_is(mode, modes[i])) {
			out->mode = (enum profile_mode)i;
			mode_known = true;
		}
	out->scaled = text_is(scaled, "1");
	return kind_known && mode_known && (out->scaled || text_is(scaled, "0")) && !rest.len;
}

static bool parse_tail(struct text rest, struct shard *out)
{
	exact_sum records;

	if (!take_sum(&rest, "records ", &records) || !take_sum(&rest, "counts ", &out->sums[0]) ||
	    !take_sum(&rest, "mispredictions ", &out->sums[1]) || rest.len || records > UINT64_MAX)
		return false;
	out->records = (uint64_t)records;
	return true;
}

static bool parse_frames(const struct file_stream *stream, const uint8_t head[SHARD_FRAME],
			 const uint8_t tail[SHARD_FRAME], struct shard *out, struct bc_error *err)
{
	struct text lines;

	if (!shard_frame_lines(SHARD_HEAD, head, &lines) || !parse_head(lines, out))
		return bc_fail(err, BC_FORMAT,
			       "%s: byte 8: the head of the shard has unknown fields",
			       stream->name);
	if (!shard_frame_lines(SHARD_TAIL, tail, &lines) || !parse_tail(lines, out))
		return bc_fail(err, BC_FORMAT,
			       "%s: byte %" PRIu64
			       ": the end of the shard has unknown fields: it was damaged",
			       stream->name, stream->size - SHARD_TEXT);
	return true;
}

bool shard_look(const struct file_stream *stream, bool *is, struct shard *out, struct bc_error *err)
{
	uint8_t head[SHARD_FRAME], tail[SHARD_FRAME];

	*out = (struct shard){.kind = KIND_NOTHING};
	*is = false;
	if (stream->size < SHARD_FRAME)
		return true;
	if (!read_at(stream, 0, head, err) ||
	    !read_at(stream, stream->size - SHARD_FRAME, tail, err))
		return false;
	unsigned begin = shard_frame_version(SHARD_HEAD, head),
		 end = shard_frame_version(SHARD_TAIL, tail);
	*is = begin || end;
	if (!shard_frames_fit(begin, end, err))
		return bc_fail_prefix(err, stream->name);
	return !*is || parse_frames(stream, head, tail, out, err);
}
