/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/emit.h"

#include <string.h>

#define NUMBER_MAX 24 /* digits of any 64-bit number */

void emit_flush(struct emit *emit)
{
	fwrite(emit->buffer, 1, emit->used, emit->file);
	emit->used = 0;
}

void emit_bytes(struct emit *emit, const char *bytes, size_t size)
{
	if (size > EMIT_BUFFER - emit->used)
		emit_flush(emit);
	if (size > EMIT_BUFFER) {
		fwrite(bytes, 1, size, emit->file);
		return;
	}
	memcpy(emit->buffer + emit->used, bytes, size);
	emit->used += size;
}

void emit_string(struct emit *emit, const char *string)
{
	emit_bytes(emit, string, strlen(string));
}

static void emit_number(struct emit *emit, uint64_t value, unsigned base)
{
	char digits[NUMBER_MAX];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	emit_bytes(emit, digits + at, sizeof(digits) - at);
}

void emit_hex(struct emit *emit, uint64_t value)
{
	emit_number(emit, value, 16);
}

void emit_dec(struct emit *emit, uint64_t value)
{
	emit_number(emit, value, 10);
}
