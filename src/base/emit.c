/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/emit.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/hex.h"

#define NUMBER_MAX 24 /* digits of any 64-bit number */

void emit_init(struct emit *emit, FILE *file)
{
	emit->file = file;
	emit->at = emit->own;
	emit->used = 0;
	emit->size = EMIT_BUFFER;
	emit->failed = false;
}

void emit_flush(struct emit *emit)
{
	if (!emit->file)
		return;
	fwrite(emit->at, 1, emit->used, emit->file);
	emit->used = 0;
}

void emit_free(struct emit *emit)
{
	if (emit->at != emit->own)
		free(emit->at);
	emit_init(emit, emit->file);
}

static bool grow(struct emit *emit)
{
	bool own = emit->at == emit->own;
	char *at =
		emit->size <= SIZE_MAX / 2 ? realloc(own ? NULL : emit->at, 2 * emit->size) : NULL;

	if (!at)
		return false;
	if (own)
		memcpy(at, emit->own, emit->used);
	emit->at = at;
	emit->size *= 2;
	return true;
}

bool emit_room(struct emit *emit, size_t size)
{
	if (size <= emit->size - emit->used)
		return true;
	if (emit->file)
		emit_flush(emit);
	else
		emit->failed |= !grow(emit);
	return size <= emit->size - emit->used && !emit->failed;
}

/* Names are of any length. */
void emit_long(struct emit *emit, const char *bytes, size_t size)
{
	for (size_t part; size; bytes += part, size -= part) {
		part = size < EMIT_BUFFER ? size : EMIT_BUFFER;
		if (!emit_room(emit, part))
			return;
		memcpy(emit->at + emit->used, bytes, part);
		emit->used += part;
	}
}

void emit_hex(struct emit *emit, uint64_t value)
{
	if (emit_room(emit, HEX_MOST))
		emit->used += hex_write(emit->at + emit->used, value);
}

void emit_dec(struct emit *emit, uint64_t value)
{
	char digits[NUMBER_MAX];
	size_t at = sizeof(digits);

	if (value < 10) {
		emit_char(emit, (char)('0' + value));
		return;
	}
	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	emit_bytes(emit, digits + at, sizeof(digits) - at);
}
