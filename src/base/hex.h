/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Hexadecimal digits, eight at a time: addresses are most of what text inputs hold.
 */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HEX_EACH UINT64_C(0x0101010101010101)

/* 0x80 in every byte that is not one of 0-9, a-f, A-F. */
static inline uint64_t hex_others(uint64_t bytes)
{
	uint64_t low = bytes & 0x7f * HEX_EACH;
	uint64_t digit = low ^ 0x30 * HEX_EACH;                  /* 0 to 9 */
	uint64_t letter = (low | 0x20 * HEX_EACH) ^ 0x60 * HEX_EACH; /* 1 to 6 */
	/* No sum below passes its byte. */
	uint64_t no_digit = digit + (0x80 - 10) * HEX_EACH;
	uint64_t no_letter = ~(letter + 0x7f * HEX_EACH) | (letter + (0x80 - 7) * HEX_EACH);

	return ((no_digit & no_letter) | bytes) & 0x80 * HEX_EACH;
}

/* The number that eight digits, the first in the lowest byte, stand for; zero bytes
 * count as 0. */
static inline uint64_t hex_value(uint64_t digits)
{
	uint64_t n = (digits & 0x0f * HEX_EACH) + 9 * (digits >> 6 & HEX_EACH);

	n = (n << 4 | n >> 8) & UINT64_C(0x00ff00ff00ff00ff);
	n = (n << 8 | n >> 16) & UINT64_C(0x0000ffff0000ffff);
	return (n << 16 | n >> 32) & UINT64_C(0xffffffff);
}

/* Eight bytes, the first one lowest. */
static inline uint64_t hex_load(const char *at)
{
	uint64_t bytes;

	memcpy(&bytes, at, sizeof(bytes));
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(bytes) : bytes;
}

/* Add the digits that begin at `at`, 8 at most, to *value; returns how many they are.
 * Reads 8 bytes. */
static inline unsigned hex_some(const char *at, uint64_t *value)
{
	uint64_t bytes = hex_load(at), others = hex_others(bytes);

	if (!others) {
		*value = *value << 32 | hex_value(bytes);
		return 8;
	}
	unsigned count = (unsigned)__builtin_ctzll(others) / 8;
	if (count)
		*value = *value << 4 * count | hex_value(bytes << 8 * (8 - count));
	return count;
}

/* How many hexadecimal digits stand at the front of [at, end); *value is the number of
 * the last 16 of them. */
static inline size_t hex_read(const char *at, const char *end, uint64_t *value)
{
	const char *p = at;
	unsigned some = 8;

	*value = 0;
	while (some == 8 && end - p >= 8) {
		some = hex_some(p, value);
		p += some;
	}
	if (some == 8 && p < end) { /* the last bytes, less than 8 */
		char rest[8] = {0};
		memcpy(rest, p, (size_t)(end - p));
		p += hex_some(rest, value);
	}
	return (size_t)(p - at);
}

#endif
