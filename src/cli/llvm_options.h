/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Command lines as LLVM's programs take them: -name, --name, -name=VALUE, -name VALUE; flags can be
 * =true or =false. */
#ifndef CLI_LLVM_OPTIONS_H
#define CLI_LLVM_OPTIONS_H

#include "src/cli/options.h"

/* Reads the words into `line`.  EXIT_DONE, or EXIT_FAILED after a message. */
int llvm_words_read(struct command_line *line, int argc, char **argv);

/* The options of llvm-bolt that do nothing to a profile, and are ignored with a warning. */
void llvm_help_ignored(FILE *out);

/* ---- programs ---- */

/* batconv under merge-fdata's name: its options and exit codes (0, or 1 for whatever went wrong).
 * docs/merge.md has what differs. */
const struct command *merge_fdata_command(void);

/* ---- releases ---- */

struct llvm_release {
	unsigned number;
	const char *version; /* as --version has it */
};

/* The newest known release up to the number after the name of a path; without a number, and before
 * the first known one, the first. */
const struct llvm_release *llvm_release_called(const char *path);

#endif
