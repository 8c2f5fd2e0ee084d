/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Compressed records.  perf compresses what it took out of one ring buffer at a
 * time; the zstd frame goes on from record to record over the whole file, and
 * records inside can be cut where a compressed one ends.
 */
#ifndef EVENT_PERF_DATA_ZSTD_H
#define EVENT_PERF_DATA_ZSTD_H

#include "src/base/error.h"
#include "src/base/bytes.h"

/* No compressed record may hold more, unless the file says that its ring
 * buffers are larger.  (64 KiB of zstd can stand for 2 GiB.) */
#define PERF_ZSTD_MOST (UINT64_C(256) << 20)

/* The most output of all records together: so many times their own bytes, and in addition the
 * most output of one record. */
#define PERF_ZSTD_TIMES 1024

struct perf_zstd {
	void *stream; /* ZSTD_DStream; made when it is first needed */
	struct bytes input;
	uint64_t most, left; /* output per record, and what this one still may give */
	uint64_t packed, unpacked; /* bytes of all records so far */
};

void perf_zstd_fini(struct perf_zstd *zstd);

/* Continue with the payload of the next record, which must be valid until perf_zstd_read() has
 * returned all output.  ring_size: as the file says it, or 0. */
BC_MUST_USE bool perf_zstd_begin(struct perf_zstd *zstd, struct bytes payload,
				 uint64_t ring_size, struct bc_error *err);

/* Decompress into `to`; `capacity` is not 0.  *out is 0 when the payload is used up.
 *
 * BC_FORMAT  not zstd, damaged, or more output than a record, or all together, may have */
BC_MUST_USE bool perf_zstd_read(struct perf_zstd *zstd, uint8_t *to, size_t capacity, size_t *out,
				struct bc_error *err);

#endif
