/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A second decoder of BAT descriptors, written from docs/bat-format.md as plainly as
 * it can be: lists that grow, one function per layout, no checks of counts before the
 * bytes themselves run out, searches from one end to the other.
 */
#ifndef TESTS_HOSTILE_FUZZ_SUPPORT_NAIVE_BAT_H
#define TESTS_HOSTILE_FUZZ_SUPPORT_NAIVE_BAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bat/bat.h"
#include "src/base/vec.h"

struct naive_entry {
	uint32_t output, input; /* input: offset << 1 | branch */
	uint64_t hash;
	uint32_t index;
};
DEFINE_VEC(naive_entries, struct naive_entry);
DEFINE_VEC(naive_numbers, uint32_t);

struct naive_fragment {
	uint64_t address, hash, stored_hot;
	bool cold;
	uint32_t blocks;
	struct naive_entries entries;
	struct naive_numbers secondary;
	uint32_t parent;
};
DEFINE_VEC(naive_fragments, struct naive_fragment);

struct naive_table {
	struct naive_fragments all; /* by address, hot before cold */
	uint32_t zero_starts; /* that begin with block 0 -> 0, of those that distinguish layouts */
};

/* False: the bytes are no table of this layout.  Free it either way. */
bool naive_decode(enum bat_layout layout, const uint8_t *data, size_t size,
		  struct naive_table *out);
void naive_free(struct naive_table *table);

uint32_t naive_translate(const struct naive_fragment *f, uint32_t offset, bool is_source);

/* The edges of a trace: from and to in turns. */
void naive_fallthroughs(const struct naive_fragment *f, uint32_t from, uint32_t to,
			struct naive_numbers *out);

#endif
