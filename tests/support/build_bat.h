/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Descriptors assembled byte by byte, so that a test shows the wrong one. */
#ifndef TESTS_SUPPORT_BUILD_BAT_H
#define TESTS_SUPPORT_BUILD_BAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bat/bat.h"

struct build_bat {
	uint8_t data[4096];
	size_t size;
};

/* Each appends one value; running out of room is a failed assertion. */
void build_u8(struct build_bat *b, uint8_t value);
void build_u32(struct build_bat *b, uint32_t value);
void build_u64(struct build_bat *b, uint64_t value);
void build_uleb(struct build_bat *b, uint64_t value);
void build_sleb(struct build_bat *b, int64_t value);

/* Appends a value with `padding` more bytes than it needs. */
void build_padded_uleb(struct build_bat *b, uint64_t value, unsigned padding);

/* Have the tables the same content?  The order in which the arrays hold the entries may differ. */
bool bat_same_table(const struct bat_table *a, const struct bat_table *b);

#endif
