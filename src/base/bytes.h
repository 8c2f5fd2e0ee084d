/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Views of a file's bytes, and little-endian numbers in them. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	return from < b.size ? (struct bytes){b.data + from, b.size - (size_t)from}
			     : (struct bytes){NULL, 0};
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

#endif
