/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of a command line: which position each has, and, when the command fails, what the
 * advice says of them. */
#ifndef CLI_OPERANDS_H
#define CLI_OPERANDS_H

#include <stdio.h>

#include "src/base/error.h"
#include "src/cli/options.h"
#include "src/flow/conversion.h"

/* Call one of both before the command runs; the words are borrowed until the program ends. */
void operands_remember(const struct command_line *line);
void operands_remember_conversion(const struct command *command,
				  const struct conversion_options *options);

/* For a command whose operands are PROFILE BINARY...: brings the one that is no binary to the
 * front, if it is after.  Reads the beginnings of the files, but not of pipes. */
void operands_profile_first(struct command_line *line);

/* Call it after a command failed because of what is in a file: fail() does.  Puts a better text
 * into `err` if the files show what the user meant.  Reads the beginnings of the files again, but
 * not of pipes.
 *
 * conversion  the one that failed; NULL: none */
void operands_explain(const struct conversion *conversion, struct bc_error *err);

/* Says why, or what the advice says instead, and returns the exit code. */
int fail(const struct bc_error *err);

/* A note about each file of samples that cannot be read, from number `first` on.  Reads all of
 * them again, but not pipes. */
void operands_tell_bad(const struct conversion_options *options, size_t first, FILE *out);

#endif
