/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Bytes that are kept for a while: a few in memory, more in an unnamed file, which is gone with the
 * program however it ends. */
#ifndef MERGE_TEMPORARY_H
#define MERGE_TEMPORARY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/error.h"

struct temporary {
	const char *folder; /* of the file; borrowed */
	int fd;             /* -1: all is in memory still */
	uint8_t *memory;
	size_t room;
	uint64_t size;
	bool failed; /* what went wrong was this file's fault, and no input's */
};

static inline struct temporary temporary_in(const char *folder)
{
	return (struct temporary){.folder = folder, .fd = -1};
}

/* What is there is forgotten; it can be used again. */
void temporary_close(struct temporary *file);

/* Put bytes behind its end.  BC_IO, BC_NOMEM */
BC_MUST_USE bool temporary_append(struct temporary *file, const void *data, size_t size, struct bc_error *err);

/* Exactly so many bytes from `at` on, which are there.  BC_IO */
BC_MUST_USE bool temporary_read(const struct temporary *file, uint64_t at, void *to, size_t size,
				struct bc_error *err);

/* A stream that appends; its errors are in *why and in ferror().  NULL: out of memory */
FILE *temporary_stream(struct temporary *file, struct bc_error *why);

#endif
