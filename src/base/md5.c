/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/md5.h"

#include "src/base/bytes.h"

#define BLOCK_SIZE ((size_t)64)
#define LENGTH_AT ((size_t)56) /* of the last block: where the number of bits stands */

struct state {
	uint32_t word[4];
};

/* floor(2^32 * |sin(i + 1)|) */
static const uint32_t sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};

static const uint8_t turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

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
