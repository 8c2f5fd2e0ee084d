/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Digests of files that were read before: what a compiler runs a thousand times a minute is read
 * once.  It has a fixed size; an old one gives way.
 */
#ifndef RECORD_DIGEST_CACHE_H
#define RECORD_DIGEST_CACHE_H

#include <sys/stat.h>

#include "src/base/attr.h"
#include "src/base/build_id.h"

struct digest_cache; /* NULL is an empty one */

void digest_cache_free(struct digest_cache *cache);

/* For a file with this device, inode, size and time of change; false: none is known. */
BC_MUST_USE bool digest_cache_find(const struct digest_cache *cache, const struct stat *file,
				   struct build_id *out);

/* Without memory for it, it is read again. */
void digest_cache_put(struct digest_cache **cache, const struct stat *file,
		      const struct build_id *digest);

#endif
