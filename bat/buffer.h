/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A growing buffer that encoders append numbers to: fixed widths, little-endian,
 * and LEB128. */
#ifndef BATCONV_BAT_BUFFER_H
#define BATCONV_BAT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed means empty.  After it ran out of memory it takes no more bytes, so that
 * encoders check `failed` once, at the end.  Its owner frees `data`. */
struct bat_buffer {
	uint8_t *data;
	size_t size, capacity;
	bool failed;
};

void bat_buffer_bytes(struct bat_buffer *s, const uint8_t *data, size_t size);
void bat_buffer_u32(struct bat_buffer *s, uint32_t value);
void bat_buffer_u64(struct bat_buffer *s, uint64_t value);
void bat_buffer_uleb(struct bat_buffer *s, uint64_t value);
void bat_buffer_sleb(struct bat_buffer *s, uint64_t value); /* as two's complement */

#endif
