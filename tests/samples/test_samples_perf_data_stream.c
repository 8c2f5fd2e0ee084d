/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Framing of records: across blocks, compressed, with what follows them. */
#include "tests/support/cmocka.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "src/samples/perf_data/perf_file.h"
#include "tests/support/build_perf.h"
#include "tests/support/prng.h"

/* A stream over bytes, [begin, end) of them. */
struct bench {
	struct file_stream file_stream;
	struct perf_file file;
	struct perf_pool pool;
	struct perf_stream stream;
	struct bc_error err;
};

static void bench_init(struct bench *bench, struct bytes bytes, uint64_t begin, uint64_t end)
{
	*bench = (struct bench){.file_stream = {.name = "x", .fd = open("/dev/null", O_RDONLY)}};
	assert_true(perf_file_init(&bench->file, &bench->file_stream, bytes, &bench->err));
	assert_true(perf_stream_init(&bench->stream, &bench->file, &bench->pool, begin, end,
				     &bench->err));
}

static void bench_fini(struct bench *bench)
{
	perf_stream_fini(&bench->stream);
	perf_file_fini(&bench->file);
	assert_int_equal(bench->pool.in_use, 0);
	perf_pool_fini(&bench->pool);
	close(bench->file_stream.fd);
}

/* Records of all sizes; the body says its own number and is filled with it. */
static void put_numbered(struct build_perf *b, uint64_t number, size_t size)
{
	size_t begin = begin_record(b, (uint32_t)number % 60, (uint16_t)number);

	for (size_t i = 8; i < size; i += 8)
		put_u64(b, number);
	end_record(b, begin);
}

static void assert_numbered(const struct perf_record *record, uint64_t number)
{
	assert_int_equal(record->type, number % 60);
	assert_int_equal(record->misc, number & 0xffff);
	for (size_t i = 0; i < record->body.size; i += 8)
		assert_true(le64(record->body.data + i) == number);
}

static size_t random_size(struct prng *p)
{
	return 8 + 8 * prng_below(p, prng_below(p, 4) ? 30 : 8191);
}

#define RECORDS 3000

static void put_many(struct build_perf *b, uint64_t seed)
{
	struct prng p = {seed};

	for (uint64_t i = 0; i < RECORDS; i++)
		put_numbered(b, i, random_size(&p));
}

static void assert_many(struct bench *bench)
{
	struct perf_record record;

	for (uint64_t i = 0; i < RECORDS; i++) {
		assert_true(perf_stream_next(&bench->stream, &record, &bench->err));
		assert_numbered(&record, i);
		assert_true(bench->pool.in_use <= 4);
	}
	assert_false(perf_stream_next(&bench->stream, &record, &bench->err));
	assert_int_equal(bench->err.code, BC_OK);
	assert_false(bench->stream.truncated);
}

static void test_records_across_blocks(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		struct build_perf b = {0};
		struct bench bench;
		put_many(&b, seed);
		assert_true(b.size > 20 * PERF_BLOCK_SIZE);
		bench_init(&bench, build_perf_bytes(&b), 0, b.size);
		assert_many(&bench);
		bench_fini(&bench);
		build_perf_free(&b);
	}
}

/* A record that is held stays, whatever is read after it. */
static void test_held_blocks_stay(void **state)
{
	struct build_perf b = {0};
	struct perf_record record, held;
	struct bench bench;

	(void)state;
	put_many(&b, 3);
	bench_init(&bench, build_perf_bytes(&b), 0, b.size);
	assert_true(perf_stream_next(&bench.stream, &held, &bench.err));
	assert_true(perf_stream_next(&bench.stream, &held, &bench.err));
	perf_block_hold(held.block);
	while (perf_stream_next(&bench.stream, &record, &bench.err))
		continue;
	assert_numbered(&held, 1);
	perf_pool_release(&bench.pool, held.block);
	bench_fini(&bench);
	build_perf_free(&b);
}

/* One zstd frame in chunks of any size, as perf makes them. */
static void put_stream(struct build_perf *b, struct bytes plain, uint64_t seed, bool second_form)
{
	struct prng p = {seed};
	ZSTD_CStream *zstd = ZSTD_createCStream();
	uint8_t piece[60000];

	ZSTD_initCStream(zstd, 1);
	ZSTD_inBuffer in = {plain.data, 0, 0};
	while (in.pos < plain.size) {
		size_t step = 1 + prng_below(&p, 100000);
		in.size = in.pos + step < plain.size ? in.pos + step : plain.size;
		ZSTD_outBuffer out = {piece, sizeof(piece), 0};
		ZSTD_compressStream(zstd, &out, &in);
		ZSTD_flushStream(zstd, &out);
		size_t begin = begin_record(
			b, second_form ? PERF_USER_COMPRESSED2 : PERF_USER_COMPRESSED, 0);
		if (second_form)
			put_u64(b, out.pos);
		put_bytes(b, piece, out.pos);
		while (second_form && (b->size - begin) % 8)
			put_zeros(b, 1);
		end_record(b, begin);
	}
	ZSTD_freeCStream(zstd);
}

