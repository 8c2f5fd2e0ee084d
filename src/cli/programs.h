/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * LLVM's programs whose command lines batconv takes: under their names (a link is enough), or with the name as its
 * first word.
 */
#ifndef CLI_PROGRAMS_H
#define CLI_PROGRAMS_H

#include "src/cli/options.h"

struct program {
	const struct command *(*command)(void);
	int (*main)(int argc, char **argv);
};

/* The program that argv[0] names, with or without a version, or NULL. */
const struct program *program_called(const char *path);

/* The program of exactly this name, or NULL. */
const struct program *program_named(const char *word);

/* Prints the program's --help. */
int program_help(const struct program *program);

#endif
