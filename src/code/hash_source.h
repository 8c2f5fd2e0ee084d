/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * BOLT's hashes of functions and blocks, which only llvm-bolt computes: out of the table of any
 * binary that it wrote of the same input.  One meaning of --hashes=FILE for all commands.
 */
#ifndef CODE_HASH_SOURCE_H
#define CODE_HASH_SOURCE_H

#include "src/code/pair.h"

DEFINE_BY_NAME(hash_fragments, uint32_t)

struct hash_source {
	struct binary table; /* the file, whose table has the hashes */
	struct pair pair;    /* of what the file is tied to, and `table`; no names, no graphs.  Its
				doubt is that of the file */
	struct hash_fragments
		fragments; /* per name of the profile's binary: the hot fragment of `table` with its
			      hash, or NO_FRAGMENT; none: nothing is open */
};

/* For functions that two tables have, so many may have different hashes: releases 19 and 22 have
 * 0.5 to 2.4 %, the next release of a program 40 %. */
#define HASHES_LIMIT_PERCENT 10.0 /* where no build-id decides: build_id.h */

/* Open the file for the profile of a binary, which must outlive the source; so must `input`, the
 * pair of it and its input, NULL if that is not at hand.
 *
 * What ties them: the input, or the binary if it was not BOLTed, as pair_open() does; else
 * build-ids, and where one has none the hashes of functions that both tables have, and in functions
 * that llvm-bolt ignored the offsets of the file's table, which must lie on instructions.
 *
 * BC_MISMATCH     hashes of another binary, or of what nothing ties to this one
 * BC_NOTFOUND     the file has no table
 * BC_UNSUPPORTED  its table has no hashes
 * BC_IO, BC_FORMAT, BC_NOMEM.  The text has the path; `name` is what it calls the binary. */
BC_MUST_USE bool hash_source_open(const char *path, const struct binary *binary, const char *name,
				  const struct pair *input, struct hash_source *out,
				  struct bc_error *err);
void hash_source_close(struct hash_source *source);

#endif
