/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Commands and their options as tables: the parser and --help read the same
 * rows.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

/* What the process exits with. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,  /* input or output failed; nothing was written        */
	EXIT_USAGE = 2,   /* the command line is wrong                          */
	EXIT_WANTING = 3, /* checked and found wanting                          */
	EXIT_PARTIAL = 4, /* done, but part of the input was unreadable         */
};

struct option_row {
	int id;           /* the letter of the short form, or above 255 */
	const char *name; /* the long form */
	const char *arg;  /* what its argument is called, or NULL; in [brackets]
	                     if it can be left out */
	const char *help;
};

struct command {
	const char *name;
	const char *args; /* what follows the options, for the usage line */
	const char *help; /* one sentence, then more */
	const struct option_row *options;
	size_t option_count;
	int (*run)(const struct command *command, int argc, char **argv); /* NULL: main() itself */
};

enum { OPTION_END = -1, OPTION_BAD = -2 };

/* The next option's id, OPTION_END, or OPTION_BAD (a message was printed).
 * *value is its argument or NULL.  Afterwards the operands stand at
 * argv[optind ...]. */
int option_next(const struct command *command, int argc, char **argv, const char **value);

/* All of them: each is given to `apply`, which returns what is wrong with its value, or
 * NULL.  EXIT_DONE, or EXIT_USAGE after a message. */
int options_apply(const struct command *command, int argc, char **argv,
		  const char *(*apply)(void *arguments, int id, const char *value), void *arguments);

void command_help(const struct command *command, FILE *out);

/* "batconv: WHAT 'WORD'", a hint at --help, and EXIT_USAGE. */
int usage_error(const struct command *command, const char *what, const char *word);

#endif
