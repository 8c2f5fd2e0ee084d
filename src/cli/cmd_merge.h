/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CLI_CMD_MERGE_H
#define CLI_CMD_MERGE_H

#include "src/cli/options.h"

int merge_run_command(const struct command *command, int argc, char **argv);

#endif
