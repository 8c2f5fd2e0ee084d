/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What `maps --add` does to its file. */
#ifndef CLI_MAPS_ADD_H
#define CLI_MAPS_ADD_H

#include "src/addrspace/snapshots.h"

/* Add snapshots to those in a .bcmaps file, which is made if there is none; "-" is stdout.
 * Of many that do so at once each one's are added (src/base/update.h).
 *
 * BC_FORMAT  the file is there and is none of snapshots: it stays
 * and as maps_open(), snapshots_merge() and output_commit() fail */
BC_MUST_USE bool maps_add(const char *path, const struct snapshots *more, struct bc_error *err);

#endif
