/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --maps=FILE, which can be given several times: maps of processes from all that `maps` reads and
 * writes. */
#ifndef CLI_MAPS_OPTION_H
#define CLI_MAPS_OPTION_H

#include "src/addrspace/snapshots.h"
#include "src/base/vec.h"
#include "src/cli/options.h"
#include "src/event/reader.h"

struct map_file {
	const char *path;
	struct reader_report report; /* when it was read */
};

DEFINE_VEC(map_file_vec, struct map_file);

option_reader option_maps; /* into such a vector */

/* Reads all files into one indexed set of snapshots.  A later part of a recording goes on where the
 * part in the file before ended.  Errors of maps_open(), after which `out` is to be freed, too. */
BC_MUST_USE bool maps_option_read(struct map_file_vec *files, struct snapshots *out, struct bc_error *err);

/* Whether something of them could not be read (reader_report_is_partial()). */
bool maps_option_partial(const struct map_file_vec *files);

#endif
