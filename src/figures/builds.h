/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two builds of a program, as stale compares them: the profile of the earlier one, the file of the
 * new one, which llvm-bolt is to optimize by it, and which blocks of the earlier one are in the new
 * one. */
#ifndef FIGURES_BUILDS_H
#define FIGURES_BUILDS_H

#include "src/code/blocks.h"
#include "src/profile/flat.h"
#include "src/profile/item.h"
#include "src/profile/yaml.h"

/* ---- the profile of the earlier build ---- */

/* What shows whether it fits a later one: of BOLT's YAML the hashes of functions and blocks, of
 * fdata the offsets. */

struct old_block {
	uint32_t bid;
	uint64_t hash;    /* 0: none */
	uint64_t exec;    /* how often the function was entered there */
	uint64_t callees; /* the names of all that it called: call_key(); 0: it called nothing */
};

DEFINE_VEC(old_block_vec, struct old_block);

struct old_part {
	size_t first, count;
};

struct old_function {
	uint32_t name;
	uint64_t fid, hash; /* hash 0: none */
	uint64_t samples; /* its branches within, or basic samples; of fdata all branches from it */
	uint32_t block_count;
	struct old_part blocks, successors, calls; /* of YAML; `block` of the last two counts the
						      function's own */
	struct old_part records;                   /* of fdata: in flat.records */
};
DEFINE_VEC(old_function_vec, struct old_function);

/* The profile of one program. */
struct old_document {
	struct profile_head head;
	struct old_part functions; /* those that have code: llvm-bolt counts no others as stale */
	bool hashed; /* its functions have hashes that those of a table can be compared with */
};
DEFINE_VEC(old_document_vec, struct old_document);

struct old_profile {
	const char *path; /* as it was given */
	bool by_offset;   /* fdata */
	struct strings names;
	struct old_function_vec functions;
	struct old_block_vec blocks;
	struct yaml_successor_vec successors;
	struct yaml_call_vec calls;
	struct flat_profile flat;
	struct old_document_vec documents; /* at least one; of fdata one */
};

/* "-" is stdin.  BC_FORMAT: neither fdata nor YAML, or damaged; BC_IO, BC_UNSUPPORTED, BC_NOMEM.
 * *out is to be freed either way. */
BC_MUST_USE bool old_profile_read(const char *path, struct old_profile *out, struct bc_error *err);
void old_profile_free(struct old_profile *profile);

/* The document that is of a program, as several can be in one file: that of its build-id, else of
 * its name, which the file can have more after ("prog" is that of prog.bolt).  NULL: there are
 * several, and none is. */
const struct old_document *old_profile_of(const struct old_profile *profile,
					  const struct build_id *id, const char *path);

/* What the document says that it is of; empty: nothing. */
struct text old_document_program(const struct old_document *document);

/* What represents the names of functions that are called in one block, which are sorted for it.  As
 * in llvm-bolt, nothing divides one name from the next.  0: none */
uint64_t call_key(struct text *names, size_t count);

/* ---- the new build ---- */

/*
 * The build that llvm-bolt is to optimize by an earlier one's profile: the names of its functions
 * and, as far as that can be known, their hashes, their blocks and what these call.
 *
 *   its own file, without a table   numbers of blocks and offsets, read from the code
 *   the same with --hashes=FILE     hashes too
 *   a file that llvm-bolt wrote     hashes, out of its table; calls, if it is not cut down to the
 *                                   table
 */

struct new_build {
	const char *path;
	struct binary binary;
	struct hash_source source; /* of --hashes */
	struct cfg graphs;
	struct block_source blocks;
	bool opened; /* `blocks` is to be closed */
	bool hashed; /* functions and blocks have hashes */
	bool code;   /* the file has the code that llvm-bolt reads: its graphs are of use */
	bool calls;  /* new_build_calls() knows them */
};

/* The paths must outlive it.  hashes: NULL: none are given.
 *
 * BC_UNSUPPORTED  its table has no hashes, and none are given; it has no functions
 * BC_NOTFOUND     llvm-bolt wrote it without a table
 * else as of binary_open_parts() and of hash_source_open() */
BC_MUST_USE bool new_build_open(const char *path, const char *hashes, struct new_build *out,
				struct bc_error *err);
void new_build_close(struct new_build *build);

/* Reads the code of these functions, if there is code.  BC_FORMAT, BC_NOMEM */
BC_MUST_USE bool new_build_read(struct new_build *build, const uint32_t *functions, size_t count,
				struct bc_error *err);

/* The hash and the number of blocks of a function, after new_build_read(); *blocks is 0 if it is
 * not known, as of what llvm-bolt ignored. */
void new_build_key(const struct new_build *build, uint32_t function, uint64_t *hash,
		   uint32_t *blocks);

/* The blocks of a function: blocks_of(). */
BC_MUST_USE bool new_build_blocks(const struct new_build *build, uint32_t function,
				  struct input_function *out);

/* The graph of a function, with its code; NULL: there is none. */
const struct graph *new_build_graph(const struct new_build *build, uint32_t function);

/* A call, or a jump to another function. */
struct call_of_block {
	uint32_t block;   /* its index in the blocks of the function */
	struct text name; /* of what is called */
};
DEFINE_VEC(call_of_block_vec, struct call_of_block);

/* All of a function, by block.  `blocks` are its own.  false: out of memory */
BC_MUST_USE bool new_build_calls(const struct new_build *build, uint32_t function,
				 const struct input_function *blocks,
				 struct call_of_block_vec *out);

/* ---- which blocks are found again ---- */

/*
 * Which blocks of a function llvm-bolt -infer-stale-profile finds again in another build of it: its
 * rules (release 20 and later), by hashes, whose parts are
 *
 *   bits 0 to 15 the offset, to 31 the kinds of instructions, to 47 the instructions, to 55 the
 *   blocks before, to 63 those after
 *
 * First each block of the profile, in its order, gets the most similar block of the new build among
 * those of equal kinds of instructions, if the instructions are equal, too.  Then each block, those
 * that have one included, gets a block that calls the same functions; where none calls these, the
 * most similar one; and where there is none, the first block gets the first.  A block of the new
 * build is given out once.  A block of the profile that gets a second one loses the first, which
 * nobody else gets.
 */

enum block_fate { BLOCK_EXACT, BLOCK_CALL, BLOCK_LOOSE, BLOCK_LOST, BLOCK_FATES };

/* A block of the new build, as a search needs it. */
struct block_key {
	uint64_t key;   /* parts of its hash, or call_key() */
	uint16_t kinds; /* of instructions: that part of its hash; 0 where the key has it */
	uint32_t block; /* its index among those of the function */
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

/* Sets match->fates.  calls: of the new function; none if they are not known.  false: out of memory
 */
BC_MUST_USE bool blocks_match(struct block_match *match, const struct old_block *old, size_t count,
			      const struct input_function *function,
			      const struct call_of_block_vec *calls);
void block_match_free(struct block_match *match);

#endif
