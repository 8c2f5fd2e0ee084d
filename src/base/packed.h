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

/* Where `*room` bytes more of the file can be put: whatever was there has been taken.  NULL:
 * something is there still, or the file has ended. */
void *packed_room(struct packed *packed, size_t *room);

/* So many were put there; 0: the file has ended. */
void packed_put(struct packed *packed, size_t size);

/* Up to `size` bytes of what they stand for; less if more of the file is needed first, or at
 * its end.  What unpack_step() says. */
BC_MUST_USE bool packed_take(struct packed *packed, void *to, size_t size, size_t *out, struct bc_error *err);

/* Has the file ended where it may, or too early?  Once nothing more comes. */
bool packed_is_whole(const struct packed *packed);

/* How, and how many bytes of the file were taken. */
enum packing packed_packing(const struct packed *packed, uint64_t *taken);

/* "the gzip data ends early, byte N".  false, for the caller to return. */
bool packed_fail_cut(const struct packed *packed, struct bc_error *err);

/* All that `data` stands for, in new memory, for munmap().  What unpack_step() says, and
 * BC_FORMAT if it ends early. */
BC_MUST_USE bool packed_map(enum packing packing, const void *data, size_t size, const uint8_t **out,
			    size_t *out_size, struct bc_error *err);

#endif
