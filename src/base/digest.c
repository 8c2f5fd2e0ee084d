/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/digest.h"

#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

#include "src/base/bytes.h"

#define BLOCK_SIZE ((size_t)64)
#define LENGTH_AT  ((size_t)56) /* of the last block: where the number of bits is */

struct state {
	uint32_t word[4];
};

/* floor(2^32 * |sin(i + 1)|) */
static const uint32_t sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
	0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
	0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
	0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
	0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
	0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
	0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
	0xeb86d391,
};

static const uint8_t turns[4][4] = {
	{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

/* What round number `round` makes of three words. */
static uint32_t mixed(unsigned round, uint32_t x, uint32_t y, uint32_t z)
{
	switch (round) {
	case 0: return (x & y) | (~x & z);
	case 1: return (x & z) | (y & ~z);
	case 2: return x ^ y ^ z;
	default: return y ^ (x | ~z);
	}
}

static void take_block(struct state *state, const uint8_t *block)
{
	static const uint8_t step[4] = {1, 5, 3, 7}, first[4] = {0, 1, 5, 0};
	uint32_t a = state->word[0], b = state->word[1], c = state->word[2], d = state->word[3];

	for (unsigned i = 0; i < 64; i++) {
		unsigned round = i / 16;
		unsigned at = (first[round] + step[round] * i) % 16;
		uint32_t sum = a + mixed(round, b, c, d) + le32(block + (size_t)4 * at) + sines[i];
		unsigned turn = turns[round][i % 4];
		a = d;
		d = c;
		c = b;
		b += sum << turn | sum >> (32 - turn);
	}
	state->word[0] += a;
	state->word[1] += b;
	state->word[2] += c;
	state->word[3] += d;
}

/* The end of the text, a bit that ends it, and its length. */
static void take_end(struct state *state, const uint8_t *rest, size_t left, uint64_t length)
{
	uint8_t last[2 * BLOCK_SIZE] = {0};
	size_t size = left < LENGTH_AT ? BLOCK_SIZE : 2 * BLOCK_SIZE;

	if (left)
		memcpy(last, rest, left);
	last[left] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		last[size - BLOCK_SIZE + LENGTH_AT + i] = (uint8_t)(length * 8 >> 8 * i);
	for (size_t at = 0; at < size; at += BLOCK_SIZE)
		take_block(state, last + at);
}

uint64_t md5_guid(struct text name)
{
	struct state state = {{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
	const uint8_t *at = (const uint8_t *)name.at;
	size_t left = name.len;

	for (; left >= BLOCK_SIZE; at += BLOCK_SIZE, left -= BLOCK_SIZE)
		take_block(&state, at);
	take_end(&state, at, left, name.len);
	return state.word[0] | (uint64_t)state.word[1] << 32;
}

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t roots[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned by)
{
	return x >> by | x << (32 - by);
}

static void expand(const uint8_t *block, uint32_t w[64])
{
	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];
		w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + w[i - 7] +
		       (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
	}
}

static void plain_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t w[64], s[8];

	expand(block, w);
	memcpy(s, state, sizeof(s));
	for (unsigned i = 0; i < 64; i++) {
		uint32_t a = s[0], e = s[4];
		uint32_t first = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
				 ((e & s[5]) ^ (~e & s[6])) + roots[i] + w[i];
		uint32_t second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
				  ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += first;
		s[0] = first + second;
	}
	for (unsigned i = 0; i < 8; i++)
		state[i] += s[i];
}

#if defined(__x86_64__)

#define WITH_SHA __attribute__((target("sha,sse4.1,ssse3")))

/* CPUID, leaf 7: bit 29 of EBX; leaf 1: SSSE3 and SSE4.1 are bits 9 and 19 of ECX. */
static bool has_instructions(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 9) || !(c & 1u << 19))
		return false;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & 1u << 29;
}

