/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where encoders put their bytes: fixed widths, little-endian, and LEB128. */
#ifndef BATCONV_BAT_SINK_H
#define BATCONV_BAT_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing buffer.  After running out of memory it takes no more bytes:
 * encoders need not look at `failed` before the end.  Begins zeroed; whoever made it
 * frees `data`. */
struct bat_sink {
	uint8_t *data;
	size_t size, capacity;
	bool failed;
};

void bat_sink_bytes(struct bat_sink *s, const uint8_t *data, size_t size);
void bat_sink_u32(struct bat_sink *s, uint32_t value);
void bat_sink_u64(struct bat_sink *s, uint64_t value);
void bat_sink_uleb(struct bat_sink *s, uint64_t value);
void bat_sink_sleb(struct bat_sink *s, uint64_t value); /* as two's complement */

#endif
