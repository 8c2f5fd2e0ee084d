/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Pseudo-probes as they stand in a file: `clang -fpseudo-probe-for-profiling` writes places in
 * code that stand for blocks and calls of the source, in two sections that are not loaded.
 *
 * .pseudo_probe_desc lists functions: GUID (8 bytes), hash (8 bytes), length of the name
 * (ULEB128), name.  .pseudo_probe holds records, each a tree of what was inlined into one function:
 *
 *   a node: [call probe of the parent that it was inlined at, ULEB128; not of the first node], GUID (8 bytes),
 *           number of probes, number of children (ULEB128), its probes, its children
 *   a probe: index (ULEB128), a byte (kind: 4 bits, attributes: 3, whether a difference follows), then
 *           the difference to the address of the probe before it (SLEB128), or 8 bytes: an address or, of
 *           a sentinel, the GUID of the symbol at which differences begin; then a discriminator
 *           (ULEB128), if the attributes say so
 *
 * Where no address was told so far, the differences of a record begin at its function.  llvm-bolt writes one
 * address, of the first probe, and differences to the end of the section.
 *
 * The layout was read off LLVM's MCPseudoProbe.h and off what clang and llvm-bolt 22 wrote.
 */
#ifndef PROFILE_SECTION_H
#define PROFILE_SECTION_H

#include "src/base/bytes.h"
#include "src/base/error.h"
#include "src/base/vec.h"

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
	uint64_t guid;  /* of a symbol: its address */
	bool absolute;  /* or 0 */
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
	struct probe_node_vec nodes; /* record after record, each node before its children: depth first */
	struct probe_base_vec bases; /* each has a probe */
	struct probe_vec probes;     /* as they stand there: by node */
};

/* Parse both sections.  Takes time and memory by their sizes, and nests nothing.  Finish with
 * probe_section_free(), also after a failure.
 *
 * BC_FORMAT  damaged, or a node of a function that .pseudo_probe_desc has not
 * BC_NOMEM */
BC_MUST_USE bool probe_section_parse(struct bytes desc, struct bytes probes, struct probe_section *out,
				     struct bc_error *err);
void probe_section_free(struct probe_section *section);

/* The first function of a GUID, or NULL. */
const struct probe_function *probe_function_find(const struct probe_section *section, uint64_t guid);

#endif
