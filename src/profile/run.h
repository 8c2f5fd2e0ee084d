/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where items come from, and where they are kept for a while. */
#ifndef PROFILE_RUN_H
#define PROFILE_RUN_H

#include <stdio.h>

#include "src/base/emit.h"
#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/profile/item.h"

/* Where items come from, one after the other. */
struct source {
	/* The next item, valid until the next call.  False at the end, with BC_OK in `err`, and on
	 * errors. */
	bool (*next)(struct source *source, struct profile_item *out, struct bc_error *err);
	void (*close)(struct source *source); /* and free it */
};

static inline void source_close(struct source *source)
{
	if (source)
		source->close(source);
}

/* Bytes that are kept for a while: a few in memory, more in an unnamed file, which is gone with the
 * program however it ends. */
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

/* A run: items in a temporary file, one behind the other.  Of a key only what the one before does not
 * begin with is there. */
struct run {
	struct temporary *file; /* borrowed */
	uint64_t begin, end;    /* bytes of it */
};
DEFINE_VEC(run_vec, struct run);

struct run_writer {
	struct run run;
	struct key last;
	uint8_t *buffer;
	size_t used;
};

/* false: out of memory */
BC_MUST_USE bool run_begin(struct run_writer *writer, struct temporary *file);
/* BC_IO, BC_NOMEM */
BC_MUST_USE bool run_put(struct run_writer *writer, const struct profile_item *item, struct bc_error *err);
/* Of an unfinished one, too. */
BC_MUST_USE bool run_end(struct run_writer *writer, struct run *out, struct bc_error *err);
void run_abandon(struct run_writer *writer);

/* A source that reads a run.  NULL: BC_NOMEM */
struct source *run_open(struct run run, struct bc_error *err);

#endif
