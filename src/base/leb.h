/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers in LEB128: written to a growing buffer, read from bytes that may be
 * anything. */
#ifndef BASE_LEB_H
#define BASE_LEB_H

#include "src/base/vec.h"
#include "src/base/bytes.h"

DEFINE_VEC(byte_vec, uint8_t);

/* A walk over bytes.  The first thing that does not fit marks it as failed, and
 * it reads zeros from then on: a run of fields is checked once, at its end. */
struct leb_reader {
	const uint8_t *begin, *at, *end;
	const char *wrong; /* NULL: nothing so far */
};

/* Up to 64 bits in up to ten bytes. */
uint64_t leb_u(struct leb_reader *reader);
int64_t leb_s(struct leb_reader *reader);

/* At most `most`. */
uint64_t leb_u_below(struct leb_reader *reader, uint64_t most);

/* How many items follow, each of `least` bytes or more. */
size_t leb_count(struct leb_reader *reader, size_t least);

struct bytes leb_bytes(struct leb_reader *reader, uint64_t size);

/* Marks the walk as failed; the first reason stays. */
void leb_fail(struct leb_reader *reader, const char *wrong);

/* False when out of memory. */
bool leb_put_u(struct byte_vec *out, uint64_t value);
bool leb_put_s(struct byte_vec *out, int64_t value);

#endif
