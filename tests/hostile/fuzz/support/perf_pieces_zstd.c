/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Records in compressed ones, and out of them. */
#include <stdlib.h>
#include <zstd.h>

#include "tests/hostile/fuzz/support/perf_pieces.h"

enum {
	COMPRESSED = 81,
	COMPRESSED2 = 83,
	MOST_PLAIN = 1 << 18, /* of what is decompressed */
};

static void add_compressed(struct perf_pieces *r, size_t at, const struct growing *payload,
			   bool second)
{
	struct growing record = {0};
	size_t padding = second ? (8 - payload->size % 8) % 8 : 0;

	growing_number(&record, second ? COMPRESSED2 : COMPRESSED, 4);
	growing_number(&record, 0, 4);
	if (second)
		growing_number(&record, payload->size, 8);
	growing_add(&record, payload->data, payload->size);
	growing_number(&record, 0, padding);
	if (record.size <= LONGEST) {
		perf_pieces_insert(r, at, record.data, record.size);
		perf_piece_settle(&r->at[at]);
	}
	free(record.data);
}

static void compress_some(ZSTD_CStream *stream, const uint8_t *data, size_t size,
			  struct growing *out)
{
	ZSTD_inBuffer in = {data, size, 0};
	uint8_t capacity[4096];
	size_t left;

	do {
		ZSTD_outBuffer to = {capacity, sizeof(capacity), 0};
		left = ZSTD_compressStream2(stream, &to, &in, ZSTD_e_flush);
		growing_add(out, capacity, to.pos);
	} while (left && !ZSTD_isError(left));
}

void perf_pieces_compress(struct perf_pieces *r, struct prng *random)
{
	size_t begin = (size_t)prng_below(random, r->count),
	       count = 1 + (size_t)prng_below(random, 16);
	struct growing plain = {0}, payload = {0};
	bool second = prng_below(random, 2);
	ZSTD_CStream *stream = ZSTD_createCStream();

	if (!stream)
		abort();
	while (count-- && begin < r->count && perf_piece_type(&r->at[begin]) < ATTR) {
		growing_add(&plain, r->at[begin].data, r->at[begin].size);
		perf_pieces_leave_out(r, begin);
	}
	if (plain.size) {
		size_t cut =
			prng_below(random, 2) ? plain.size : (size_t)prng_below(random, plain.size);
		compress_some(stream, plain.data, cut, &payload);
		add_compressed(r, begin, &payload, second);
		payload.size = 0;
		compress_some(stream, plain.data + cut, plain.size - cut, &payload);
		if (cut < plain.size)
			add_compressed(r, begin + 1 < r->count ? begin + 1 : r->count, &payload,
				       second);
	}
	ZSTD_freeCStream(stream);
	free(plain.data);
	free(payload.data);
}

static bool decompress_some(ZSTD_DStream *stream, const uint8_t *data, size_t size,
			    struct growing *out)
{
	ZSTD_inBuffer in = {data, size, 0};
	uint8_t capacity[4096];

	for (;;) {
		ZSTD_outBuffer to = {capacity, sizeof(capacity), 0};
		size_t left = ZSTD_decompressStream(stream, &to, &in);
		growing_add(out, capacity, to.pos);
		if (ZSTD_isError(left) || out->size > MOST_PLAIN)
			return false;
		if (in.pos == in.size && to.pos < sizeof(capacity))
			return true;
	}
}

void perf_pieces_uncompress(struct perf_pieces *r)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	struct growing plain = {0};
	size_t first = r->count;
	bool ok = true;

	if (!stream)
		abort();
	for (size_t i = 0; i < r->count && ok; i++) {
		unsigned type = perf_piece_type(&r->at[i]);
		size_t skip = type == COMPRESSED2 ? HEADER + 8 : HEADER;
		if ((type != COMPRESSED && type != COMPRESSED2) || r->at[i].size < skip)
			continue;
		if (first == r->count)
			first = i;
		size_t size = r->at[i].size - skip;
		if (type == COMPRESSED2 && perf_piece_get(r->at[i].data + HEADER, 8) < size)
			size = (size_t)perf_piece_get(r->at[i].data + HEADER, 8);
		ok = decompress_some(stream, r->at[i].data + skip, size, &plain);
		perf_pieces_leave_out(r, i--);
	}
	perf_pieces_insert_all(r, first < r->count ? first : r->count, plain.data, plain.size);
	ZSTD_freeDStream(stream);
	free(plain.data);
}
