/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "src/cli/options.h"

extern const struct command convert_command;
extern const struct command addr_command;
extern const struct command inspect_command;
extern const struct command image_command;
extern const struct command maps_command;
extern const struct command stacks_command;
extern const struct command verify_command;
extern const struct command dump_command;
extern const struct command encode_command;
extern const struct command transcode_command;
extern const struct command extract_command;
extern const struct command diff_command;
extern const struct command merge_command;
extern const struct command quality_command;
extern const struct command overlap_command;
extern const struct command stale_command;
extern const struct command heatmap_command;
extern const struct command report_command;
extern const struct command record_command;
extern const struct command version_command;

#endif
