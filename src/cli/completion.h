/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Completion for shells, from the tables of options: a script each for bash, zsh and fish, which completes batconv,
 * perf2bolt, merge-fdata and llvm-bolt-heatmap.  What a word can be is worked out here, once for all shells.
 */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "src/cli/options.h"

/* What is completed: the commands of batconv, and for programs of other names the rows of their
 * options. */
struct completion {
	const struct command *const *commands;
	size_t command_count;
	const char *main_command; /* what runs if none is named */
	const struct command *const *programs; /* perf2bolt, merge-fdata, llvm-bolt-heatmap */
	size_t program_count;
};

/* What a program's name means as the first word; a format. */
#define COMPLETION_OF_PROGRAM "take the command line of %s"

/* What an option's argument, or an operand, is completed with. */
enum completed {
	COMPLETED_NOTHING, /* takes none */
	COMPLETED_OTHER,   /* a number, or a name that no list contains */
	COMPLETED_FILE,
	COMPLETED_FOLDER,
	COMPLETED_WORD, /* one of completion_words() */
	COMPLETED_LIST, /* some of them, with commas */
};

enum completed option_completed(const struct option_row *row);
bool operands_completed(const struct command *command); /* with files? */

/* The words that an argument can be: "text,json,none", or "". */
const char *completion_words(const struct option_row *row);

/* The forms of an option, "-o" and "--output"; each NULL if there is none, and in `letter`, of 3 bytes. */
const char *completion_letter(const struct option_row *row, char letter[3]);

/* Writes `help` as one line, with a '\\' before each byte that is in `special`.  With `requote`, a
 * ' is written so that it ends the word in quotes and begins it again. */
void completion_text(const char *help, size_t length, const char *special, bool requote, FILE *out);

/* The first paragraph of a command's help. */
size_t completion_summary(const struct command *command);

/* shell: bash, zsh or fish.  False: it is none of these. */
bool completion_write(const struct completion *completion, const char *shell, FILE *out);

void completion_bash(const struct completion *completion, FILE *out);
void completion_zsh(const struct completion *completion, FILE *out);
void completion_fish(const struct completion *completion, FILE *out);

#endif
