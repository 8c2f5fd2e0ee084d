/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "tests/hostile/fuzz/support/mutators.h"

void growing_add(struct growing *g, const void *data, size_t size)
{
	if (!size)
		return;
	if (size > g->capacity - g->size) {
		g->capacity = 2 * (g->size + size);
		g->data = realloc(g->data, g->capacity);
		if (!g->data)
			abort();
	}
	memcpy(g->data + g->size, data, size);
	g->size += size;
}

void growing_number(struct growing *g, uint64_t value, size_t size)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	growing_add(g, bytes, size);
}

uint64_t mutate_number(struct prng *random, uint64_t value, unsigned bits)
{
	static const uint64_t edges[] = {0,
					 1,
					 7,
					 8,
					 0x7f,
					 0x80,
					 0xff,
					 0x7fff,
					 0xffff,
					 0x7fffffff,
					 0x80000000,
					 UINT32_MAX,
					 UINT64_C(1) << 47,
					 INT64_MAX,
					 UINT64_C(1) << 63,
					 UINT64_MAX};
	uint64_t some = prng_next(random);

	switch (some >> 8 & 7) {
	case 0: return value + 1;
	case 1: return value - 1;
	case 2: return value + (some >> 16) % 64 - 32;
	case 3: return 0 - value;
	case 4: return value ^ UINT64_C(1) << (some >> 16) % bits;
	case 5: return edges[(some >> 16) % (sizeof(edges) / sizeof(edges[0]))];
	case 6: return value << 1;
	default: return prng_next(random) >> (some >> 16) % 64;
	}
}
