/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Writes numbers and names, fast enough for hundreds of megabytes of text: into a buffer,
 * which is written to a file when it is full.  Without a file the buffer grows, for
 * threads that format text that another thread writes.
 */
#ifndef BASE_EMIT_H
#define BASE_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define EMIT_BUFFER ((size_t)16384)

struct emit {
	FILE *file; /* borrowed; the caller checks ferror().  NULL: the text stays in memory */
	char *at;   /* the text that is not in the file yet: `own`, or memory for emit_free() */
	size_t used, size;
	bool failed; /* out of memory: text is missing */
	char own[EMIT_BUFFER];
};

/* Begin; a file of NULL is memory. */
void emit_init(struct emit *emit, FILE *file);

/* Write the buffer to the file, if there is one. */
void emit_flush(struct emit *emit);

/* Free the memory of a text without a file. */
void emit_free(struct emit *emit);

/* Make room for so many bytes, at most EMIT_BUFFER.  Returns false when out of memory. */
bool emit_room(struct emit *emit, size_t size);

void emit_hex(struct emit *emit, uint64_t value); /* lower case, no 0x */
void emit_dec(struct emit *emit, uint64_t value);

/* The slow case of emit_bytes(): the buffer has not enough space. */
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
