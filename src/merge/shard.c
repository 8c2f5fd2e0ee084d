/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* fopencookie() */
#include "src/merge/shard.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#define TEXT ((size_t)256)
#define FRAME (8 + TEXT)
#define LEVEL 3
#define WINDOW_LOG 17 /* what a reader holds of each shard that it reads beside others: 128 KiB, at little cost in size */

static const char magic[8] = "\x5b\x2a\x4d\x18\x00\x01\x00\x00"; /* and the size of the text */
#define HEAD "batconv-shard "
#define TAIL "batconv-shard-end "
#define VERSION "1\n"

static const char *const modes[] = {[MODE_OPEN] = "open", [MODE_BRANCHES] = "branches", [MODE_PLAIN] = "plain"};

/* ---- writing ---- */

static void write_frame(const char text[TEXT], FILE *to)
{
	char frame[FRAME];
	size_t length = strlen(text);

	memcpy(frame, magic, sizeof(magic));
	memset(frame + sizeof(magic), ' ', TEXT);
	memcpy(frame + sizeof(magic), text, length);
	fwrite(frame, 1, sizeof(frame), to);
}

struct packer {
	ZSTD_CCtx *zstd;
	FILE *to;
};

static bool pack(struct packer *p, const char *data, size_t size, ZSTD_EndDirective how)
{
	char buffer[16384] = {0};
	ZSTD_inBuffer in = {data, size, 0};

	for (;;) {
		ZSTD_outBuffer out = {buffer, sizeof(buffer), 0};
		size_t left = ZSTD_compressStream2(p->zstd, &out, &in, how);
		if (ZSTD_isError(left) || fwrite(buffer, 1, out.pos, p->to) != out.pos)
			return false;
		if (how == ZSTD_e_end ? !left : in.pos == in.size)
			return true;
	}
}

static ssize_t packer_write(void *cookie, const char *data, size_t size)
{
	return pack(cookie, data, size, ZSTD_e_continue) ? (ssize_t)size : 0;
}

static int packer_close(void *cookie)
{
	struct packer *p = cookie;
	bool ok = pack(p, NULL, 0, ZSTD_e_end);

	ZSTD_freeCCtx(p->zstd);
	free(p);
	return ok ? 0 : EOF;
}

FILE *shard_begin(const struct shard *shard, FILE *to)
{
	char text[TEXT], id[2 * BUILD_ID_MAX + 1];
	struct packer *p = calloc(1, sizeof(*p));
	FILE *stream = NULL;

	if (p && (p->zstd = ZSTD_createCCtx())) {
		p->to = to;
		ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, LEVEL);
		ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_windowLog, WINDOW_LOG);
		ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
		stream = fopencookie(p, "w", (cookie_io_functions_t){.write = packer_write, .close = packer_close});
	}
	if (!stream) {
		if (p)
			ZSTD_freeCCtx(p->zstd);
		free(p);
		return NULL;
	}
	build_id_format(&shard->id, id);
	snprintf(text, sizeof(text), HEAD VERSION "kind %s\nmode %s\nidentity %s\nscaled %d\n", merge_kind_name(shard->kind),
		 modes[shard->mode], *id ? id : "-", shard->scaled);
	write_frame(text, to);
	return stream;
}

static const char *decimal(merge_sum sum, char out[48])
{
	char *at = out + 47;

	*at = '\0';
	do
		*--at = (char)('0' + (int)(sum % 10));
	while (sum /= 10);
	return at;
}

void shard_end(const struct shard *shard, FILE *to)
{
	char text[TEXT], first[48], second[48];

	snprintf(text, sizeof(text), TAIL VERSION "records %" PRIu64 "\ncounts %s\nmispredictions %s\n", shard->records,
		 decimal(shard->sums[0], first), decimal(shard->sums[1], second));
	write_frame(text, to);
}

/* ---- reading ---- */

