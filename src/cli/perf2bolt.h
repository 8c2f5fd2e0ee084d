/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * batconv under perf2bolt's name: its options, its exit codes (0, or 1 for
 * whatever went wrong) and the lines on stdout that scripts read.
 * docs/perf2bolt.md has every option.
 */
#ifndef CLI_PERF2BOLT_H
#define CLI_PERF2BOLT_H

#include <stdio.h>

#include "src/base/vec.h"
#include "src/cli/file_conflicts.h"
#include "src/cli/heat_output.h"
#include "src/cli/llvm_release.h"
#include "src/cli/profile_output.h"
#include "src/cli/sample_options.h"

int perf2bolt_main(int argc, char **argv);

/* llvm-bolt-heatmap has the same options, but for those of a profile, and writes only the heat map. */
#define HEATMAP_NAME "llvm-bolt-heatmap"
int perf2bolt_heatmap_main(int argc, char **argv);

enum perf2bolt_action { PERF2BOLT_CONVERT, PERF2BOLT_HELP, PERF2BOLT_HELP_ALL, PERF2BOLT_VERSION };

DEFINE_VEC(word_vec, const char *);

struct perf2bolt_arguments {
	enum perf2bolt_action action;
	const struct llvm_release *release; /* whose lines and defaults are wanted */
	struct conversion_options conversion; /* .samples not set */
	struct profile_output output;
	bool no_hashes;          /* llvm-bolt is not to be run for the hashes of YAML, and nothing is said */
	const char *llvm_bolt;   /* which one; NULL: as bolt_job.h finds it */
	bool only_heat;          /* called as llvm-bolt-heatmap */
	struct heat_output heat; /* .path is NULL: none is wanted */
	struct word_vec files;  /* samples, borrowed */
	struct word_vec copies; /* of lists that were split; owned */
	struct named_files named;
	struct pid_vec pids;
	uint64_t heat_share; /* of the hits, in parts per million: how many buckets hold it, is told from release 24 on */
	struct word_vec name_options; /* those of functions, each before its value; borrowed */
	bool limited;                 /* to so many functions: */
	uint64_t most_functions;
	uint64_t density_cutoff, density_threshold;
	bool lite_given, no_lite, strict_given, no_strict, events_given;
	bool with_kernel; /* wanted */
	const char *itrace; /* what perf script is to make branch stacks of; or NULL */
	bool spe;
};

/* Reads the command line.  On failure a line on stderr says what is wrong. */
bool perf2bolt_parse(int argc, char **argv, struct perf2bolt_arguments *out);
void perf2bolt_arguments_free(struct perf2bolt_arguments *arguments);

/* The name of the program. */
const char *perf2bolt_program(const struct perf2bolt_arguments *arguments);

/* PERF2BOLT_HELP_ALL: with the options that do nothing. */
void perf2bolt_help(const struct perf2bolt_arguments *arguments, FILE *out);

/* Is it one of llvm-bolt's options, which perf2bolt's parser knows, too, and which do nothing
 * to a profile?  *value: it takes one. */
bool perf2bolt_ignores(const char *name, size_t length, bool *value);
void perf2bolt_help_ignored(FILE *out);

/* As command_roles(). */
void perf2bolt_roles(FILE *out);

/* Its options as rows, for completion: nothing to run. */
const struct command *perf2bolt_command(void);
const struct command *perf2bolt_heatmap_command(void);

/* stdout, or stderr if a profile goes to stdout. */
FILE *perf2bolt_summary_to(const struct perf2bolt_arguments *arguments);

/* What was read and what became of it, and what was written. */
void perf2bolt_summary_start(const struct perf2bolt_arguments *arguments, FILE *out);
BC_MUST_USE bool perf2bolt_summary_read(const struct perf2bolt_arguments *arguments, const struct conversion *conversion,
					const struct heat *heat, FILE *out, struct bc_error *err); /* BC_NOMEM */
void perf2bolt_summary_written(const struct perf2bolt_arguments *arguments,
			      const struct conversion *conversion, FILE *out);

#endif
