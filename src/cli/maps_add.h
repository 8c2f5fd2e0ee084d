/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `maps --add` does to its file. */
#ifndef CLI_MAPS_ADD_H
#define CLI_MAPS_ADD_H

#include "src/addrspace/snapshots.h"

/* Adds snapshots to those in a .bcmaps file, and makes the file if there is none; "-" is stdout.
 * Several processes can add to one file at the same time, and nothing is lost (src/base/output.h).
 *
 *
 * BC_FORMAT  the file exists and holds no snapshots: it stays as it is
 * and all errors of maps_open(), snapshots_merge() and output_commit() */
BC_MUST_USE bool maps_add(const char *path, const struct snapshots *more, struct bc_error *err);

#endif
