/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Reads hexadecimal digits, eight or sixteen at a time: text inputs are mostly addresses.
 */
#ifndef BASE_HEX_H
#define BASE_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Bytes that can be read after a line, its newline included or not, where digits are read without a
 * look at where the line ends. */
#define TEXT_AFTER ((size_t)16)

#define HEX_EACH UINT64_C(0x0101010101010101)

/* 0x80 in every byte that is not one of 0-9, a-f, A-F. */
static inline uint64_t hex_others(uint64_t bytes)
{
	uint64_t low = bytes & 0x7f * HEX_EACH;
	uint64_t digit = low ^ 0x30 * HEX_EACH;                      /* 0 to 9 */
	uint64_t letter = (low | 0x20 * HEX_EACH) ^ 0x60 * HEX_EACH; /* 1 to 6 */
	/* No sum below passes its byte. */
	uint64_t no_digit = digit + (0x80 - 10) * HEX_EACH;
	uint64_t no_letter = ~(letter + 0x7f * HEX_EACH) | (letter + (0x80 - 7) * HEX_EACH);

	return ((no_digit & no_letter) | bytes) & 0x80 * HEX_EACH;
}

/* The number that eight digits, the first in the lowest byte, represent; zero bytes
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

#ifdef __SSE2__
/* Every x86-64 processor has this: sixteen at a time. */
#define HEX_WIDE 16

static inline __m128i hex_between(__m128i bytes, char first, char last)
{
	return _mm_and_si128(_mm_cmpgt_epi8(bytes, _mm_set1_epi8((char)(first - 1))),
			     _mm_cmplt_epi8(bytes, _mm_set1_epi8((char)(last + 1))));
}

/* The digits that begin at `at`, 16 at most: *value is their number, and returns how many
 * they are.  Reads 16 bytes. */
static inline unsigned hex_wide(const char *at, uint64_t *value)
{
	const __m128i low = _mm_set1_epi8(0x0f);
	__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
	__m128i letters = hex_between(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), 'a', 'f');
	__m128i digits = _mm_or_si128(hex_between(bytes, '0', '9'), letters);
	unsigned others = ~(unsigned)_mm_movemask_epi8(digits) & 0xffff;
	unsigned count = others ? (unsigned)__builtin_ctz(others) : 16;
	/* 0 to 15 each; then pairs as bytes, the first digit highest. */
	__m128i n =
		_mm_and_si128(_mm_add_epi8(bytes, _mm_and_si128(letters, _mm_set1_epi8(9))), low);
	n = _mm_and_si128(_mm_or_si128(_mm_slli_epi16(n, 4), _mm_srli_epi16(n, 8)),
			  _mm_set1_epi16(0xff));
	n = _mm_packus_epi16(n, n);
	uint64_t first_lowest = (uint64_t)_mm_cvtsi128_si64(n);

	*value = count ? __builtin_bswap64(first_lowest) >> (64 - 4 * count) : 0;
	return count;
}
#endif

/* The same for every processor. */
static inline unsigned hex_open(const char *at, uint64_t *value)
{
#ifdef __SSE2__
	return hex_wide(at, value);
#else
	*value = 0;
	unsigned count = hex_some(at, value);
	return count == 8 ? count + hex_some(at + 8, value) : count;
#endif
}

#define HEX_MOST 16 /* digits of any number */

/* Write a number, in lower case; returns how many digits it has.  Writes HEX_MOST bytes. */
static inline unsigned hex_write(char *to, uint64_t value)
{
	unsigned digits = value ? (67 - (unsigned)__builtin_clzll(value)) / 4 : 1;

	value <<= 64 - 4 * digits;
#ifdef __SSE2__
	const __m128i low = _mm_set1_epi8(0x0f);
	__m128i bytes = _mm_cvtsi64_si128(
		(long long)__builtin_bswap64(value)); /* the first digit's in the lowest */
	__m128i n = _mm_unpacklo_epi8(_mm_and_si128(_mm_srli_epi16(bytes, 4), low),
				      _mm_and_si128(bytes, low));
	__m128i letters =
		_mm_and_si128(_mm_cmpgt_epi8(n, _mm_set1_epi8(9)), _mm_set1_epi8('a' - '0' - 10));
	_mm_storeu_si128((__m128i *)(void *)to,
			 _mm_add_epi8(_mm_add_epi8(n, _mm_set1_epi8('0')), letters));
#else
	for (unsigned i = 0; i < HEX_MOST; i++, value <<= 4)
		to[i] = "0123456789abcdef"[value >> 60];
#endif
	return digits;
}

/* How many hexadecimal digits are at the front of [at, end); *value is the number of
 * the last 16 of them. */
static inline size_t hex_read(const char *at, const char *end, uint64_t *value)
{
	const char *p = at;
	unsigned some = 8;

#ifdef __SSE2__
	if (end - at >= HEX_WIDE) {
		unsigned count = hex_wide(at, value);
		if (count < HEX_WIDE)
			return count;
	}
#endif
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
