/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views of a file's bytes, and numbers in them: little-endian ones, and LEB128. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/vec.h"

struct bytes {
	const uint8_t *data;
	size_t size;
};

/* [offset, offset + size) lies in a whole of `total` bytes. */
static inline bool range_fits(uint64_t offset, uint64_t size, uint64_t total)
{
	return offset <= total && size <= total - offset;
}

/* The part from byte `from` on; empty if there is none. */
static inline struct bytes bytes_from(struct bytes b, uint64_t from)
{
	return from < b.size ? (struct bytes){b.data + from, b.size - (size_t)from} :
			       (struct bytes){NULL, 0};
}

static inline struct bytes bytes_first(struct bytes b, uint64_t size)
{
	return (struct bytes){b.data, size < b.size ? (size_t)size : b.size};
}

static inline uint16_t le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t le32(const uint8_t *p)
{
	return (uint32_t)le16(p) | (uint32_t)le16(p + 2) << 16;
}

static inline uint64_t le64(const uint8_t *p)
{
	return (uint64_t)le32(p) | (uint64_t)le32(p + 4) << 32;
}

/*
 * Numbers in LEB128: written to a growing buffer, and read from bytes that can be anything.
 * All formats but that of the BAT, which libbat reads, are read by leb128_read().
 */

DEFINE_VEC(byte_vec, uint8_t);

enum leb128 {
	LEB128_READ,
	LEB128_CUT,  /* the bytes end in the number */
	LEB128_WIDE, /* it does not fit into 64 bits */
};

/* Reads a number that begins at *at, and moves *at after it.  A number of more bytes than it
 * needs is read, as LLVM and libbat do, however many they are; one that needs more than 64 bits
 * is not.  A negative number is its two's complement.  Where the result is not LEB128_READ,
 * *at and *out stay as they were. */
enum leb128 leb128_read(const uint8_t **at, const uint8_t *end, bool is_signed, uint64_t *out);

/* A walk over bytes.  The first thing that does not fit marks it as failed, and
 * it reads zeros from then on: fields in a row are checked once, after the last one. */
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
