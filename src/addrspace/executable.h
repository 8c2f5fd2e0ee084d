/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Copies of snapshots that keep executable mappings only; samples need no others. */
#ifndef ADDRSPACE_EXECUTABLE_H
#define ADDRSPACE_EXECUTABLE_H

#include "src/addrspace/snapshots.h"

/* The same maps with their executable mappings alone, and no files but theirs, in *out, which is
 * indexed.  BC_NOMEM */
BC_MUST_USE bool snapshots_executable(const struct snapshots *from, struct snapshots *out,
				      struct bc_error *err);

#endif