static void test_compressed_in_pieces(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 6; seed++) {
		struct build_perf plain = {0}, b = {0};
		struct bench bench;
		put_many(&plain, seed);
		put_stream(&b, build_perf_bytes(&plain), seed, seed % 2);
		bench_init(&bench, build_perf_bytes(&b), 0, UINT64_MAX);
		assert_many(&bench);
		bench_fini(&bench);
		build_perf_free(&b);
		build_perf_free(&plain);
	}
}

/* The sizes that overflow 16 bits in what perf 6.16 wrote. */
static void test_compressed_of_64_kib(void **state)
{
	struct prng p = {4};

	(void)state;
	for (size_t size = 65529; size <= 65535; size++) {
		struct build_perf plain = {0}, b = {0};
		struct perf_record record;
		struct bench bench;
		put_numbered(&plain, 77, 16);
		put_u32(&b, PERF_USER_COMPRESSED2);
		put_u32(&b, 0);
		size_t begin = b.size - 8;
		put_u64(&b, size - 16);
		uint8_t packed[128];
		size_t packed_size =
			ZSTD_compress(packed, sizeof(packed), plain.data, plain.size, 1);
		put_bytes(&b, packed, packed_size);
		/* the rest is a skippable frame */
		size_t rest = size - (b.size - begin);
		put_u32(&b, 0x184d2a50);
		put_u32(&b, (uint32_t)rest - 8);
		for (size_t i = 8; i < rest; i++) {
			uint8_t byte = (uint8_t)prng_next(&p);
			put_bytes(&b, &byte, 1);
		}
		assert_int_equal(b.size, size);
		put_numbered(&b, 78, 24);
		bench_init(&bench, build_perf_bytes(&b), 0, b.size);
		assert_true(perf_stream_next(&bench.stream, &record, &bench.err));
		assert_numbered(&record, 77);
		assert_true(perf_stream_next(&bench.stream, &record, &bench.err));
		assert_numbered(&record, 78);
		assert_false(perf_stream_next(&bench.stream, &record, &bench.err));
		assert_int_equal(bench.err.code, BC_OK);
		bench_fini(&bench);
		build_perf_free(&b);
		build_perf_free(&plain);
	}
}

static void test_damaged_compression(void **state)
{
	struct build_perf plain = {0}, b = {0};
	struct perf_record record;
	struct bench bench;

	(void)state;
	put_numbered(&plain, 1, 80);
	put_numbered(&b, 2, 40);
	put_compressed(&b, build_perf_bytes(&plain), true);
	b.data[40 + 16] ^= 0xff; /* zstd's magic */
	bench_init(&bench, build_perf_bytes(&b), 0, b.size);
	assert_true(perf_stream_next(&bench.stream, &record, &bench.err));
	assert_false(perf_stream_next(&bench.stream, &record, &bench.err));
	assert_int_equal(bench.err.code, BC_FORMAT);
	assert_non_null(strstr(bench.err.text, "zstd"));
	assert_non_null(strstr(bench.err.text, ", byte 40"));
	bench_fini(&bench);
	build_perf_free(&b);
	build_perf_free(&plain);
}

/* One record that would become 300 MB of zeros. */
static void test_compression_is_bounded(void **state)
{
	struct perf_zstd zstd = {0};
	struct bc_error err;
	size_t size = (size_t)300 << 20, got;
	uint8_t *plain = calloc(1, size), *packed = malloc(ZSTD_compressBound(size));
	uint64_t total = 0;

	(void)state;
	assert_non_null(plain);
	assert_non_null(packed);
	size_t packed_size = ZSTD_compress(packed, ZSTD_compressBound(size), plain, size, 1);
	for (int with_ring = 0; with_ring < 2; with_ring++) {
		total = 0;
		assert_true(perf_zstd_begin(&zstd, (struct bytes){packed, packed_size},
					    with_ring ? size : 0, &err));
		bool ok;
		while ((ok = perf_zstd_read(&zstd, plain, 1 << 20, &got, &err)) && got)
			total += got;
		assert_int_equal(ok, with_ring);
		assert_true(total <= (with_ring ? size : PERF_ZSTD_MOST));
		perf_zstd_fini(&zstd);
	}
	free(plain);
	free(packed);
}

