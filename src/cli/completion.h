/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The rows of options for programs: completion for shells, and tables.
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

/* What the tables say about files, for programs: lines COMMAND OPTION VALUE ROLE, where
 * OPTION can be "operands", and VALUE "-" for none. */
void command_roles(const struct command *command, FILE *out);

/* The rows that help shows, for programs, with tabs between: KIND COMMAND OPERANDS SUMMARY, and of
 * each option "option" COMMAND LETTER NAME ARGUMENT OPTIONAL ROLE WORDS HELP.  KIND: "command" or
 * "program"; OPERANDS: file, command or none. */
void command_table(const struct command *command, const char *kind, FILE *out);

#endif
