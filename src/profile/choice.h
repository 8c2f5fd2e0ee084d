/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Functions that BOLT is asked to look at, or not to: --funcs, --skip-funcs, --max-funcs.
 * For the others it builds no control-flow graphs, so that a profile lacks the fall-throughs
 * of those that have no BAT either.
 */
#ifndef PROFILE_CHOICE_H
#define PROFILE_CHOICE_H

#include "src/base/vec.h"
#include "src/count/located.h"

struct choice_name {
	const char *text; /* borrowed */
	bool exact;       /* a name, else a regular expression (POSIX, extended) */
};
DEFINE_VEC(choice_name_vec, struct choice_name);

/* Zeroed means all functions. */
struct function_choice {
	struct choice_name_vec names; /* of functions to look at; none: all */
	struct choice_name_vec skip;  /* of others */
	bool limited;
	uint64_t most;     /* if limited: only the first so many, by address */
	bool touched_only; /* if no names are given: only those that a sample touched */
};

/* Finish with choice_free(); the names' text is the caller's. */
void choice_free(struct function_choice *choice);

static inline bool choice_is_all(const struct function_choice *choice)
{
	return !choice->names.len && !choice->skip.len && !choice->limited;
}

/* Marks each function that is left out in *out, for code_marks_free().
 *
 * BC_FORMAT  no regular expression
 * BC_NOMEM */
BC_MUST_USE bool choice_apply(const struct function_choice *choice, struct located_counts *located,
			      struct code_marks *out, struct bc_error *err);

/* Marks the functions that a sample touched in *out, for code_marks_free().  false: out of memory
 */
BC_MUST_USE bool touched_functions(struct located_counts *located, struct code_marks *out);

#endif
