/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The branch stack of a perf script line: entries separated by blanks, newest
 * first,
 *
 *   FROM/TO/PREDICTION/...      FROM and TO: 0x..., or 0x...(path of the file)
 *
 * PREDICTION is M (mispredicted), P or - (unknown), then perhaps N: not taken.
 * An entry that was not taken, which only traces of Arm SPE have, is one with BRANCH_NOT_TAKEN.
 * What follows the prediction differs between releases; of it only the kind of branch is
 * taken, the seventh field: whether it is RET.
 */
#ifndef EVENT_PERF_SCRIPT_STACK_H
#define EVENT_PERF_SCRIPT_STACK_H

#include "src/base/vec.h"
#include "src/event/line.h"
#include "src/event/event.h"

DEFINE_VEC(branch_vec, struct branch);

/* Where the first entry stands in a line, or the line's length. */
size_t stack_find(struct text line);

/* Read the entries that stand in the line from byte `from` on and add them to `out`,
 * which is unchanged after an error.  Other fields can follow them.  BC_FORMAT,
 * BC_NOMEM. */
BC_MUST_USE bool stack_parse(const struct line *line, size_t from, struct branch_vec *out,
			     struct bc_error *err);

/* Does a stack end within an entry?  All entries of a line have the same number of fields.
 * Entries with paths, which can hold any character, are not checked. */
bool stack_ends_early(struct text stack);

/* True if a text holds entries without addresses, as brstacksym prints them. */
bool stack_is_symbolic(struct text text);

#endif
