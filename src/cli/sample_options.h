/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the commands that read samples of a binary have in common: options that say how the
 * samples are read and the binary is found, and the operands OPTIMIZED SAMPLES...
 */
#ifndef CLI_SAMPLE_OPTIONS_H
#define CLI_SAMPLE_OPTIONS_H

#include "src/base/vec.h"
#include "src/cli/debug_option.h"
#include "src/cli/options.h"
#include "src/convert/conversion.h"

enum { OPTION_INPUT_FORMAT = 4100, OPTION_BASIC, OPTION_IMAGE }; /* ids that no other row has */

#define INPUT_FORMAT_ROW                                                                             \
	{                                                                                            \
		OPTION_INPUT_FORMAT, "input-format", "FORMAT:auto,preagg,perf-script,perf-data",     \
		NO_FILE, "auto (default: by content), preagg, perf-script\nor perf-data"             \
	}
#define BASIC_ROW                                                                                    \
	{                                                                                            \
		OPTION_BASIC, "basic", NULL, NO_FILE,                                                \
		"use sampled addresses, not branch stacks\n(default: branch stacks if there are any)" \
	}
#define IMAGE_ROW                                                                                    \
	{                                                                                            \
		OPTION_IMAGE, "image", "NAME", NO_FILE,                                              \
		"the name of the binary when it was recorded, if it was\nrenamed since (full path or file name)" \
	}
#define SAMPLE_ROWS INPUT_FORMAT_ROW, BASIC_ROW, IMAGE_ROW, DEBUG_DIR_ROW, THREADS_ROW

/* Applies one of SAMPLE_ROWS; others change nothing.  Returns what is wrong with the value, or NULL.
 *
 * debug_dirs  what options->debug borrows from; to be freed */
const char *sample_option(struct conversion_options *options, struct debug_dir_vec *debug_dirs, int id,
			  const char *value);

/* Samples are counted as 'convert' counts them, but nothing is inferred from plain ones: they are
 * shown as they were recorded. */
void sample_options_as_recorded(struct conversion_options *options);

/* Takes the operands from argv[optind] on.  EXIT_DONE, or EXIT_USAGE after a message. */
int sample_operands(const struct command *command, int argc, char **argv, struct conversion_options *options);

/* Reads process ids with commas between.  Returns false if one is none, or out of memory. */
DEFINE_VEC(pid_vec, uint32_t);
BC_MUST_USE bool sample_parse_pids(const char *value, struct pid_vec *out);

#endif
