/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Commands and their options as tables: the parser and --help read the same
 * rows.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "src/base/text.h"

/* What the process exits with. */
enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,  /* input or output failed; nothing was written        */
	EXIT_USAGE = 2,   /* the command line is wrong                          */
	EXIT_WANTING = 3, /* a check failed                                      */
	EXIT_PARTIAL = 4, /* done, but part of the input was unreadable         */
};

/* What becomes of the file that a word names.  file_conflicts.h keeps files that are written
 * apart from all others. */
enum file_role {
	NO_FILE,          /* it names none */
	FILE_READ,        /* "-" is stdin */
	FILES_READ,       /* the same of several, with commas */
	FILE_WRITTEN,     /* "-" is stdout; of several such options of one name the last counts */
	FILE_UPDATED,     /* read, and then replaced */
	OPERANDS_UPDATED, /* of an option: the operands are FILE_UPDATED */
	FOLDER_USED,      /* files without a name are made in it */
	IN_ORDER_READ,    /* of operands: FILE_READ, and each stands for what options before it say */
	STDIN_READ,       /* of operands: "-", or none at all, is stdin, and others name no file */
};

struct option_row {
	int id;           /* the letter of the short form, or above 255 */
	const char *name; /* the long form */
	const char *arg;  /* what its argument is called, or NULL; in brackets if it can be left out;
	                     behind a ':' the words that it can be, with commas, for completion */
	enum file_role role;
	const char *help; /* NULL: a former option, which its command refuses and nothing shows */
};

struct command {
	const char *name;
	const char *args; /* what follows the options, for the usage line */
	const char *help; /* one sentence, then more */
	const struct option_row *options;
	size_t option_count;
	enum file_role operands;
	int (*run)(const struct command *command, int argc, char **argv); /* NULL: main() itself */
	/* LLVM's program that does the same, or NULL: messages about unknown options know its options. */
	const struct command *(*program)(void);
};

/* OPTION_OPERAND: an operand between options, of a command whose operands are IN_ORDER_READ; those behind "--"
 * stand where all operands of others do. */
enum { OPTION_END = -1, OPTION_BAD = -2, OPTION_OPERAND = 1 };

enum { OPTION_NAME = 32 };

/* What an option's argument is called, without its words and brackets; "-" if it takes none. */
struct text option_argument(const struct option_row *row);

/* May the argument be left out? */
bool option_argument_is_optional(const struct option_row *row);

/* What messages call an option: "-o", "--maps". */
void option_name(const struct option_row *row, char name[OPTION_NAME]);

/* The next option, or NULL: *id is then OPTION_END or OPTION_BAD, and nothing is printed. */
const struct option_row *option_scan(const struct command *command, int argc, char **argv, int *id,
				     const char **value);

/* The next option's id, OPTION_END, or OPTION_BAD (a message was printed).
 * *value is its argument or NULL.  Afterwards the operands stand at
 * argv[optind ...]. */
int option_next(const struct command *command, int argc, char **argv, const char **value);

/* All of them: each is given to `apply`, which returns what is wrong with its value, or
 * NULL.  EXIT_DONE, or EXIT_USAGE after a message. */
int options_apply(const struct command *command, int argc, char **argv,
		  const char *(*apply)(void *arguments, int id, const char *value), void *arguments);

/* The option of commands that run on several threads. */
enum { OPTION_THREADS = 4103 }; /* the id, which no other row has */
#define THREADS_ROW                                                                                  \
	{                                                                                            \
		OPTION_THREADS, "threads", "N", NO_FILE,                                             \
		"number of threads (default: one per processor)"                                     \
	}

/* Applies it: *out is 1 to PARALLEL_MOST.  Returns what is wrong with the value, or NULL. */
const char *threads_option(const char *value, unsigned *out);

void command_help(const struct command *command, FILE *out);

/* What the tables say about files, for programs: lines COMMAND OPTION VALUE ROLE, where
 * OPTION can be "operands", and VALUE "-" for none. */
void command_roles(const struct command *command, FILE *out);
const char *role_name(enum file_role role);

/* "batconv: WHAT 'WORD'", a hint at --help, and EXIT_USAGE. */
int usage_error(const struct command *command, const char *what, const char *word);

#endif
