/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, which POSIX has since 2024 */
#include "src/base/sparse.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "src/base/text.h"

#define MAGIC       "BATCONV-SPARSE2\n"
#define MAGIC_SIZE  (sizeof(MAGIC) - 1)
#define NAME_SIZE   (sizeof("BATCONV-SPARSE") - 1) /* what all versions begin with */
#define DIGEST_SIZE 32
#define HEADER_SIZE (MAGIC_SIZE + 16)
#define PART_SIZE   16
#define LEVEL       9 /* of compression: small, and still tens of megabytes a second */

/* Files on a disk are smaller. */
#define LARGEST (UINT64_C(1) << 44)

/* Code and symbols are compressed to a third or a tenth.  A file that says it becomes this many
 * times larger was made to fill the memory. */
#define MOST_TIMES  256
#define ALWAYS_FINE (UINT64_C(16) << 20)

bool sparse_is(const uint8_t *data, size_t size)
{
	return size >= NAME_SIZE && !memcmp(data, MAGIC, NAME_SIZE);
}

static uint64_t get_u64(const uint8_t *at)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < 8; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

static bool bad(struct bc_error *err, const char *why)
{
	return bc_fail(err, BC_FORMAT, "side file, byte 0: %s", why);
}

/* 1 or 2; 0: *err says why. */
static unsigned version_of(const uint8_t *data, size_t size, struct bc_error *err)
{
	uint64_t version;

	if (size < HEADER_SIZE)
		return bad(err, "the file ends in its header");
	struct text rest = {(const char *)data + NAME_SIZE, HEADER_SIZE - NAME_SIZE};
	struct text number = text_first(rest, text_find(rest, '\n'));
	if (!text_dec(number, &version) || !version)
		return bad(err, "it has no version");
	if (version <= 2 && number.len == 1)
		return (unsigned)version;
	bc_fail(err, BC_UNSUPPORTED,
		"side file, byte %zu: its version is %" PRIu64 ", and this batconv reads 1 and 2",
		NAME_SIZE, version);
	bc_hint(err, "convert with a newer batconv, or extract the file with this one");
	return 0;
}

/* A frame, and what is wrong with it. */
struct parts_frame {
	ZSTD_DStream *stream;
	ZSTD_inBuffer in;
	bool failed, nomem;
	bool ended;
};

/* Decompress the next bytes. */
static void take(struct parts_frame *frame, uint8_t *to, size_t size)
{
	ZSTD_outBuffer out = {to, size, 0};

	while (!frame->failed && out.pos < out.size) {
		size_t before_in = frame->in.pos, before_out = out.pos;
		size_t result = ZSTD_decompressStream(frame->stream, &out, &frame->in);
		frame->nomem |= ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
		frame->failed |= ZSTD_isError(result) ||
				 (frame->in.pos == before_in && out.pos == before_out);
		frame->ended = !frame->failed && !result;
	}
}

/* Nothing is after the last bytes but the checksum, and that is right. */
static void take_end(struct parts_frame *frame)
{
	ZSTD_outBuffer none = {NULL, 0, 0};

	while (!frame->failed && !frame->ended) {
		size_t before = frame->in.pos,
		       result = ZSTD_decompressStream(frame->stream, &none, &frame->in);
		frame->failed |= ZSTD_isError(result) || (result && frame->in.pos == before);
		frame->ended = !result;
	}
	frame->failed |= frame->in.pos < frame->in.size;
}

/* Decompress the frame into the digest and the parts of the large file, one after the other. */
static bool fill(unsigned version, const uint8_t *table, uint64_t count, ZSTD_inBuffer in,
		 uint8_t *large, uint8_t digest[DIGEST_SIZE], struct bc_error *err)
{
	struct parts_frame frame = {.stream = ZSTD_createDStream(), .in = in};

	if (!frame.stream)
		return bc_fail_nomem(err);
	if (version > 1)
		take(&frame, digest, DIGEST_SIZE);
	for (uint64_t i = 0; i < count; i++)
		take(&frame, large + get_u64(table + i * PART_SIZE),
		     (size_t)get_u64(table + i * PART_SIZE + 8));
	if (version > 1)
		take_end(&frame);
	ZSTD_freeDStream(frame.stream);
	if (frame.nomem)
		return bc_fail_nomem(err);
	return !frame.failed || bad(err, "the compressed part is damaged");
}

