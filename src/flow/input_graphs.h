/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The graphs of the input's functions in which something ran: what is walked through them is one profile or several. */
#ifndef FLOW_INPUT_GRAPHS_H
#define FLOW_INPUT_GRAPHS_H

#include "src/count/located.h"
#include "src/count/rules.h"
#include "src/pair/pair.h"

/* Set pair->graphs: each function in which a counted trace begins, or from which a branch led there.  aggregate_finish()
 * came before; the totals are only read.  BC_FORMAT: tables that would be read too often (work.h).  BC_NOMEM */
BC_MUST_USE bool input_graphs_build(struct located_counts *located, const struct profile_rules *rules, struct pair *pair,
				    unsigned threads, struct bc_error *err);

#endif
