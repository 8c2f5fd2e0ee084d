/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Parts of a large file, compressed, in a small one.  Whoever maps the small file
 * gets the large one, with zeros for what was left out; these take no memory.
 *
 *   "BATCONV-SPARSE2\n", then little-endian
 *   u64 size of the large file
 *   u64 number of parts; of each: u64 offset, u64 size; ascending, not overlapping a zstd frame,
 *   with checksum, which ends the file: a digest of 32 bytes (zeros: none), then the parts' bytes
 *
 * What the digest is of is for those who write and use it: code_digest() of src/elf/binary.h.
 * Version 1 has neither digest nor checksum.
 */
#ifndef BASE_SPARSE_H
#define BASE_SPARSE_H

#include <stdio.h>

#include "src/base/file.h"

struct sparse_part {
	uint64_t offset, size;
};

/* Does a file begin as a sparse one does, of whatever version? */
bool sparse_is(const uint8_t *data, size_t size);

/* Map the large file.  BC_FORMAT: damaged; BC_UNSUPPORTED: a later version; BC_NOMEM. */
BC_MUST_USE bool sparse_map(const uint8_t *data, size_t size, struct file_map *out,
			    struct bc_error *err);

/* Write parts of a file, ascending and not overlapping, and its digest.  BC_NOMEM; errors of `out`
 * are ferror()'s to report. */
BC_MUST_USE bool sparse_write(const struct file_map *file, const struct sparse_part *parts,
			      size_t count, FILE *out, struct bc_error *err);

#endif
