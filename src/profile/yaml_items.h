/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of YAML profiles (profile/yaml.h) as items, whose keys begin with the function's name, and items as YAML again:
 *
 *   the function   sum: exec, extern   same: hash, nblocks
 *   a block        sum: exec, events   same: insns, hash
 *   a call         by offset, callee, disc; sum: cnt, mis
 *   a successor    by block; sum: cnt, mis
 *   an unknown key by the key of the item that has it, the key and its value; no sum
 *
 * While a file is read callees are numbers (fid), and yaml_names.h gives them names.
 */
#ifndef PROFILE_YAML_ITEMS_H
#define PROFILE_YAML_ITEMS_H

#include "src/profile/sorter.h"
#include "src/profile/yaml_names.h"
#include "src/profile/yaml.h"

/* The parts of a key behind the function's name, and behind the block's number. */
enum { YAML_FUNCTION, YAML_BLOCK };
enum { BLOCK_ITSELF, BLOCK_CALL, BLOCK_SUCCESSOR };

/* A callee in a key: a number, as it stands in a file; or unknown; or a name. */
enum { CALLEE_UNKNOWN, CALLEE_NAMED, CALLEE_NUMBERED };

/* All items of a function.  key: room to work in.  false: out of memory */
BC_MUST_USE bool yaml_function_items(const struct yaml_function *function, struct key *key,
				     struct item_list *list);

/* Is it there for more than its counts, what others lie in: a function or a block? */
bool yaml_item_is_more(const struct profile_item *item);

/* ---- items as YAML, in the layout that BOLT writes ---- */

struct yaml_output {
	struct emit *out;
	struct yaml_names *names;
	bool external; /* with the key `extern` */
	bool any, blocks; /* a function; a block of the present one */
	enum yaml_list list; /* that is being written; 0: none */
	uint64_t differing; /* unknown keys of another value than the one that was written */
	struct key last;    /* of the item written last, with the unknown key of it that was written last */
	size_t last_item;   /* bytes of it that are of the item */
};

/* false: out of memory */
BC_MUST_USE bool yaml_output_head(struct yaml_output *output, const struct profile_head *head);
void yaml_output_item(struct yaml_output *output, const struct profile_item *item);
/* Ends the document, and frees what the output holds. */
BC_MUST_USE bool yaml_output_end(struct yaml_output *output, const struct profile_head *head);

#endif
