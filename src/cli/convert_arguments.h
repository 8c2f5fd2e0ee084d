/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The options and operands of 'batconv convert'. */
#ifndef CLI_CONVERT_ARGUMENTS_H
#define CLI_CONVERT_ARGUMENTS_H

#include "src/cli/binaries.h"
#include "src/cli/debug_option.h"
#include "src/cli/maps_option.h"
#include "src/cli/options.h"
#include "src/cli/profile_output.h"
#include "src/cli/progress.h"
#include "src/cli/recordings_option.h"
#include "src/cli/sample_options.h"

DEFINE_VEC(input_vec, const char *);

enum stats_form { STATS_TEXT, STATS_JSON, STATS_NONE };

struct convert_arguments {
	struct conversion_options conversion;
	struct profile_output output;
	const char *stats_file;
	enum stats_form stats;
	bool verbose, help;
	bool sandbox;
	bool restore_given;
	unsigned restore; /* as in struct profile_rules */
	struct pid_vec pids;
	struct recording_marks marks;
	struct debug_dir_vec debug_dirs;
	struct map_file_vec maps;
	struct binary_vec binaries; /* of --bin; empty: the first operand */
	struct input_vec inputs;    /* of --input: with --bin as BIN=INPUT */
	struct input_vec hashes;    /* of --hashes, likewise */
	struct bc_error wrong;      /* with one of them */
	enum progress_mode progress;
};

/* EXIT_DONE, or EXIT_USAGE after a message.  Finish with
 * convert_arguments_free() either way. */
int convert_arguments_parse(const struct command *command, int argc, char **argv,
			    struct convert_arguments *out);
void convert_arguments_free(struct convert_arguments *arguments);

/* With --bin: finds the path of a binary's profile.  Returns false if it is too long. */
bool convert_profile_path(const struct convert_arguments *arguments, const struct named_binary *binary,
			  char *path, size_t size);

/* With --bin: the binary that llvm-bolt read to write one of them; NULL: not given. */
const char *convert_input_of(const struct convert_arguments *arguments, const struct named_binary *binary);

/* Likewise the file with its hashes. */
const char *convert_hashes_of(const struct convert_arguments *arguments, const struct named_binary *binary);

/* The command itself. */
int convert_run(const struct command *command, int argc, char **argv);

#endif