/* Trace data is dropped, however large, and counted. */
static void test_extra_bytes(void **state)
{
	static const uint64_t sizes[] = {0, 8, 4096, 300000, 1000000};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(sizes); i++) {
		struct build_perf b = {0};
		struct perf_record record;
		struct bench bench;
		size_t begin = begin_record(&b, PERF_USER_AUXTRACE, 0);
		put_u64(&b, sizes[i]);
		put_zeros(&b, 32);
		end_record(&b, begin);
		put_zeros(&b, (size_t)sizes[i]);
		put_numbered(&b, 5, 16);
		bench_init(&bench, build_perf_bytes(&b), 0, UINT64_MAX);
		assert_true(perf_stream_next(&bench.stream, &record, &bench.err));
		assert_int_equal(record.type, PERF_USER_AUXTRACE);
		assert_true(perf_stream_next(&bench.stream, &record, &bench.err));
		assert_numbered(&record, 5);
		assert_true(bench.stream.skipped == sizes[i]);
		assert_false(perf_stream_next(&bench.stream, &record, &bench.err));
		assert_int_equal(bench.err.code, BC_OK);
		bench_fini(&bench);
		build_perf_free(&b);
	}
}

/* Where what is missing begins: the record that is cut. */
static void test_truncation(void **state)
{
	struct build_perf b = {0};

	(void)state;
	put_numbered(&b, 1, 40);
	put_numbered(&b, 2, 16);
	put_numbered(&b, 3, 24);
	for (size_t size = 0; size <= b.size; size++)
		for (int known = 0; known < 2; known++) {
			struct perf_record record;
			struct bench bench;
			uint64_t count = 0;
			bench_init(&bench, bytes_first(build_perf_bytes(&b), size), 0,
				   known ? b.size : UINT64_MAX);
			while (perf_stream_next(&bench.stream, &record, &bench.err))
				assert_numbered(&record, ++count);
			bool between = size == 0 || size == 40 || size == 56 || size == 80;
			assert_int_equal(bench.err.code, BC_OK);
			assert_int_equal(count, (size >= 40) + (size >= 56) + (size >= 80));
			assert_int_equal(bench.stream.truncated,
					 !between || (known && size < b.size));
			if (bench.stream.truncated)
				assert_int_equal(bench.stream.truncated_at, size < 40 ? 0 :
									    size < 56 ? 40 :
									    size < 80 ? 56 :
											80);
			bench_fini(&bench);
		}
	build_perf_free(&b);
}

/* In trace data, the record that it belongs to; in compressed data likewise. */
static void test_truncated_extra_and_compressed(void **state)
{
	struct build_perf plain = {0}, b = {0};
	struct perf_record record;
	struct bench bench;

	(void)state;
	put_numbered(&plain, 1, 80);
	put_numbered(&b, 2, 16);
	put_compressed(&b, bytes_first(build_perf_bytes(&plain), 79), true);
	bench_init(&bench, build_perf_bytes(&b), 0, b.size);
	assert_true(perf_stream_next(&bench.stream, &record, &bench.err));
	assert_false(perf_stream_next(&bench.stream, &record, &bench.err));
	assert_int_equal(bench.err.code, BC_OK);
	assert_true(bench.stream.truncated);
	assert_int_equal(bench.stream.truncated_at, 16);
	bench_fini(&bench);
	b.size = 16;
	size_t begin = begin_record(&b, PERF_USER_AUXTRACE, 0);
	put_u64(&b, 1000);
	end_record(&b, begin);
	put_zeros(&b, 999);
	bench_init(&bench, build_perf_bytes(&b), 0, UINT64_MAX);
	assert_true(perf_stream_next(&bench.stream, &record, &bench.err));
	assert_true(perf_stream_next(&bench.stream, &record, &bench.err));
	assert_false(perf_stream_next(&bench.stream, &record, &bench.err));
	assert_int_equal(bench.err.code, BC_OK);
	assert_true(bench.stream.truncated);
	assert_int_equal(bench.stream.truncated_at, 16);
	bench_fini(&bench);
	build_perf_free(&b);
	build_perf_free(&plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_across_blocks),
		cmocka_unit_test(test_held_blocks_stay),
		cmocka_unit_test(test_compressed_in_pieces),
		cmocka_unit_test(test_compressed_of_64_kib),
		cmocka_unit_test(test_damaged_compression),
		cmocka_unit_test(test_compression_is_bounded),
		cmocka_unit_test(test_extra_bytes),
		cmocka_unit_test(test_truncation),
		cmocka_unit_test(test_truncated_extra_and_compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
