/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Does debug information tell the same of the output's code as of the input's: which functions, blocks, inlined calls and call sites an address is
 * of, and where each variable is?  llvm-bolt keeps the entries of a unit in their order, not always the units (unit_order.h), so that both binaries' are compared one by one: the
 * addresses that they cover and lead to through code_map.h, location lists at each instruction, all other attributes by their values.
 */
#ifndef VERIFY_CHECK_SCOPES_H
#define VERIFY_CHECK_SCOPES_H

#include "src/verify/code_map.h"
#include "src/verify/unit_order.h"

struct scopes_summary {
	uint64_t entries; /* that both have, compared by their attributes */
	uint64_t entries_different;
	uint64_t entries_alone; /* of units that are not the same in both, and not compared */
	/* Entries with code. */
	uint64_t scopes, scopes_equal, scopes_different;
	uint64_t scopes_folded, scopes_gone; /* not compared: BOLT folded the code, or the output has nothing of it */
	/* Addresses that an attribute leads to. */
	uint64_t addresses, addresses_equal, addresses_wrong;
	uint64_t addresses_folded, addresses_gone; /* not compared, as above */
	/* Location lists. */
	uint64_t lists, lists_equal, lists_wrong, lists_lost;
	uint64_t lists_gone; /* not compared: the output has nothing of the code, or BOLT folded it */
	uint64_t unit_ranges; /* units of .debug_aranges */
	uint64_t units_split; /* units whose entries are in a file of their own (split DWARF), which is not read */
};

/* The line tables of both binaries, for numbers of files, and which unit is which. */
struct scope_files {
	const struct line_rows *in, *out;
	const struct unit_order *order;
};

/* Adds findings, and fills the summary.  *of_input: the error is the input's.
 *
 * BC_UNSUPPORTED  there is no libdw
 * BC_FORMAT       debug information of the input is damaged, or that of one of them is too much work
 * BC_NOMEM */
BC_MUST_USE bool check_scopes(const struct code_map *map, const struct scope_files *files, struct scopes_summary *out, struct findings *findings, bool *of_input,
			      struct bc_error *err);

#endif
