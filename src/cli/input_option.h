/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --no-input, of every command that has --input: where neither is given, the input is looked for. */
#ifndef CLI_INPUT_OPTION_H
#define CLI_INPUT_OPTION_H

#include <stdio.h>

#include "src/cli/options.h"
#include "src/cli/warnings.h"
#include "src/pair/pair.h"

/* The row, for a struct of arguments with a `no_input`. */
#define NO_INPUT_ROW                                                                                 \
	{                                                                                            \
		0, "no-input", NULL, NO_FILE,                                                        \
		"do not look for INPUT by its build-id (default: where --input\n"                    \
		"is not given, beside the binary and where debug files lie)", INTO(no_input)         \
	}

#define BOTH_INPUTS "--input and --no-input exclude each other"

/* One line: which file was found to be the input; nothing if none was. */
void found_input_say(const struct found_input *found, FILE *out);

/* Which file has the build-id of the input, or its name, and why it was not taken. */
void found_input_warn(const struct found_input *found, const struct warnings *to);

/* Is it looked for, with or without --no-input?  $BATCONV_NO_INPUT, if it is set and not empty, stands for the option. */
bool input_is_sought(bool no_input);

/* For commands that need the path of an input only.  NULL: none, or out of memory */
const char *found_input_path(const char *output, const struct debug_dirs *dirs, struct found_input *found);

/* Both lines on stderr. */
void found_input_tell(const struct found_input *found);

#endif
