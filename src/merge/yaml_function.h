/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One function of a YAML profile, as it was read.  It becomes items, whose keys begin with its name:
 *
 *   the function   sum: exec, extern   same: hash, nblocks
 *   a block        sum: exec, events   same: insns, hash
 *   a call         by offset, callee, disc; sum: cnt, mis
 *   a successor    by block; sum: cnt, mis
 *   an unknown key by the key of the item that has it, the key and its value; no sum
 *
 * While a file is read callees are numbers (fid), and yaml_names.h gives them names.
 */
#ifndef MERGE_YAML_FUNCTION_H
#define MERGE_YAML_FUNCTION_H

#include "src/base/vec.h"
#include "src/merge/item_list.h"
#include "src/profile/item.h"

struct yaml_block {
	uint64_t bid, insns, hash, exec, events;
};

struct yaml_call {
	uint64_t off, fid, disc, cnt, mis;
	size_t block; /* index */
};

struct yaml_successor {
	uint64_t bid, cnt, mis;
	size_t block;
};

/* An unknown key: of which block, call or successor, and where its texts stand in `more_text`. */
struct yaml_more {
	enum { MORE_FUNCTION, MORE_BLOCK, MORE_CALL, MORE_SUCCESSOR } of;
	size_t index, at, size;
};

DEFINE_VEC(yaml_more_vec, struct yaml_more);
DEFINE_VEC(yaml_block_vec, struct yaml_block);
DEFINE_VEC(yaml_call_vec, struct yaml_call);
DEFINE_VEC(yaml_successor_vec, struct yaml_successor);

struct yaml_function {
	struct key name; /* without a zero byte; empty: none yet */
	uint64_t fid, hash, exec, external, nblocks;
	unsigned given; /* fields, by bit */
	struct yaml_block_vec blocks;
	struct yaml_call_vec calls;
	struct yaml_successor_vec successors;
	struct yaml_more_vec more;
	struct key more_text;
};

void yaml_function_clear(struct yaml_function *function); /* keeps memory */
void yaml_function_free(struct yaml_function *function);

/* The parts of a key behind the function's name, and behind the block's number. */
enum { YAML_FUNCTION, YAML_BLOCK };
enum { BLOCK_ITSELF, BLOCK_CALL, BLOCK_SUCCESSOR };

/* A callee in a key: a number, as it stands in a file; or unknown; or a name. */
enum { CALLEE_UNKNOWN, CALLEE_NAMED, CALLEE_NUMBERED };

/* All items of a function.  key: room to work in.  false: out of memory */
BC_MUST_USE bool yaml_function_items(const struct yaml_function *function, struct key *key,
				     struct item_list *list);

#endif
