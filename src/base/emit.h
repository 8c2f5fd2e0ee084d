/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Text by the hundred megabytes: numbers and names into a buffer, and that into a file
 * when it is full.  Or without a file: the buffer grows, for who formats what another
 * thread writes.
 */
#ifndef BASE_EMIT_H
#define BASE_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EMIT_BUFFER ((size_t)32768)

struct emit {
	FILE *file; /* borrowed; errors are for ferror() to tell.  NULL: kept in memory */
	char *at;   /* what is not in the file yet: `own`, or for emit_free() */
	size_t used, size;
	bool failed; /* out of memory: text is missing */
	char own[EMIT_BUFFER];
};

/* Begin; a file of NULL is memory. */
void emit_init(struct emit *emit, FILE *file);

/* Have all of it in the file.  Nothing for memory. */
void emit_flush(struct emit *emit);

/* Only memory needs it. */
void emit_free(struct emit *emit);

/* Make room for so many bytes, at most EMIT_BUFFER.  Returns false when out of memory. */
bool emit_room(struct emit *emit, size_t size);

void emit_hex(struct emit *emit, uint64_t value); /* lower case, no 0x */
void emit_dec(struct emit *emit, uint64_t value);

/* For emit_bytes(), where there is no room. */
void emit_long(struct emit *emit, const char *bytes, size_t size);

static inline void emit_bytes(struct emit *emit, const char *bytes, size_t size)
{
	if (size > emit->size - emit->used) {
		emit_long(emit, bytes, size);
		return;
	}
	memcpy(emit->at + emit->used, bytes, size);
	emit->used += size;
}

static inline void emit_string(struct emit *emit, const char *string)
{
	emit_bytes(emit, string, strlen(string));
}

static inline void emit_char(struct emit *emit, char c)
{
	if (emit->used < emit->size || emit_room(emit, 1))
		emit->at[emit->used++] = c;
}

#endif
