/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compressed here by the libraries themselves, read back through files, pipes and memory. */
#include "src/base/unpack.h"

#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "src/base/attr.h"
#include "src/base/file.h"
#include "tests/support/bytes_file.h"
#include "tests/support/cmocka.h"

static const enum packing all[] = {PACKING_GZIP, PACKING_ZSTD, PACKING_XZ};

struct buffer {
	uint8_t at[1 << 20];
	size_t size;
};

static void add_gzip(struct buffer *to, const void *data, size_t size)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)data,
		      .avail_in = (uInt)size,
		      .next_out = to->at + to->size,
		      .avail_out = (uInt)(sizeof(to->at) - to->size)};

	assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	to->size = sizeof(to->at) - z.avail_out;
	deflateEnd(&z);
}

static void add(struct buffer *to, enum packing packing, const void *data, size_t size)
{
	uint8_t *at = to->at + to->size;
	size_t room = sizeof(to->at) - to->size;

	if (packing == PACKING_GZIP) {
		add_gzip(to, data, size);
	} else if (packing == PACKING_ZSTD) {
		size_t got = ZSTD_compress(at, room, data, size, 3);
		assert_false(ZSTD_isError(got));
		to->size += got;
	} else {
		assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, data, size,
							 to->at, &to->size, sizeof(to->at)),
				 LZMA_OK);
	}
}

/* Numbers, so that a byte at the wrong position shows. */
static char *numbers(size_t size)
{
	char *text = malloc(size + 8);

	for (size_t i = 0; i < size; i += 7)
		snprintf(text + i, 8, "%06zu\n", i / 7 % 1000000);
	return text;
}

static void whole_and_in_a_row(void **state)
{
	enum { FIRST = 300000, SECOND = 70000 };
	static struct buffer packed;
	static char back[FIRST + SECOND + 1];
	char *text = numbers(FIRST + SECOND);

	(void)state;
	for (size_t i = 0; i < BC_COUNT(all); i++) {
		struct file_stream stream;
		struct bc_error err;
		size_t got, done = 0;
		packed.size = 0;
		add(&packed, all[i], text, FIRST);
		add(&packed, all[i], text + FIRST, SECOND);
		assert_int_equal(packing_of(packed.at, packed.size), all[i]);
		struct bytes_file file = bytes_file_open(packed.at, packed.size);
		const char *path = file.path;
		assert_true(stream_open(path, &stream, &err));
		for (size_t size = 16; stream_read(&stream, back + done, size, &got, &err) && got;
		     size = 4099)
			done += got;
		assert_int_equal(done, FIRST + SECOND);
		assert_memory_equal(back, text, done);
		assert_false(stream.cut);
		assert_int_equal(stream_position(&stream), -1);
		stream_close(&stream);

		struct file_map map;
		assert_true(file_map(path, &map, &err));
		assert_int_equal(map.size, FIRST + SECOND);
		assert_memory_equal(map.data, text, map.size);
		file_unmap(&map);
		bytes_file_close(&file);
	}
	free(text);
}

/* Every cut is reported, wherever it is; with cut_will_do what came out is the beginning. */
static void cut_anywhere(void **state)
{
	enum { SIZE = 3000 };
	static struct buffer packed;
	char *text = numbers(SIZE), back[SIZE];

	(void)state;
	for (size_t i = 0; i < BC_COUNT(all); i++) {
		packed.size = 0;
		add(&packed, all[i], text, SIZE);
		for (size_t size = PACKING_MAGIC; size < packed.size; size++) {
			struct file_stream stream;
			struct bytes_file file = bytes_file_open(packed.at, size);
			const char *path = file.path;
			struct file_map map;
			struct bc_error err;
			size_t got = 0;
			assert_true(stream_open(path, &stream, &err));
			assert_false(stream_read(&stream, back, SIZE, &got, &err) &&
				     stream_read(&stream, back, 1, &got, &err));
			assert_int_equal(err.code, BC_FORMAT);
			assert_non_null(strstr(err.text, "ends early"));
			stream_close(&stream);
			assert_true(stream_open(path, &stream, &err));
			stream.cut_will_do = true;
			assert_true(stream_read(&stream, back, SIZE, &got, &err));
			assert_memory_equal(back, text, got);
			assert_true(stream_read(&stream, back, 1, &got, &err));
			assert_int_equal(got, 0);
			assert_true(stream.cut);
			stream_close(&stream);
			assert_false(file_map(path, &map, &err));
			assert_non_null(strstr(err.text, "ends early"));
			bytes_file_close(&file);
		}
	}
	free(text);
}

