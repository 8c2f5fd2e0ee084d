/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Numbers in LEB128: written to a growing buffer, and read from bytes that can be anything.
 * All formats but that of the BAT, which libbat reads, are read by leb128_read().
 */
#ifndef BASE_LEB_H
#define BASE_LEB_H

#include "src/base/vec.h"
#include "src/base/bytes.h"

DEFINE_VEC(byte_vec, uint8_t);

enum leb128 {
	LEB128_READ,
	LEB128_CUT,  /* the bytes end in the number */
	LEB128_WIDE, /* it does not fit into 64 bits */
};

/* Reads a number that begins at *at, and moves *at behind it.  A number of more bytes than it
 * needs is read, as LLVM and libbat do, however many they are; one that needs more than 64 bits
 * is not.  A negative number is its two's complement.  Where the result is not LEB128_READ,
 * *at and *out stay as they were. */
enum leb128 leb128_read(const uint8_t **at, const uint8_t *end, bool is_signed, uint64_t *out);

/* A walk over bytes.  The first thing that does not fit marks it as failed, and
 * it reads zeros from then on: fields in a row are checked once, behind the last one. */
struct leb_reader {
	const uint8_t *begin, *at, *end;
	const char *wrong; /* NULL: nothing so far */
};

/* The next number, unsigned. */
uint64_t leb_u(struct leb_reader *reader);

/* The next number, an unsigned one whose lowest bit is the sign: small differences are short. */
int64_t leb_zigzag(struct leb_reader *reader);

/* The next number, which can be at most `most`. */
uint64_t leb_u_below(struct leb_reader *reader, uint64_t most);

/* How many items follow, each of `least` bytes or more. */
size_t leb_count(struct leb_reader *reader, size_t least);

struct bytes leb_bytes(struct leb_reader *reader, uint64_t size);

/* Marks the walk as failed; the first reason stays. */
void leb_fail(struct leb_reader *reader, const char *wrong);

/* False when out of memory. */
bool leb_put_u(struct byte_vec *out, uint64_t value);
bool leb_put_zigzag(struct byte_vec *out, int64_t value);

#endif
