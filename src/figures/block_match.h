/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Which blocks of a function llvm-bolt -infer-stale-profile finds again in another build of it: its rules (release 20 and later),
 * by hashes, whose parts are
 *
 *   bits 0 to 15 the offset, to 31 the kinds of instructions, to 47 the instructions, to 55 the blocks before, to 63 those behind
 *
 * First each block of the profile, in its order, gets the most similar block of the new build among those of equal kinds of
 * instructions, if the instructions are equal, too.  Then each block, those that have one included, gets a block that calls the
 * same functions; where none calls these, the most similar one; and where there is none, the first block gets the first.  A block
 * of the new build is given out once.  A block of the profile that gets a second one loses the first, which nobody else gets.
 */
#ifndef FIGURES_BLOCK_MATCH_H
#define FIGURES_BLOCK_MATCH_H

#include "src/figures/builds.h"

enum block_fate { BLOCK_EXACT, BLOCK_CALL, BLOCK_LOOSE, BLOCK_LOST, BLOCK_FATES };

/* A block of the new build, as a search needs it. */
struct block_key {
	uint64_t key;   /* parts of its hash, or call_key() */
	uint16_t kinds; /* of instructions: that part of its hash; 0 where the key has it */
	uint32_t block; /* its place among those of the function */
};
DEFINE_VEC(block_key_vec, struct block_key);
DEFINE_VEC(call_name_vec, struct text);
DEFINE_VEC(fate_vec, enum block_fate);
DEFINE_VEC(taken_vec, bool);

#define SIMILAR_SEARCHES 8

/* Memory that is used again for the next function.  Zeroed: none yet. */
struct block_match {
	struct fate_vec fates; /* by block of the old function */
	struct block_key_vec similar[SIMILAR_SEARCHES], calling;
	struct call_name_vec names;
	struct taken_vec taken;
};

/* Sets match->fates.  calls: of the new function; none if they are not known.  false: out of memory */
BC_MUST_USE bool blocks_match(struct block_match *match, const struct old_block *old, size_t count,
			      const struct input_function *function, const struct call_of_block_vec *calls);
void block_match_free(struct block_match *match);

#endif
