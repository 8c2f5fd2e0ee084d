/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Control-flow graphs of functions, each built once, when it is first asked for.  For code that BOLT
 * has not moved there is no table that says where its blocks are: this reads it
 * from the code, as BOLT does.
 */
#ifndef CODE_CFG_H
#define CODE_CFG_H

#include "src/base/error.h"
#include "src/code/walk.h"

/* Zeroed: none was built. */
struct cfg {
	const struct function_table *functions; /* borrowed */
	struct graph **of; /* by code number; NULL: not built */
	bool no_disassembler; /* for some functions libLLVM is needed, and missing */
};

/* Build the graphs of functions that have none yet, given as indices into the table in any order and
 * repeated at will, on up to `threads` threads.  What BOLT builds no graph of has an
 * empty one.  All calls for one `cfg` are of the same binary.
 *
 * BC_FORMAT  tables that would be read too often: work.h
 * BC_NOMEM */
BC_MUST_USE bool cfg_build(const struct image *image, const struct function_table *functions,
			   const uint32_t *chosen, size_t count, unsigned threads,
			   struct cfg *cfg, struct bc_error *err);

/* The same, with the code of each graph: graph_code.h.  A graph that was built without is built again: pointers into it
 * do not stay. */
BC_MUST_USE bool cfg_build_code(const struct image *image, const struct function_table *functions,
				const uint32_t *chosen, size_t count, unsigned threads,
				struct cfg *cfg, struct bc_error *err);
void cfg_free(struct cfg *cfg);

/* The graph of a function; NULL if it was not built, or if the function is a name without code. */
static inline const struct graph *cfg_find(const struct cfg *cfg, const struct function *function)
{
	struct code_number number;

	if (!cfg->of || !functions_code_of(cfg->functions, functions_name_number(cfg->functions, function), &number))
		return NULL;
	return cfg->of[number.v];
}

#endif
