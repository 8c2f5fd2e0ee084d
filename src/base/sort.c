/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/sort.h"

#include <stdlib.h>

#include "src/base/vec.h"

/* Radix sort, 11 bits at a time from the lowest: addresses of one file differ in
 * some 30 bits, and a pass over bits in which none differ is left out. */
#define DIGIT_BITS 11
#define DIGITS     ((size_t)1 << DIGIT_BITS)

static size_t digit(uint64_t key, unsigned shift)
{
	return (size_t)(key >> shift) & (DIGITS - 1);
}

static void one_pass(const struct keyed *from, struct keyed *to, size_t count, unsigned shift)
{
	size_t next[DIGITS] = {0}, sum = 0;

	for (size_t i = 0; i < count; i++)
		next[digit(from[i].key, shift)]++;
	for (size_t d = 0; d < DIGITS; d++) {
		size_t here = next[d];
		next[d] = sum;
		sum += here;
	}
	for (size_t i = 0; i < count; i++)
		to[next[digit(from[i].key, shift)]++] = from[i];
}

/* The bits in which keys differ; 0 also if they are sorted already. */
static uint64_t unsorted_bits(const struct keyed *items, size_t count)
{
	uint64_t differ = 0;
	bool sorted = true;

	for (size_t i = 1; i < count; i++) {
		differ |= items[i].key ^ items[0].key;
		sorted &= items[i - 1].key <= items[i].key;
	}
	return sorted ? 0 : differ;
}

bool sort_keyed(struct keyed *items, size_t count)
{
	uint64_t differ = unsorted_bits(items, count);

	if (!differ)
		return true;
	struct keyed *other = large_pages(malloc(count * sizeof(*other)), count * sizeof(*other));
	if (!other)
		return false;
	struct keyed *from = items, *to = other;
	for (unsigned shift = 0; shift < 64; shift += DIGIT_BITS) {
		if (!digit(differ, shift))
			continue;
		one_pass(from, to, count, shift);
		struct keyed *swap = from;
		from = to;
		to = swap;
	}
	for (size_t i = 0; i < count && from != items; i++)
		items[i] = from[i];
	free(other);
	return true;
}
