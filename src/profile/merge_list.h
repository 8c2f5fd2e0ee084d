/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The inputs of a merge: operands, and the lines of lists. */
#ifndef PROFILE_MERGE_LIST_H
#define PROFILE_MERGE_LIST_H

#include "src/base/vec.h"
#include "src/profile/input.h"

DEFINE_VEC(merge_input_vec, struct merge_input);
DEFINE_VEC(owned_vec, char *);

struct merge_list {
	struct merge_input_vec inputs;
	struct owned_vec lists; /* what the names of some of them lie in */
	bool stdin_taken;       /* by an input or a list */
};

void merge_list_free(struct merge_list *list);

/* An input; the path is borrowed.  false: out of memory */
BC_MUST_USE bool merge_list_add(struct merge_list *list, const char *path, uint64_t weight);

/* Adds the inputs that a file names ("-": stdin), one a line, or one before each zero byte.  After
 * a tab an input can have its own weight.  Blank lines are skipped.  BC_IO; BC_FORMAT: a weight
 * that is none; BC_NOMEM */
BC_MUST_USE bool merge_list_read(struct merge_list *list, const char *path, bool zeros,
				 uint64_t weight, struct bc_error *err);

/* Adds files with commas between, and of directories all files below them: links to directories are
 * followed where they are named, and not below.  BC_IO, BC_NOMEM */
BC_MUST_USE bool merge_list_add_below(struct merge_list *list, const char *words,
				      struct bc_error *err);

/* Fails if one file is in the list twice, under whatever names.  BC_MISMATCH: names both; BC_NOMEM
 */
BC_MUST_USE bool merge_list_check(const struct merge_list *list, struct bc_error *err);

#endif
