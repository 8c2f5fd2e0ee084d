/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A compressed file, on its way from a descriptor or out of memory. */
#ifndef BASE_PACKED_H
#define BASE_PACKED_H

#include "src/base/unpack.h"

struct packed; /* opaque */

/* head: the first bytes of the file, which were read already; copied.
 * NULL: BC_NOMEM */
struct packed *packed_open(enum packing packing, const void *head, size_t size, struct bc_error *err);
void packed_close(struct packed *packed); /* or NULL */

/* The buffer for more bytes of the file, *capacity bytes, when the last ones were taken.  NULL: they
 * were not, or the file has ended. */
void *packed_room(struct packed *packed, size_t *capacity);

/* `size` bytes of the file are in the buffer now; 0: the file has ended. */
void packed_put(struct packed *packed, size_t size);

/* Decompress up to `size` bytes; fewer if more of the file is needed first, or at its end.
 * Errors as of unpack_step(). */
BC_MUST_USE bool packed_take(struct packed *packed, void *to, size_t size, size_t *out, struct bc_error *err);

/* Is the compressed data complete?  Asked at the end of the file. */
bool packed_is_whole(const struct packed *packed);

/* At the end of the file: is it no shard, or one that is as it was written?  shard_frames.h */
BC_MUST_USE bool packed_check_shard(const struct packed *packed, struct bc_error *err);

/* Bytes of memory that it takes, once something was decompressed. */
size_t packed_memory(const struct packed *packed);

/* How the file is compressed.  *taken: the bytes of the file that were decompressed. */
enum packing packed_packing(const struct packed *packed, uint64_t *taken);

/* Fails with "the gzip data ends early, byte N".  Returns false. */
bool packed_fail_cut(const struct packed *packed, struct bc_error *err);

/* Decompress all of `data` into new memory, for munmap().  Errors as of unpack_step(), and BC_FORMAT
 * if it ends early. */
BC_MUST_USE bool packed_map(enum packing packing, const void *data, size_t size, const uint8_t **out,
			    size_t *out_size, struct bc_error *err);

#endif
