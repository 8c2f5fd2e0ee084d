/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where the table has blocks, by their location in the input, and which of them llvm-bolt inserted.
 *
 * Before a call or jump that it promotes, and before a jump through a table, llvm-bolt puts
 * comparisons, in blocks of their own; the direct calls, the original call and the code after it
 * become blocks, too.  All get the input offset of that call, in the middle of an input block, and
 * are in the table without a hash and without a number, as no block of the input begins there;
 * the branch entry of the call has the same input offset.  Only BAT_LAYOUT_HASHED shows them.  A
 * copy of a tail has no hash either, and begins where the block does that it is a copy of.
 */
#ifndef CODE_BLOCK_PLACES_H
#define CODE_BLOCK_PLACES_H

#include "src/base/vec.h"
#include "src/elf/binary.h"

/* An entry of the table, by its location in the input. */
struct block_place {
	uint32_t owner, input; /* the hot fragment, BAT_NO_PARENT: not known, and an offset in its
				  function */
	uint32_t fragment, entry; /* where the entry is, indices */
};
DEFINE_VEC(block_place_vec, struct block_place);

/* Has a block entry neither hash nor number, as llvm-bolt writes it for a block that it
 * inserted? */
bool block_is_unknown(const struct bat_table *bat, uint32_t entry);

/* Does a block begin at this offset of a fragment in the output, llvm-bolt's own or not? */
bool block_begins(const struct bat_table *bat, const struct bat_fragment *fragment,
		  uint64_t offset);

/* ---- for a profile: blocks that were inserted, as the table has them ---- */

/* Zeroed: there are none. */
struct made_blocks {
	const struct binary *binary;
	struct block_place_vec made; /* where they begin and no block of the input does; sorted */
	struct block_place_vec
		blocks; /* of functions that have some: where blocks of the input begin; sorted */
};

/* The hashes are read from the table's bytes if the binary was not opened with blocks.  BC_NOMEM */
BC_MUST_USE bool made_blocks_open(const struct binary *binary, struct made_blocks *out,
				  struct bc_error *err);
void made_blocks_close(struct made_blocks *made);

/* Does one begin at a location of the input?  Getting there is no edge of the input. */
bool made_blocks_have(const struct made_blocks *made, struct input_place place);

bool some_made_block_leads(const struct made_blocks *made, const struct function *function,
			   uint32_t from, uint32_t to);

/* Is a way within a function one to such a block, out of the input block that this lies in?  What
 * leaves it comes out of the same input block and is kept, so nothing is lost but the way within
 * that block. */
static inline bool made_blocks_lead(const struct made_blocks *made, const struct function *function,
				    uint32_t from, uint32_t to)
{
	return made->made.len && some_made_block_leads(made, function, from, to);
}

/* ---- for `verify`: blocks that were inserted at a promoted call ---- */

struct block_starts {
	struct block_place_vec at;       /* of the input's blocks; sorted */
	struct block_place_vec promoted; /* of blocks at promoted calls; sorted */
};

/* A block without a hash counts as inserted only where the table has a call and no block of the
 * input; all others are blocks of the input, whose hash is wrong.  False: no memory. */
BC_MUST_USE bool block_starts_make(const struct bat_table *bat, struct block_starts *out);
void block_starts_free(struct block_starts *starts);

/* Index of the first that begins at this offset or after it, in any function. */
size_t block_starts_from(const struct block_starts *starts, uint32_t owner, uint64_t input);

/* Does a block of the input begin there?  Twice or more often, since it was copied? */
bool block_starts_has(const struct block_starts *starts, uint32_t owner, uint64_t input);
bool block_starts_copied(const struct block_starts *starts, uint32_t owner, uint64_t input);

/* Is there a call or jump that llvm-bolt promoted, and around it blocks of its own? */
bool block_starts_promoted(const struct block_starts *starts, uint32_t owner, uint64_t input);

#endif
