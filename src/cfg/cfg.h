/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Control-flow graphs of the functions that samples touched.  For code that BOLT
 * has not moved there is no table that says where its blocks are: this reads it
 * from the code, as BOLT does.
 */
#ifndef CFG_CFG_H
#define CFG_CFG_H

#include "src/base/error.h"
#include "src/cfg/walk.h"

struct cfg {
	const struct function_table *functions; /* borrowed */
	uint32_t *chosen;                       /* ascending indices into it */
	struct graph *graphs;                   /* one for each              */
	size_t count;
	bool no_disassembler; /* for some functions libLLVM is needed, and missing */
};

/* Build the graphs of functions, given as indices into the table in any order and
 * repeated at will, on up to `threads` threads.  What BOLT builds no graph of has an
 * empty one.
 *
 * BC_FORMAT  tables that would be read too often: work.h
 * BC_NOMEM */
BC_MUST_USE bool cfg_build(const struct image *image, const struct function_table *functions,
			   const uint32_t *chosen, size_t count, unsigned threads,
			   struct cfg *out, struct bc_error *err);

/* The same, with the code of each graph: graph_code.h. */
BC_MUST_USE bool cfg_build_code(const struct image *image, const struct function_table *functions,
				const uint32_t *chosen, size_t count, unsigned threads,
				struct cfg *out, struct bc_error *err);
void cfg_free(struct cfg *cfg);

/* The graph of a function; NULL if it is not among the chosen. */
const struct graph *cfg_find(const struct cfg *cfg, const struct function *function);

#endif
