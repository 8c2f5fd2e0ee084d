/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * batconv under merge-fdata's name: its options and exit codes (0, or 1 for whatever went wrong).
 * docs/merge.md has what differs.
 */
#ifndef CLI_MERGE_FDATA_H
#define CLI_MERGE_FDATA_H

#include "src/cli/options.h"

const struct command *merge_fdata_command(void);

#endif
