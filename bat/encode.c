/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "bat/encode.h"
#include "bat/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool reserve(struct bat_sink *s, size_t size)
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

void bat_sink_bytes(struct bat_sink *s, const uint8_t *data, size_t size)
{
	if (!size || !reserve(s, size))
		return;
	memcpy(s->data + s->size, data, size);
	s->size += size;
}

void bat_sink_u32(struct bat_sink *s, uint32_t value)
{
	uint8_t bytes[4];

	for (unsigned i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	bat_sink_bytes(s, bytes, sizeof(bytes));
}

void bat_sink_u64(struct bat_sink *s, uint64_t value)
{
	bat_sink_u32(s, (uint32_t)value);
	bat_sink_u32(s, (uint32_t)(value >> 32));
}

void bat_sink_uleb(struct bat_sink *s, uint64_t value)
{
	uint8_t bytes[10];
	size_t size = 0;

	for (; value >= 0x80; value >>= 7)
		bytes[size++] = (uint8_t)(value | 0x80);
	bytes[size++] = (uint8_t)value;
	bat_sink_bytes(s, bytes, size);
}

void bat_sink_sleb(struct bat_sink *s, uint64_t value)
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
	bat_sink_bytes(s, bytes, size);
}

uint32_t bat_kept_entries(const struct bat_features *features,
			  const struct bat_entry *entries, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		kept += bat_keeps_entry(features, entries, count, i);
	return kept;
}

bool bat_fail_unheld(enum bat_layout layout, const struct bat_fragment *f,
		     const char *why, struct bat_error *err)
{
	*err = (struct bat_error){ .code = BAT_UNHELD, .field = "" };
	(void)snprintf(err->text, sizeof(err->text),
		       "layout %s cannot hold the fragment at 0x%llx: %s",
		       bat_layout_name(layout), (unsigned long long)f->address,
		       why);
	return false;
}

bool bat_encode(const struct bat_table *table, enum bat_layout layout,
		uint8_t **data, size_t *size, struct bat_error *err)
{
	struct bat_sink s = { NULL, 0, 0, false };
	bool done = layout == BAT_FIXED ? bat_write_fixed(&s, table, err)
					: bat_write_leb(&s, table, layout, err);

	if (done && s.failed)
		done = bat_fail_nomem(err);
	if (!done) {
		free(s.data);
		return false;
	}
	*data = s.data;
	*size = s.size;
	return true;
}
