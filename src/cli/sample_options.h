/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the commands that read samples of a binary have in common: options that say how the
 * samples are read and the binary is found, and the operands OPTIMIZED SAMPLES...
 */
#ifndef CLI_SAMPLE_OPTIONS_H
#define CLI_SAMPLE_OPTIONS_H

#include "src/cli/options.h"
#include "src/convert/conversion.h"

/* Rows of commands whose arguments have a `conversion` and `debug_dirs`. */
#define INPUT_FORMAT_ROW                                                                                     \
	{0, "input-format", "FORMAT:auto,preagg,perf-script,perf-data", NO_FILE,                              \
	 "auto (default: by content), preagg, perf-script\nor perf-data", INTO(conversion.format)}
#define BASIC_ROW                                                                                            \
	{0, "basic", NULL, NO_FILE, "use sampled addresses, not branch stacks\n(default: branch stacks if there are any)", \
	 INTO_SET(conversion.aggregate.mode, MODE_BASIC)}
#define IMAGE_ROW                                                                                            \
	{0, "image", "NAME", NO_FILE, "the name of the binary when it was recorded, if it was\nrenamed since (full path or file name)", \
	 INTO(conversion.image_name)}
#define SAMPLE_ROWS INPUT_FORMAT_ROW, BASIC_ROW, IMAGE_ROW, DEBUG_DIR_ROW, THREADS_ROW(conversion.threads)

/* Samples are counted as 'convert' counts them, but nothing is inferred from plain ones: they are
 * shown as they were recorded. */
void sample_options_as_recorded(struct conversion_options *options);

/* Takes the operands OPTIMIZED SAMPLES..., and the directories of --debug-dir.  EXIT_DONE, or EXIT_USAGE after a message. */
int sample_operands(const struct command_line *line, const struct words *debug_dirs, struct conversion_options *options);

DEFINE_VEC(pid_vec, uint32_t);
option_reader option_pids; /* with commas, into such a vector */
#define PIDS_TAKES "process ids with commas"

#endif
