/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/event/perf_data/zstd.h"

#include <inttypes.h>
#include <zstd.h>
#include <zstd_errors.h>

/* The largest window that is accepted, 128 MiB: zstd's own limit, and enough for the highest
 * level that perf offers. */
#define WINDOW_LOG_MAX 27

void perf_zstd_fini(struct perf_zstd *zstd)
{
	ZSTD_freeDStream(zstd->stream);
	*zstd = (struct perf_zstd){0};
}

static bool make_stream(struct perf_zstd *zstd, struct bc_error *err)
{
	ZSTD_DStream *stream = ZSTD_createDStream();

	if (!stream)
		return bc_fail_nomem(err);
	ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	zstd->stream = stream;
	return true;
}

bool perf_zstd_begin(struct perf_zstd *zstd, struct bytes payload, uint64_t ring_size,
		     struct bc_error *err)
{
	if (!zstd->stream && !make_stream(zstd, err))
		return false;
	zstd->input = payload;
	zstd->packed += payload.size;
	zstd->most = zstd->left = ring_size > PERF_ZSTD_MOST ? ring_size : PERF_ZSTD_MOST;
	return true;
}

bool perf_zstd_read(struct perf_zstd *zstd, uint8_t *to, size_t capacity, size_t *out,
		    struct bc_error *err)
{
	ZSTD_inBuffer in = {zstd->input.data, zstd->input.size, 0};
	ZSTD_outBuffer result = {to, capacity, 0};

	/* zstd can have more output when all input is taken. */
	do {
		size_t status = ZSTD_decompressStream(zstd->stream, &result, &in);
		if (ZSTD_getErrorCode(status) == ZSTD_error_memory_allocation)
			return bc_fail_nomem(err);
		if (ZSTD_isError(status))
			return bc_fail(err, BC_FORMAT, "damaged zstd data (%s)",
				       ZSTD_getErrorName(status));
	} while (in.pos < in.size && result.pos < result.size);
	zstd->input = bytes_from(zstd->input, in.pos);
	if (result.pos > zstd->left)
		return bc_fail(err, BC_FORMAT, "a compressed record of more than %" PRIu64 " bytes",
			       zstd->most);
	zstd->left -= result.pos;
	zstd->unpacked += result.pos;
	if (zstd->unpacked > zstd->packed * PERF_ZSTD_TIMES + zstd->most)
		return bc_fail(err, BC_FORMAT, "compressed records that stand for more than the limit of %d times their "
			       "bytes and %d MiB", PERF_ZSTD_TIMES, (int)(zstd->most >> 20));
	*out = result.pos;
	return true;
}
