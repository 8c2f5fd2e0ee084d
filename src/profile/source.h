/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The pseudo-probes of a profile's functions: of the input binary where it is at hand and has some, else
 * of the profile's own, in which llvm-bolt has moved them along with the code.  A probe of a function
 * with a table is translated as the source of a branch is.
 */
#ifndef PROFILE_SOURCE_H
#define PROFILE_SOURCE_H

#include "src/code/pair.h"
#include "src/profile/placed.h"
#include "src/profile/blocks.h"

struct probe_source {
	const struct binary *binary; /* the profile's */
	const struct pair *pair;     /* NULL: the probes are the binary's own */
	bool found;                  /* there are probes */
	struct placed_probes placed;
};

/* pair  the input, or NULL.  A file with no such sections, or with one of the two, has no probes.
 *
 * BC_FORMAT  damaged sections
 * BC_NOMEM; finish with probe_source_close() either way */
BC_MUST_USE bool probe_source_open(const struct binary *binary, const struct pair *pair, struct probe_source *out,
				   struct bc_error *err);
void probe_source_close(struct probe_source *source);

/* A node of a function's tree: node 0 is the function itself, parents stand before their children. */
struct tree_node {
	uint32_t node; /* in the section */
	uint32_t parent, site;
	uint64_t guid;
};
DEFINE_VEC(tree_node_vec, struct tree_node);

struct block_probe {
	uint32_t block;  /* index among the function's blocks */
	uint32_t offset; /* in the block */
	uint32_t node, index;
	enum probe_kind kind;
};
DEFINE_VEC(block_probe_vec, struct block_probe);

struct function_probes {
	struct tree_node_vec tree;     /* breadth first; empty: the function has none */
	struct block_probe_vec probes; /* by block; of one block by place in the code */
	uint32_t *number_of;           /* of the tree's nodes, by node minus root */
	size_t number_room;
};

/* The probes of a function and its cold fragments, in its blocks.  `out` may hold those of another, whose memory is
 * used again; finish with function_probes_free().  Returns false when out of memory. */
BC_MUST_USE bool probe_source_of(const struct probe_source *source, const struct function *function,
				 const struct input_function *blocks, const struct block_source *parts,
				 struct function_probes *out);
void function_probes_free(struct function_probes *probes);

/* The function of the probes' own table that one of the profile is, or NO_FUNCTION. */
uint32_t probe_source_function(const struct probe_source *source, const struct function *function);

#endif