/* gzip's and xz's checksums; zstd's, which its tool adds, is added here. */
static void damage_is_told(void **state)
{
	enum { SIZE = 5000 };
	static struct buffer packed;
	char *text = numbers(SIZE), back[SIZE + 1];

	(void)state;
	for (size_t i = 0; i < BC_COUNT(all); i++) {
		packed.size = 0;
		if (all[i] == PACKING_ZSTD) {
			ZSTD_CCtx *zstd = ZSTD_createCCtx();
			ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1);
			packed.size =
				ZSTD_compress2(zstd, packed.at, sizeof(packed.at), text, SIZE);
			ZSTD_freeCCtx(zstd);
		} else {
			add(&packed, all[i], text, SIZE);
		}
		for (size_t at = packed.size / 4; at < packed.size * 3 / 4; at += 37) {
			struct unpack_step step = {.in = packed.at,
						   .in_size = packed.size,
						   .last = true,
						   .out = (uint8_t *)back,
						   .capacity = sizeof(back)};
			struct bc_error err;
			struct unpack *unpack =
				unpack_create(all[i], (struct unpack_limit){1 << 20, 1024}, &err);
			packed.at[at] ^= 0x10;
			bool ok = unpack_step(unpack, &step, &err) && unpack_is_whole(unpack);
			packed.at[at] ^= 0x10;
			assert_false(ok);
			unpack_destroy(unpack);
		}
	}
	free(text);
}

/* Zeros, some thousand times smaller: refused when the limit is reached, and not later. */
static void bombs_are_bounded(void **state)
{
	static struct buffer packed;
	const size_t size = (size_t)64 << 20;
	uint8_t *zeros = calloc(1, size);

	(void)state;
	for (size_t i = 0; i < BC_COUNT(all); i++) {
		struct file_map map;
		struct bc_error err;
		packed.size = 0;
		add(&packed, all[i], zeros, size);
		/* gzip can make a thousandth of it at most: a lower limit for it */
		struct unpack_limit limit = {1 << 20, 100};
		struct unpack *unpack = unpack_create(all[i], limit, &err);
		struct unpack_step step = {.in = packed.at,
					   .in_size = packed.size,
					   .last = true,
					   .out = zeros,
					   .capacity = size};
		assert_false(unpack_step(unpack, &step, &err) && step.got == size);
		assert_int_equal(err.code, BC_UNSUPPORTED);
		assert_non_null(strstr(err.text, "1 MiB and 100 times its own size"));
		unpack_destroy(unpack);
		memset(zeros, 0, size);
		struct bytes_file file = bytes_file_open(packed.at, packed.size);
		assert_false(file_map(file.path, &map, &err));
		assert_int_equal(err.code, BC_UNSUPPORTED);
		bytes_file_close(&file);
	}
	free(zeros);
}

static void tails(void **state)
{
	static struct buffer packed;
	char back[16];

	(void)state;
	for (size_t i = 0; i < BC_COUNT(all); i++) {
		for (int garbage = 0; garbage < 2; garbage++) {
			struct bc_error err;
			packed.size = 0;
			add(&packed, all[i], "content", 7);
			memset(packed.at + packed.size, garbage ? 'x' : 0, 512);
			struct unpack *unpack =
				unpack_create(all[i], (struct unpack_limit){1 << 20, 1024}, &err);
			struct unpack_step step = {.in = packed.at,
						   .in_size = packed.size + 512,
						   .last = true,
						   .out = (uint8_t *)back,
						   .capacity = sizeof(back)};
			bool fine = !garbage &&
				    all[i] != PACKING_ZSTD; /* whose own tool refuses zeros, too */
			assert_int_equal(
				unpack_step(unpack, &step, &err) && unpack_is_whole(unpack), fine);
			assert_memory_equal(back, "content", 7);
			unpack_destroy(unpack);
		}
	}
}

static void what_it_is_not(void **state)
{
	(void)state;
	assert_int_equal(packing_of("\x1f\x8b\x08", 3), PACKING_NONE);
	assert_int_equal(packing_of("\x1f\x8b\x07\0\0\0", 6), PACKING_NONE);
	assert_int_equal(packing_of("PERFILE2", 8), PACKING_NONE);
	assert_int_equal(packing_of("\x57\x2a\x4d\x18\0\0", 6), PACKING_ZSTD);
	assert_int_equal(packing_of("\x67\x2a\x4d\x18\0\0", 6), PACKING_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_and_in_a_row),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(bombs_are_bounded),
		cmocka_unit_test(tails),
		cmocka_unit_test(what_it_is_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