/* Ascending, not overlapping, inside.  *sum: bytes of all. */
static bool check_parts(const uint8_t *table, uint64_t count, uint64_t size, uint64_t *sum)
{
	uint64_t end = 0;

	*sum = 0;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t offset = get_u64(table + i * PART_SIZE);
		uint64_t part = get_u64(table + i * PART_SIZE + 8);
		if (offset < end || offset > size || part > size - offset)
			return false;
		end = offset + part;
		*sum += part; /* below LARGEST, as parts do not overlap */
	}
	return true;
}

bool sparse_map(const uint8_t *data, size_t size, struct file_map *out, struct bc_error *err)
{
	uint8_t digest[DIGEST_SIZE] = {0};
	const uint8_t none[DIGEST_SIZE] = {0};
	unsigned version = version_of(data, size, err);

	if (!version)
		return false;
	uint64_t large = get_u64(data + MAGIC_SIZE), count = get_u64(data + MAGIC_SIZE + 8),
		 present;
	if (!large || large > LARGEST || count > (size - HEADER_SIZE) / PART_SIZE ||
	    !check_parts(data + HEADER_SIZE, count, large, &present))
		return bad(err, "the table of parts is damaged");
	if (present > size * MOST_TIMES + ALWAYS_FINE)
		return bc_fail(err, BC_FORMAT,
			       "side file, byte 0: it claims to hold %" PRIu64
			       " bytes, more than the "
			       "limit of %d times its own size and %d MiB",
			       present, MOST_TIMES, (int)(ALWAYS_FINE >> 20));
	uint8_t *map = mmap(NULL, (size_t)large, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (map == MAP_FAILED)
		return bc_fail_nomem(err);
	size_t begin = HEADER_SIZE + (size_t)count * PART_SIZE;
	ZSTD_inBuffer in = {data + begin, size - begin, 0};
	if (!fill(version, data + HEADER_SIZE, count, in, map, digest, err)) {
		munmap(map, (size_t)large);
		return false;
	}
	(void)mprotect(map, (size_t)large, PROT_READ);
	*out = (struct file_map){.data = map, .size = (size_t)large, .present = present};
	if (memcmp(digest, none, DIGEST_SIZE) != 0) {
		out->digest.size = DIGEST_SIZE;
		memcpy(out->digest.data, digest, DIGEST_SIZE);
	}
	return true;
}

static void put_u64(uint64_t value, FILE *out)
{
	for (unsigned i = 0; i < 8; i++)
		putc((int)(value >> 8 * i & 0xff), out);
}

static bool compress_part(ZSTD_CStream *stream, ZSTD_inBuffer in, ZSTD_EndDirective mode, FILE *out)
{
	char buffer[16384];

	for (;;) {
		ZSTD_outBuffer chunk = {buffer, sizeof(buffer), 0};
		size_t left = ZSTD_compressStream2(stream, &chunk, &in, mode);
		if (ZSTD_isError(left))
			return false;
		// cppcheck-suppress legacyUninitvar ; filled by ZSTD_compressStream2
		fwrite(buffer, 1, chunk.pos, out);
		if (mode == ZSTD_e_end ? !left : in.pos == in.size)
			return true;
	}
}

bool sparse_write(const struct file_map *file, const struct sparse_part *parts, size_t count,
		  FILE *out, struct bc_error *err)
{
	ZSTD_CStream *stream = ZSTD_createCStream();
	bool ok = stream &&
		  !ZSTD_isError(ZSTD_CCtx_setParameter(stream, ZSTD_c_compressionLevel, LEVEL)) &&
		  !ZSTD_isError(ZSTD_CCtx_setParameter(stream, ZSTD_c_checksumFlag, 1));
	uint8_t digest[DIGEST_SIZE] = {0};

	if (file->digest.size == DIGEST_SIZE)
		memcpy(digest, file->digest.data, DIGEST_SIZE);

	fwrite(MAGIC, 1, MAGIC_SIZE, out);
	put_u64(file->size, out);
	put_u64(count, out);
	for (size_t i = 0; i < count; i++) {
		put_u64(parts[i].offset, out);
		put_u64(parts[i].size, out);
	}
	ok = ok &&
	     compress_part(stream, (ZSTD_inBuffer){digest, DIGEST_SIZE, 0}, ZSTD_e_continue, out);
	for (size_t i = 0; ok && i < count; i++)
		ok = compress_part(
			stream,
			(ZSTD_inBuffer){file->data + parts[i].offset, (size_t)parts[i].size, 0},
			ZSTD_e_continue, out);
	ok = ok && compress_part(stream, (ZSTD_inBuffer){NULL, 0, 0}, ZSTD_e_end, out);
	ZSTD_freeCStream(stream);
	return ok || bc_fail_nomem(err);
}
