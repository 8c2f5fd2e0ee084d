/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The build that llvm-bolt is to optimise by an earlier one's profile: the names of its functions and, as far as that can be
 * known, their hashes, their blocks and what these call.
 *
 *   its own file, without a table   numbers of blocks and offsets, read from the code
 *   the same with --hashes=FILE     hashes too
 *   a file that llvm-bolt wrote     hashes, out of its table; calls, if it is not cut down to the table
 */
#ifndef FIGURES_NEW_BUILD_H
#define FIGURES_NEW_BUILD_H

#include "src/profile/blocks.h"

struct new_build {
	const char *path;
	struct binary binary;
	struct hash_source source;   /* of --hashes */
	struct profile no_records;   /* of the binary: what blocks_open() asks for */
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
BC_MUST_USE bool new_build_open(const char *path, const char *hashes, struct new_build *out, struct bc_error *err);
void new_build_close(struct new_build *build);

/* Calls name() for each name of each function, and for some twice; local ones have all that llvm-bolt gives them.  Ends, and returns
 * false, when name() does, or out of memory. */
BC_MUST_USE bool new_build_names(const struct new_build *build, bool (*name)(void *ctx, uint32_t function, struct text name), void *ctx);

/* Reads the code of these functions, if there is code.  BC_FORMAT, BC_NOMEM */
BC_MUST_USE bool new_build_read(struct new_build *build, const uint32_t *functions, size_t count, struct bc_error *err);

/* The hash and the number of blocks of a function, after new_build_read(); *blocks is 0 if it is not known, as of what llvm-bolt left
 * alone. */
void new_build_key(const struct new_build *build, uint32_t function, uint64_t *hash, uint32_t *blocks);

/* The blocks of a function: blocks_of(). */
BC_MUST_USE bool new_build_blocks(const struct new_build *build, uint32_t function, struct input_function *out);

/* The graph of a function, with its code; NULL: there is none. */
const struct graph *new_build_graph(const struct new_build *build, uint32_t function);

/* A call, or a jump to another function. */
struct call_of_block {
	uint32_t block;   /* its place in the blocks of the function */
	struct text name; /* of what is called */
};
DEFINE_VEC(call_of_block_vec, struct call_of_block);

/* All of a function, by block.  `blocks` are its own.  false: out of memory */
BC_MUST_USE bool new_build_calls(const struct new_build *build, uint32_t function, const struct input_function *blocks,
				 struct call_of_block_vec *out);

#endif
