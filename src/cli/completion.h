/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Completion for shells, made of the rows of options.
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "src/cli/options.h"

/* A command of batconv, or the command line of one of LLVM's programs. */
struct completed_command {
	const struct command *command;
	bool is_program;
};

/* Writes the script for `shell`: "bash", "zsh" or "fish"; false: another word.  `main_name` is the
 * command that runs if the command line names none.  Errors of `out` are left in `out`. */
bool completion_write(const char *shell, const struct completed_command *commands, size_t count,
		      const char *main_name, FILE *out);

#endif
