/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/buffer.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(struct bat_buffer *s, size_t size)
{
	size_t capacity = s->capacity;
	uint8_t *data;

	if (s->failed || size <= capacity - s->size)
		return !s->failed;
	while (size > capacity - s->size)
		capacity = capacity ? capacity * 2 : 4096;
	data = realloc(s->data, capacity);
	if (!data) {
		s->failed = true;
		return false;
	}
	s->data = data;
	s->capacity = capacity;
	return true;
}

void bat_buffer_bytes(struct bat_buffer *s, const uint8_t *data, size_t size)
{
	if (!size || !reserve(s, size))
		return;
	memcpy(s->data + s->size, data, size);
	s->size += size;
}

void bat_buffer_u32(struct bat_buffer *s, uint32_t value)
{
	uint8_t bytes[4];

	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	bat_buffer_bytes(s, bytes, sizeof(bytes));
}

void bat_buffer_u64(struct bat_buffer *s, uint64_t value)
{
	bat_buffer_u32(s, (uint32_t)value);
	bat_buffer_u32(s, (uint32_t)(value >> 32));
}

void bat_buffer_uleb(struct bat_buffer *s, uint64_t value)
{
	uint8_t bytes[10];
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (uint8_t)(value | 0x80);
	bytes[size++] = (uint8_t)value;
	bat_buffer_bytes(s, bytes, size);
}

void bat_buffer_sleb(struct bat_buffer *s, uint64_t value)
{
	uint64_t sign = value >> 63 ? UINT64_MAX : 0;
	uint8_t bytes[10];
	size_t size = 0;

	/* Until what is left, and the last bit written, only repeat the sign. */
	while (value >> 6 != sign >> 6) {
		bytes[size++] = (uint8_t)(value | 0x80);
		value = value >> 7 | sign << 57;
	}
	bytes[size++] = value & 0x7f;
	bat_buffer_bytes(s, bytes, size);
}
