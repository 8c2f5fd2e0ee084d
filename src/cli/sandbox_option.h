/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --sandbox, of every command that has SANDBOX_ROW in its table: command_run() enters it, with all outputs of the
 * command line, before the command runs.  convert and merge enter it themselves: they can have a directory to make first.
 */
#ifndef CLI_SANDBOX_OPTION_H
#define CLI_SANDBOX_OPTION_H

#include "src/base/sandbox.h"
#include "src/cli/file_conflicts.h"

/* Enter it, with the files that are written.  false: out of memory */
bool sandbox_option(const struct named_files *files);

/* Says which rights could not be given up, if any.
 * writes  some outputs are files */
void sandbox_tell(const struct sandbox *entered, bool writes);

#endif
