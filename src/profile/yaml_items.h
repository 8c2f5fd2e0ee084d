/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions of YAML profiles (profile/yaml.h) as items, whose keys begin with the function's name,
 * and items as YAML again:
 *
 *   the function   sum: exec, extern   same: hash, nblocks
 *   a block        sum: exec, events   same: insns, hash
 *   a call         by offset, callee, disc; sum: cnt, mis
 *   a successor    by block; sum: cnt, mis
 *   an unknown key by the key of the item that has it, the key and its value; no sum
 *
 * While a file is read callees are numbers (fid), which mean something in that file only.  Names
 * are kept once for all files, and for each file which number is which name.
 */
#ifndef PROFILE_YAML_ITEMS_H
#define PROFILE_YAML_ITEMS_H

#include "src/base/strings.h"
#include "src/base/vec.h"
#include "src/profile/item.h"
#include "src/profile/sorter.h"
#include "src/profile/yaml.h"

/* Which number is which name: fid << 32 | number of the name, in order. */
DEFINE_VEC(fid_vec, uint64_t);

struct yaml_names {
	struct strings names;
	uint32_t *fids; /* by name, for the output; set by yaml_names_settle() */
};

void yaml_names_free(struct yaml_names *names);

/* Put the numbers of a file in order.  A number or a name that is there twice is no profile's:
 * *why.  false: that, or out of memory (*why is NULL) */
BC_MUST_USE bool yaml_fids_settle(struct fid_vec *fids, const char **why);

/* Names have other numbers now: those at their old ones. */
void yaml_fids_renumber(struct fid_vec *fids, const uint32_t *numbers);

/* Choose numbers for the output: those of the files, if they agree and `anew` is not set; else the
 * positions of the names in order, from 1, and *again is set.  BC_NOMEM */
BC_MUST_USE bool yaml_names_settle(struct yaml_names *names, const struct fid_vec *const *files,
				   size_t count, bool *anew, struct bc_error *err);

/* The number of a function in the output; 0: none has this name. */
uint32_t yaml_names_fid(struct yaml_names *names, struct text name);

/* A source of the items in `run`, whose callees are numbers of `fids`: they become names, or
 * unknown. saturate: as profile_item_add(), counted in *saturated.  NULL: BC_NOMEM */
struct source *yaml_named_open(struct run run, const struct fid_vec *fids,
			       const struct yaml_names *names, bool saturate, uint64_t *saturated,
			       struct bc_error *err);

/* The parts of a key after the function's name, and after the block's number. */
enum { YAML_FUNCTION, YAML_BLOCK };
enum { YAML_BLOCK_ITSELF, YAML_BLOCK_CALL, YAML_BLOCK_SUCCESSOR };

/* A callee in a key: a number, as it is in a file; or unknown; or a name. */
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
	bool external;       /* with the key `extern` */
	bool any, blocks;    /* a function; a block of the present one */
	enum yaml_list list; /* that is being written; 0: none */
	uint64_t differing;  /* unknown keys of another value than the one that was written */
	struct key last;  /* of the item written last, with the unknown key of it that was written
			     last */
	size_t last_item; /* bytes of it that are of the item */
};

/* false: out of memory */
BC_MUST_USE bool yaml_output_head(struct yaml_output *output, const struct profile_head *head);
void yaml_output_item(struct yaml_output *output, const struct profile_item *item);
/* Ends the document, and frees what the output holds. */
BC_MUST_USE bool yaml_output_end(struct yaml_output *output, const struct profile_head *head);

#endif
