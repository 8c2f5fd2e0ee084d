/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pseudo-probes: as they are in a file, in the code of a binary, and in the blocks of a function.
 * `clang -fpseudo-probe-for-profiling` lists addresses in code that represent blocks and calls of
 * the source, in two sections that are not loaded.
 *
 * .pseudo_probe_desc lists functions: GUID (8 bytes), hash (8 bytes), length of the name
 * (ULEB128), name.  .pseudo_probe holds records, each a tree of what was inlined into one function:
 *
 *   a node: [call probe of the parent that it was inlined at, ULEB128; not of the first node], GUID
 *           (8 bytes), number of probes, number of children (ULEB128), its probes, its children
 *   a probe: index (ULEB128), a byte (kind: 4 bits, attributes: 3, whether a difference follows),
 *           then the difference to the address of the probe before it (SLEB128), or 8 bytes: an
 *           address or, of a sentinel, the GUID of the symbol at which differences begin; then a
 *           discriminator (ULEB128), if the attributes say so
 *
 * Where no address was reported so far, the differences of a record begin at its function.
 * llvm-bolt writes one address, of the first probe, and differences to the end of the section.
 *
 * The layout was read off LLVM's MCPseudoProbe.h and off what clang and llvm-bolt 22 wrote.
 */
#ifndef PROFILE_PROBES_H
#define PROFILE_PROBES_H

#include "src/base/bytes.h"
#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/code/pair.h"
#include "src/elf/binary.h"
#include "src/code/blocks.h"

enum probe_kind { PROBE_BLOCK, PROBE_INDIRECT_CALL, PROBE_DIRECT_CALL };

struct probe_function {
	uint64_t guid, hash;
};
DEFINE_VEC(probe_function_vec, struct probe_function);

struct probe_node {
	uint64_t guid;
	uint32_t root;   /* the first node of its record; itself */
	uint32_t parent; /* NO_PROBE_NODE: of a root */
	uint32_t site;   /* call probe of the parent; 0 of a root */
};
DEFINE_VEC(probe_node_vec, struct probe_node);
#define NO_PROBE_NODE UINT32_MAX

/* What differences are added to. */
struct probe_base {
	uint64_t guid; /* of a symbol: its address */
	bool absolute; /* or 0 */
};
DEFINE_VEC(probe_base_vec, struct probe_base);

struct probe {
	uint64_t address; /* from its base on */
	uint32_t base;
	uint32_t node;
	uint32_t index; /* in its function */
	enum probe_kind kind;
};
DEFINE_VEC(probe_vec, struct probe);

struct probe_section {
	struct probe_function_vec functions; /* by GUID; one can be there twice */
	struct probe_node_vec
		nodes; /* record after record, each node before its children: depth first */
	struct probe_base_vec bases; /* each has a probe */
	struct probe_vec probes;     /* as they are there: by node */
};

/* Parse both sections.  Takes time and memory by their sizes, and nests nothing.  Finish with
 * probe_section_free(), also after a failure.
 *
 * BC_FORMAT  damaged, or a node of a function that .pseudo_probe_desc has not
 * BC_NOMEM */
BC_MUST_USE bool probe_section_parse(struct bytes desc, struct bytes probes,
				     struct probe_section *out, struct bc_error *err);
void probe_section_free(struct probe_section *section);

/* The first function of a GUID, or NULL. */
const struct probe_function *probe_function_find(const struct probe_section *section,
						 uint64_t guid);

/* ---- in the code of a binary ----
 * Where in its code the probes are, and which tree is of which function.
 *
 * Differences of a record begin at its function, which the section knows by its name only.  Where
 * several local functions share that name the records are theirs in order, as linkers keep the
 * section in the order of the code; if the numbers of both differ, nothing is known of them. */

/* A GUID is a digest of a function's name. */
struct guid_name {
	uint64_t guid;
	uint32_t function; /* index into the table */
	bool shortened;    /* of the name without .cold and the like: a part of that function */
};
DEFINE_VEC(guid_name_vec, struct guid_name);

struct placed_probe {
	uint64_t vaddr;
	size_t number; /* among section.probes */
};
DEFINE_VEC(placed_probe_vec, struct placed_probe);

/* Immutable once it is open. */
struct placed_probes {
	struct probe_section section;
	struct guid_name_vec names; /* of the functions; sorted */
	struct placed_probe_vec at; /* by vaddr; of one vaddr as they are in the section */
	uint32_t *record_of;        /* per function: the root of its tree, or NO_PROBE_NODE */
	size_t function_count;
	size_t unplaced; /* probes whose address is not known */
};

/* Read the probes of a file that has both.  Each record becomes the tree of one function: of the
 * one that holds its first probe, if it has that name; of several the last one counts, as in BOLT.
 * If .pseudo_probe_desc lists none of the function's names (parts of a coroutine share its GUID),
 * the record may have any name, and the first one counts.
 *
 * binary  whose functions these are, so that fragments count as their parents; NULL: of another
 *         file
 *
 * BC_FORMAT as of probe_section_parse(), BC_NOMEM; the text has no path.  Finish with
 * placed_probes_close() either way. */
BC_MUST_USE bool placed_probes_open(const struct image *image,
				    const struct function_table *functions,
				    const struct binary *binary, struct placed_probes *out,
				    struct bc_error *err);
void placed_probes_close(struct placed_probes *probes);

/* ---- of functions ----
 * The pseudo-probes of a profile's functions: of the input binary where it is at hand and has some,
 * else of the profile's own, in which llvm-bolt has moved them along with the code.  A probe of a
 * function with a table is translated as the source of a branch is. */

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
BC_MUST_USE bool probe_source_open(const struct binary *binary, const struct pair *pair,
				   struct probe_source *out, struct bc_error *err);
void probe_source_close(struct probe_source *source);

/* A node of a function's tree: node 0 is the function itself, parents are before their children.
 */
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
	struct block_probe_vec probes; /* by block; of one block by address in the code */
	uint32_t *number_of;           /* of the tree's nodes, by node minus root */
	size_t number_room;
};

/* The probes of a function and its cold fragments, in its blocks.  `out` may hold those of another,
 * whose memory is used again; finish with function_probes_free().  Returns false when out of
 * memory. */
BC_MUST_USE bool probe_source_of(const struct probe_source *source, const struct function *function,
				 const struct input_function *blocks,
				 const struct block_source *parts, struct function_probes *out);
void function_probes_free(struct function_probes *probes);

/* The function of the probes' own table that one of the profile is, or NO_FUNCTION. */
uint32_t probe_source_function(const struct probe_source *source, const struct function *function);

#endif
