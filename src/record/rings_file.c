/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/record/rings_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC_NAME "batconv-rings "
#define MAGIC_SIZE (sizeof(RINGS_MAGIC) - 1)
#define HEAD_SIZE  (MAGIC_SIZE + 12)
#define PART_HEAD  8

/* ---- writing ---- */

static void put_u32(FILE *to, uint32_t value)
{
	const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
				 (uint8_t)(value >> 24)};

	fwrite(bytes, 1, sizeof(bytes), to);
}

static void put_part(FILE *to, uint32_t ring, struct bytes bytes)
{
	put_u32(to, ring);
	put_u32(to, (uint32_t)bytes.size);
	if (bytes.size)
		fwrite(bytes.data, 1, bytes.size, to);
}

void rings_begin(FILE *to, struct bytes attr, uint32_t rings, struct text host)
{
	fputs(RINGS_MAGIC, to);
	put_u32(to, (uint32_t)attr.size);
	put_u32(to, (uint32_t)host.len);
	put_u32(to, rings);
	fwrite(attr.data, 1, attr.size, to);
	fwrite(host.at, 1, host.len, to);
}

void rings_put(FILE *to, uint32_t ring, struct bytes bytes)
{
	for (; bytes.size; bytes = bytes_from(bytes, RINGS_PART_MOST))
		put_part(to, ring, bytes_first(bytes, RINGS_PART_MOST));
}

void rings_put_round(FILE *to)
{
	put_part(to, RINGS_ROUND, (struct bytes){0});
}

void rings_end(FILE *to)
{
	put_part(to, RINGS_END, (struct bytes){0});
}

/* ---- reading ---- */

static bool fail_at(const struct rings_reader *reader, const char *why, struct bc_error *err)
{
	return bc_fail(err, BC_FORMAT, "%s: %s, byte %" PRIu64, reader->stream->name, why,
		       reader->at);
}

/* Exactly so many bytes. */
static bool read_bytes(struct rings_reader *reader, void *to, size_t size, const char *of,
		       struct bc_error *err)
{
	size_t got = 0;

	if (size && !stream_read(reader->stream, to, size, &got, err))
		return false;
	if (got < size)
		return bc_fail(err, BC_FORMAT, "%s: ends within %s, byte %" PRIu64,
			       reader->stream->name, of, reader->at + got);
	reader->at += size;
	return true;
}

static bool check_magic(struct rings_reader *reader, const uint8_t head[HEAD_SIZE], size_t size,
			struct bc_error *err)
{
	size_t name = strlen(MAGIC_NAME);

	if (size >= MAGIC_SIZE && !memcmp(head, RINGS_MAGIC, MAGIC_SIZE))
		return size == HEAD_SIZE ||
		       bc_fail(err, BC_FORMAT, "%s: ends within its head, byte %zu",
			       reader->stream->name, size);
	if (size >= MAGIC_SIZE && !memcmp(head, MAGIC_NAME, name))
		return bc_fail(err, BC_UNSUPPORTED, "%s: saved rings of another version than 1",
			       reader->stream->name);
	return bc_fail(err, BC_FORMAT, "%s: no saved rings: they begin with '" MAGIC_NAME "1'",
		       reader->stream->name);
}

bool rings_open(struct file_stream *stream, struct rings_reader *out, struct bc_error *err)
{
	uint8_t head[HEAD_SIZE];
	size_t got;

	*out = (struct rings_reader){.stream = stream};
	if (!stream_read(stream, head, sizeof(head), &got, err) ||
	    !check_magic(out, head, got, err))
		return false;
	out->attr_size = le32(head + MAGIC_SIZE);
	size_t host = le32(head + MAGIC_SIZE + 4);
	out->rings = le32(head + MAGIC_SIZE + 8);
	out->at = MAGIC_SIZE;
	if (out->attr_size > RINGS_ATTR_MOST || host > RINGS_HOST_MOST || !out->rings ||
	    out->rings > RINGS_MOST)
		return fail_at(out, "sizes beyond those that are read", err);
	out->at = HEAD_SIZE;
	out->attr = malloc(out->attr_size + 1);
	out->host = calloc(1, host + 1);
	out->part = malloc(RINGS_PART_MOST);
	if (!out->attr || !out->host || !out->part)
		return bc_fail_nomem(err);
	return read_bytes(out, out->attr, out->attr_size, "the attr", err) &&
	       read_bytes(out, out->host, host, "the text of the host", err);
}

void rings_close(struct rings_reader *reader)
{
	free(reader->attr);
	free(reader->host);
	free(reader->part);
	*reader = (struct rings_reader){0};
}

/* After RINGS_END nothing comes. */
static bool check_end(struct rings_reader *reader, struct bc_error *err)
{
	size_t got;

	if (!stream_read(reader->stream, reader->part, 1, &got, err))
		return false;
	return !got || fail_at(reader, "bytes after the end", err);
}

bool rings_next(struct rings_reader *reader, struct rings_part *out, struct bc_error *err)
{
	uint8_t head[PART_HEAD] = {0};
	uint64_t begin = reader->at;

	if (!read_bytes(reader, head, sizeof(head), "the head of a part (the recorder was killed?)",
			err))
		return false;
	*out = (struct rings_part){le32(head), {reader->part, le32(head + 4)}};
	bool mark = out->ring == RINGS_ROUND || out->ring == RINGS_END;
	const char *why = out->bytes.size > RINGS_PART_MOST ?
				  "a part larger than those that are written" :
			  mark && out->bytes.size ? "a mark with bytes" :
			  !mark && out->ring != RINGS_SCAN && out->ring >= reader->rings ?
						    "a ring that there is not" :
						    NULL;
	if (why) {
		reader->at = begin;
		return fail_at(reader, why, err);
	}
	if (!read_bytes(reader, reader->part, out->bytes.size, "a part", err))
		return false;
	return out->ring != RINGS_END || check_end(reader, err);
}
