/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints one map to stdout: as text for people, as text that batconv reads again, or as JSON. */
#ifndef CLI_MAPS_PRINT_H
#define CLI_MAPS_PRINT_H

#include "src/samples/snapshots.h"
#include "src/cli/mapped_programs.h"

void maps_print_head(const struct snapshot *s);
void maps_print_raw(const struct snapshot *s, const struct maps *maps, const struct mapped_files *files);

/* Both with the files of the map.
 *
 * all    all mappings, else executable ones
 * agree  becomes false if a file's bases disagree
 *
 * False when out of memory. */
BC_MUST_USE bool maps_print_text(const struct snapshot *s, const struct maps *maps,
				 struct mapped_programs *programs, bool all, bool *agree);
BC_MUST_USE bool maps_print_json(const struct snapshot *s, const struct maps *maps,
				 struct mapped_programs *programs, bool all, bool *agree);

#endif
