/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Source lines of code that a report shows: of the optimised binary's debug information, else of the input's. */
#ifndef FIGURES_SHOWN_LINES_H
#define FIGURES_SHOWN_LINES_H

#include "src/base/strings.h"
#include "src/elf/binary.h"
#include "src/address/debug_lines.h"

struct source_lines {
	struct debug_lines *optimized, *input; /* NULL: it has none */
	bool of_moved; /* those of the optimised binary are right for code that BOLT moved, too */
	struct strings files; /* that were met; numbers begin at 1 */
	size_t file_bytes;    /* how long their names are, as a page has them at most */
};

/* Opens what there is.  path: of the optimised binary; input: NULL if it was not given.  BC_NOMEM */
BC_MUST_USE bool source_lines_open(const struct binary *optimized, const char *path, const char *input, const struct debug_dirs *dirs,
				   struct source_lines *out, struct bc_error *err);
void source_lines_close(struct source_lines *lines);

/* A line, of code at an address of the optimised binary and of the input; 0: it has none there.  *file: the number of
 * its file, 0 if no line is known.  false: out of memory */
BC_MUST_USE bool source_lines_find(struct source_lines *lines, uint64_t optimized, uint64_t input, uint32_t *file,
				   uint32_t *line);

#endif