/* The next four words of the schedule: w[0] is the oldest four. */
WITH_SHA static inline __m128i next_words(const __m128i w[4])
{
	__m128i sum =
		_mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]), _mm_alignr_epi8(w[3], w[2], 4));

	return _mm_sha256msg2_epu32(sum, w[3]);
}

WITH_SHA static inline __m128i load(const void *at)
{
	return _mm_loadu_si128(at);
}

WITH_SHA static inline void store(void *at, __m128i value)
{
	_mm_storeu_si128(at, value);
}

/* The instructions have the state as (a, b, e, f) and (c, d, g, h), from the top. */
WITH_SHA static void fast_blocks(uint32_t state[8], const uint8_t *block, size_t count)
{
	const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
	__m128i abcd = _mm_shuffle_epi32(load(state), 0xb1),
		efgh = _mm_shuffle_epi32(load(state + 4), 0x1b);
	__m128i abef = _mm_alignr_epi8(abcd, efgh, 8), cdgh = _mm_blend_epi16(efgh, abcd, 0xf0);

	for (; count; count--, block += 64) {
		__m128i first[] = {abef, cdgh};
		__m128i w[] = {load(block), load(block + 16), load(block + 32), load(block + 48)};
		for (size_t i = 0; i < 4; i++)
			w[i] = _mm_shuffle_epi8(w[i], swap);
		for (size_t i = 0; i < 16; i++) {
			__m128i sum = _mm_add_epi32(w[0], load(roots + 4 * i));
			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
			__m128i next = i < 12 ? next_words(w) : w[0];
			w[0] = w[1];
			w[1] = w[2];
			w[2] = w[3];
			w[3] = next;
		}
		abef = _mm_add_epi32(abef, first[0]);
		cdgh = _mm_add_epi32(cdgh, first[1]);
	}
	abcd = _mm_shuffle_epi32(abef, 0x1b);
	efgh = _mm_shuffle_epi32(cdgh, 0xb1);
	store(state, _mm_blend_epi16(abcd, efgh, 0xf0));
	store(state + 4, _mm_alignr_epi8(efgh, abcd, 8));
}

#else

static bool has_instructions(void)
{
	return false;
}

static void fast_blocks(uint32_t state[8], const uint8_t *block, size_t count)
{
	(void)state;
	(void)block;
	(void)count;
}

#endif

static void take_blocks(struct sha256 *sha, const uint8_t *block, size_t count)
{
	if (sha->fast) {
		fast_blocks(sha->state, block, count);
		return;
	}
	for (; count; count--, block += 64)
		plain_block(sha->state, block);
}

/* The first 32 bits of the fractional parts of the square roots of the first 8 primes. */
void sha256_begin(struct sha256 *sha)
{
	*sha = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
					 0x9b05688c, 0x1f83d9ab, 0x5be0cd19},
			       .fast = has_instructions()};
}

void sha256_add(struct sha256 *sha, const void *data, size_t size)
{
	const uint8_t *at = data;

	while (size) {
		size_t have = sha->size % 64, some = size < 64 - have ? size : 64 - have;
		if (!have && size >= 64) {
			some = size - size % 64;
			take_blocks(sha, at, some / 64);
		} else {
			memcpy(sha->block + have, at, some);
			if (have + some == 64)
				take_blocks(sha, sha->block, 1);
		}
		sha->size += some;
		at += some;
		size -= some;
	}
}

void sha256_end(struct sha256 *sha, uint8_t out[SHA256_SIZE])
{
	uint64_t bits = 8 * sha->size;
	uint8_t tail[72] = {0x80};
	size_t fill = (sha->size % 64 < 56 ? 56 : 120) - sha->size % 64;

	for (unsigned i = 0; i < 8; i++)
		tail[fill + i] = (uint8_t)(bits >> (56 - 8 * i));
	sha256_add(sha, tail, fill + 8);
	for (unsigned i = 0; i < SHA256_SIZE; i++)
		out[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}