static bool read_at(const struct file_stream *stream, uint64_t at, char frame[FRAME], struct bc_error *err)
{
	if (stream->memory) {
		memcpy(frame, stream->memory + at, FRAME);
		return true;
	}
	for (size_t done = 0; done < FRAME;) {
		ssize_t got = pread(stream->fd, frame + done, FRAME - done, (off_t)(at + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return bc_fail_errno(err, "%s: cannot read", stream->name);
		if (!got)
			memset(frame + done, 0, FRAME - done);
		done = got ? done + (size_t)got : FRAME;
	}
	return true;
}

/* The value behind a key at the front of a line. */
static bool take_line(struct text *rest, const char *key, struct text *value)
{
	struct text line;

	if (!text_line(rest, &line) || !text_starts(line, key))
		return false;
	*value = text_from(line, strlen(key));
	return true;
}

static bool take_sum(struct text *rest, const char *key, merge_sum *out)
{
	struct text digits;

	*out = 0;
	if (!take_line(rest, key, &digits) || !digits.len || digits.len > 38)
		return false;
	for (size_t i = 0; i < digits.len; i++) {
		if (digits.at[i] < '0' || digits.at[i] > '9')
			return false;
		*out = *out * 10 + (merge_sum)(unsigned)(digits.at[i] - '0');
	}
	return true;
}

static bool parse_head(struct text rest, struct shard *out)
{
	struct text kind, mode, id, scaled;
	bool known = false;

	if (!take_line(&rest, "kind ", &kind) || !take_line(&rest, "mode ", &mode) ||
	    !take_line(&rest, "identity ", &id) || !take_line(&rest, "scaled ", &scaled))
		return false;
	for (int i = MERGE_NOTHING; i <= MERGE_PREAGG; i++)
		if (text_is(kind, merge_kind_name((enum merge_kind)i))) {
			out->kind = (enum merge_kind)i;
			known = true;
		}
	for (int i = MODE_OPEN; i <= MODE_PLAIN; i++)
		if (text_is(mode, modes[i]))
			out->mode = (enum merge_mode)i;
	out->scaled = text_is(scaled, "1");
	return known && (text_is(id, "-") || build_id_parse(id, &out->id));
}

static bool parse_tail(struct text rest, struct shard *out)
{
	merge_sum records;

	if (!take_sum(&rest, "records ", &records) || !take_sum(&rest, "counts ", &out->sums[0]) ||
	    !take_sum(&rest, "mispredictions ", &out->sums[1]) || records > UINT64_MAX)
		return false;
	out->records = (uint64_t)records;
	return true;
}

/* The text of a frame behind its title and version; *version: another one stands there. */
static bool open_frame(const char frame[FRAME], const char *title, struct text *out, bool *version)
{
	struct text text = {frame + sizeof(magic), TEXT};

	*version = false;
	if (memcmp(frame, magic, sizeof(magic)) != 0 || !text_starts(text, title))
		return false;
	text = text_from(text, strlen(title));
	*version = !text_starts(text, VERSION);
	*out = text_from(text, strlen(VERSION));
	return true;
}

static bool fail_cut(const struct file_stream *stream, struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT, "%s: the end of the shard is missing: it was cut", stream->name);
}

bool shard_look(const struct file_stream *stream, bool *is, struct shard *out, struct bc_error *err)
{
	char head[FRAME], tail[FRAME];
	bool other;
	struct text text;

	*out = (struct shard){.kind = MERGE_NOTHING};
	*is = false;
	if (stream->size < FRAME)
		return true;
	if (!read_at(stream, 0, head, err))
		return false;
	*is = open_frame(head, HEAD, &text, &other);
	if (!*is)
		return true;
	if (other)
		return bc_fail(err, BC_UNSUPPORTED, "%s: a shard of a later version of batconv", stream->name);
	if (!parse_head(text, out))
		return bc_fail(err, BC_FORMAT, "%s: byte 8: says nothing of a shard that is known", stream->name);
	if (stream->size < 2 * FRAME)
		return fail_cut(stream, err);
	if (!read_at(stream, stream->size - FRAME, tail, err))
		return false;
	if (!open_frame(tail, TAIL, &text, &other) || other || !parse_tail(text, out))
		return fail_cut(stream, err);
	return true;
}
