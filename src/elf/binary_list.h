/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several binaries: files that are named, and all BOLTed ones below a directory. */
#ifndef ELF_BINARY_LIST_H
#define ELF_BINARY_LIST_H

#include "src/base/error.h"
#include "src/base/vec.h"

struct named_binary {
	char *path;
	char *name; /* of its profile, without suffix; no two are alike */
	bool found; /* it was found in a directory, not named: perhaps it never ran */
};
DEFINE_VEC(binary_vec, struct named_binary);

/* Adds a file, or what is below a directory: of that the regular files with a BAT, by
 * name.  Files are named by their last part, those of directories by all of their path
 * below it, with dashes.
 *
 * BC_MISMATCH  a name is there already
 * BC_IO, BC_NOMEM */
BC_MUST_USE bool binaries_add(struct binary_vec *list, const char *path, struct bc_error *err);
void binaries_free(struct binary_vec *list);

#endif
