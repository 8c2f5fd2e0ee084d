/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --sandbox, of every command that has this row in its table: files_check() enters it,
 * with all outputs of the command line, before the command runs.  convert() enters it
 * itself: it can have a directory to make first.
 */
#ifndef CLI_SANDBOX_OPTION_H
#define CLI_SANDBOX_OPTION_H

#include "src/base/sandbox.h"
#include "src/cli/file_conflicts.h"

enum { OPTION_SANDBOX = 4096 }; /* the id, which no other row has */

#define SANDBOX_ROW                                                                          \
	{                                                                                    \
		OPTION_SANDBOX, "sandbox", NULL, NO_FILE,                                    \
		"before reading any input, drop the rights to run programs,\nuse the network, "   \
		"and write anywhere but to the outputs"                                      \
	}

/* Enter it, with the files that are written.  false: out of memory */
bool sandbox_option(const struct named_files *files);

/* Says which rights could not be given up, if any.
 * writes  some outputs are files */
void sandbox_tell(const struct sandbox *entered, bool writes);

#endif
