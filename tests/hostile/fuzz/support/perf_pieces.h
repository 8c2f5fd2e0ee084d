/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * perf.data as what is before its records, the records, and what is after
 * them.  When records grow, shrink, come or go, the sizes and offsets in the header
 * and in the table of features follow.
 */
#ifndef TESTS_HOSTILE_FUZZ_SUPPORT_PERF_PIECES_H
#define TESTS_HOSTILE_FUZZ_SUPPORT_PERF_PIECES_H

#include "tests/hostile/fuzz/support/mutators.h"

enum {
	HEADER = 8,      /* of a record: type, misc, size */
	LONGEST = 65528, /* a record */
	ATTR = 64,       /* the first type that perf adds; below are the kernel's */
};

/* A record, or bytes that cannot be cut into records. */
struct perf_piece {
	uint8_t *data;
	size_t size;
};

struct perf_pieces {
	struct growing head, tail;
	struct perf_piece *at;
	size_t count, capacity;
	uint64_t data_size; /* as it was */
	bool is_pipe;
};

/* False: it is no perf.data that can be cut. */
bool perf_pieces_read(const uint8_t *data, size_t size, struct perf_pieces *out);

/* settled: sizes and offsets follow. */
void perf_pieces_write(struct perf_pieces *r, bool settled, struct growing *out);
void perf_pieces_free(struct perf_pieces *r);

void perf_pieces_insert(struct perf_pieces *r, size_t at, const uint8_t *data, size_t size);
void perf_pieces_leave_out(struct perf_pieces *r, size_t at);

/* Cuts bytes into records and inserts these; what cannot be cut stays in one part. */
void perf_pieces_insert_all(struct perf_pieces *r, size_t at, const uint8_t *data, size_t size);

/* Replaces a run of records by one or two compressed ones, cut anywhere. */
void perf_pieces_compress(struct perf_pieces *r, struct prng *random);

/* Replaces all compressed records by what they contain. */
void perf_pieces_uncompress(struct perf_pieces *r);

/* Little-endian numbers of up to 8 bytes. */
uint64_t perf_piece_get(const uint8_t *at, size_t size);
void perf_piece_put(uint8_t *at, uint64_t value, size_t size);

/* 0: it is shorter than a header. */
unsigned perf_piece_type(const struct perf_piece *p);

/* Sets the size in the header, unless the part is too large for it. */
void perf_piece_settle(struct perf_piece *p);

#endif
