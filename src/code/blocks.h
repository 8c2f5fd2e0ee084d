/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The basic blocks of input functions.  BAT has them with BOLT's hashes for the
 * functions that BOLT moved.  Those of the others are read from their code, as
 * BOLT numbers them; their hashes are those of a hash source, if there is one.
 */
#ifndef CODE_BLOCKS_H
#define CODE_BLOCKS_H

#include "src/code/cfg.h"
#include "src/elf/binary.h"
#include "src/code/block_places.h"
#include "src/code/hash_source.h"

struct input_block {
	uint32_t offset; /* in the input function */
	uint32_t index;  /* position in the input function's layout */
	uint64_t hash;   /* 0: none */
	bool entered;    /* what comes in from outside can begin here; all of BAT's */
	bool entry;      /* an entry point, as the code shows it */
	uint32_t jump;   /* offset of the jump that ends it; BLOCK_NO_JUMP: none, an indirect one
			    without a table, which BOLT takes for a call, or not known */
	uint32_t insns;  /* how many instructions it has; 0: not known, as of all of BAT's */
};
#define BLOCK_NO_JUMP UINT32_MAX
DEFINE_VEC(input_block_vec, struct input_block);

struct input_function {
	bool hashed;                   /* BAT has it, or the hash source */
	bool has_code;                 /* its blocks were read from its code */
	uint64_t hash;                 /* 0: none */
	uint32_t block_count;          /* of the function, listed or not */
	struct input_block_vec blocks; /* by offset, none twice */
};

/* A secondary entry point of a hot fragment. */
struct secondary_entry {
	uint32_t fragment, offset;
	uint32_t number; /* from 1 on */
};
DEFINE_VEC(secondary_entry_vec, struct secondary_entry);

/* What a table says of its functions' blocks. */
struct table_blocks {
	const struct bat_table *bat;
	struct secondary_entry_vec secondary; /* sorted */
	struct fragments_by_function fragments;
};

struct block_source {
	const struct binary *binary;
	struct table_blocks own;          /* of its BAT */
	struct made_blocks made;          /* likewise */
	const struct hash_source *hashes; /* NULL: none */
	struct table_blocks other;        /* of its table */
	const struct cfg *graphs; /* of the binary; borrowed: those of functions that BAT does not
				     have are there */
};

/* Build the graphs of those of some functions, by name, that blocks_of() needs them for.  Errors as
 * of cfg_build() */
BC_MUST_USE bool blocks_build_graphs(const struct binary *binary,
				     const struct name_number *functions, size_t count,
				     struct cfg *graphs, unsigned threads, struct bc_error *err);

/* Get ready for functions of a binary that was opened by binary_open_parts() with blocks.  hashes:
 * for this binary; NULL: none.  BC_NOMEM */
BC_MUST_USE bool blocks_open(const struct binary *binary, const struct hash_source *hashes,
			     const struct cfg *graphs, struct block_source *out,
			     struct bc_error *err);
void blocks_close(struct block_source *source);

/* The blocks of a function, none if they are not known.  `out` may hold those of
 * another, whose memory is used again; finish with input_block_vec_free().
 * Returns false when out of memory. */
BC_MUST_USE bool blocks_of(const struct block_source *source, const struct function *function,
			   struct input_function *out);

/* The fragments of the function of a hot one, that included, and how many. */
const uint32_t *blocks_fragments(const struct block_source *source, uint32_t hot, size_t *count);

/* The block that holds an offset, or NULL if that lies before the first. */
const struct input_block *blocks_find(const struct input_function *function, uint32_t offset);

/* Which entry point of its function a location is: 0 the main one and whatever is
 * none, else BOLT's number of the secondary one. */
uint32_t blocks_entry_id(const struct block_source *source, struct input_place place);

#endif
