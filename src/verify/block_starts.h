/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where blocks of input functions begin, in any of their fragments, and which
 * block entries are of blocks that BOLT made itself.
 *
 * At an indirect call or jump that it promotes, BOLT compares with the likely
 * targets, in blocks that it inserts: the direct calls, the original call, and the code
 * behind it.  They all get the input offset of that call.  As no block of the input
 * begins there, BOLT has no hash for them: in a table of BAT_LAYOUT_HASHED they have hash 0 and
 * index 0, and the branch entry of the call has the same input offset.
 */
#ifndef VERIFY_BLOCK_STARTS_H
#define VERIFY_BLOCK_STARTS_H

#include "src/base/attr.h"
#include "src/elf/binary.h"

struct block_start {
	uint64_t key;             /* parent << 32 | input offset */
	uint32_t fragment, entry; /* indices, the second in the table */
};

struct block_starts {
	struct block_start *at; /* of the input's blocks, in the order of all three */
	size_t count;
	uint64_t *promoted; /* keys of BOLT's own blocks, ascending, each once */
	size_t promoted_count;
};

/* False: no memory. */
BC_MUST_USE bool block_starts_make(const struct bat_table *bat, struct block_starts *out);
void block_starts_free(struct block_starts *starts);

/* Index of the first that begins at this offset or behind it, in any function. */
size_t block_starts_from(const struct block_starts *starts, uint32_t parent, uint64_t input);

/* Does a block of the input begin there?  Twice or more often, since it was copied? */
bool block_starts_has(const struct block_starts *starts, uint32_t parent, uint64_t input);
bool block_starts_copied(const struct block_starts *starts, uint32_t parent, uint64_t input);

/* Is there a call or jump that BOLT promoted, and around it blocks of its own? */
bool block_starts_promoted(const struct block_starts *starts, uint32_t parent, uint64_t input);

/* Does a block begin at this offset of a fragment in the output, BOLT's own or not? */
bool block_begins(const struct bat_table *bat, const struct bat_fragment *fragment, uint64_t offset);

/* Has a block entry what BOLT writes for a block that it made itself? */
bool block_is_unknown(const struct bat_table *bat, uint32_t entry);

#endif
