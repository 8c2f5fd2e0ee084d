/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Text by the hundred megabytes: numbers and names into a buffer, that into a
 * file.  Errors of the file are for ferror() to tell. */
#ifndef BASE_EMIT_H
#define BASE_EMIT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define EMIT_BUFFER 32768

struct emit {
	FILE *file; /* borrowed */
	size_t used;
	char buffer[EMIT_BUFFER];
};

void emit_flush(struct emit *emit);

void emit_bytes(struct emit *emit, const char *bytes, size_t size);
void emit_string(struct emit *emit, const char *string);
void emit_hex(struct emit *emit, uint64_t value); /* lower case, no 0x */
void emit_dec(struct emit *emit, uint64_t value);

static inline void emit_char(struct emit *emit, char c)
{
	if (emit->used == EMIT_BUFFER)
		emit_flush(emit);
	emit->buffer[emit->used++] = c;
}

#endif
