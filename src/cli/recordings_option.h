/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* --new-recording, which stands between operands: what follows is of another recording than what
 * is before. */
#ifndef CLI_RECORDINGS_OPTION_H
#define CLI_RECORDINGS_OPTION_H

#include "src/base/vec.h"
#include "src/cli/options.h"

enum { OPTION_NEW_RECORDING = 4097 }; /* the id, which no other row has */

#define NEW_RECORDING_ROW                                                                          \
	{                                                                                          \
		OPTION_NEW_RECORDING, "new-recording", NULL, NO_FILE,                              \
			"between two files: the second one starts a new recording"                 \
	}

DEFINE_VEC(word_list, char *);

struct recording_marks {
	char **argv; /* getopt moves operands behind options: */
	struct word_list order; /* all words as they were given */
	struct word_list marks; /* those that are this option */
	bool *begins;           /* by operand: it follows one of these options */
	bool nomem;
};

/* Before the first option is parsed, and at the option itself. */
void recording_marks_begin(struct recording_marks *marks, int argc, char **argv);
void recording_marks_add(struct recording_marks *marks);

/* Fills `begins` when all options are parsed and the files of samples are known.  EXIT_DONE;
 * EXIT_USAGE after a message, if such an option stands before the first or behind the last file;
 * EXIT_FAILED after a message. */
int recording_marks_settle(struct recording_marks *marks, const struct command *command, char **files,
			   size_t count);
void recording_marks_free(struct recording_marks *marks);

#endif
