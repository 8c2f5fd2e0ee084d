/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Decompresses gzip (RFC 1952), zstd (RFC 8878) and xz, which are recognized by their first
 * bytes.  Several compressed parts one after the other are one content, as for their own
 * tools.  Input and output are given in chunks, so that memory does not grow with their size.
 *
 * Data whose content is very much larger than itself is refused: recordings and binaries are
 * not like that, and a user who has such a file can decompress it first.
 */
#ifndef BASE_UNPACK_H
#define BASE_UNPACK_H

#include <stddef.h>
#include <stdint.h>

#include "src/base/error.h"

enum packing { PACKING_NONE, PACKING_GZIP, PACKING_ZSTD, PACKING_XZ };

/* The number of bytes that packing_of() needs. */
#define PACKING_MAGIC 6

/* What data begins with, of which PACKING_MAGIC bytes are looked at, if there are as many. */
enum packing packing_of(const void *data, size_t size);

/* "gzip", "zstd", "xz" */
const char *packing_name(enum packing packing);

/* The most output: `always` bytes, and `times` bytes for each byte of input. */
struct unpack_limit {
	uint64_t always, times;
};

struct unpack; /* opaque */

/* NULL, and BC_NOMEM in err */
struct unpack *unpack_create(enum packing packing, struct unpack_limit limit, struct bc_error *err);
void unpack_destroy(struct unpack *unpack); /* or NULL */

struct unpack_step {
	const uint8_t *in; /* moves on after what was taken */
	size_t in_size;
	bool last; /* nothing comes after `in` */
	uint8_t *out;
	size_t capacity, got; /* bytes of out; of these, written */
};

/* Take what can be taken, until `in` is empty or `out` is full.
 *
 * BC_FORMAT       damaged
 * BC_UNSUPPORTED  more than the limit, or a window that needs too much memory
 * BC_NOMEM
 * The text lacks the name of the file, for bc_fail_prefix(). */
BC_MUST_USE bool unpack_step(struct unpack *unpack, struct unpack_step *step, struct bc_error *err);

enum packing unpack_packing(const struct unpack *unpack);

/* Can the data end here?  If not, it was cut. */
bool unpack_is_whole(const struct unpack *unpack);

/* Bytes taken so far. */
uint64_t unpack_taken(const struct unpack *unpack);

/* Bytes of memory that it takes, once it has begun. */
size_t unpack_memory(const struct unpack *unpack);

/* Fails with "the gzip data ends early, byte N".  Returns false. */
bool unpack_fail_cut(const struct unpack *unpack, struct bc_error *err);

/* Decompress all of `data` into new memory, for munmap().  Errors as of unpack_step(), and
 * BC_FORMAT if it ends early. */
BC_MUST_USE bool unpack_map(enum packing packing, const void *data, size_t size,
			    const uint8_t **out, size_t *out_size, struct bc_error *err);

#endif
