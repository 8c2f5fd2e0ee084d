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
#include "src/cli/heat_output.h"
#include "src/cli/llvm_options.h"
#include "src/flow/profile_output.h"
#include "src/cli/sample_options.h"
#include "src/profile/choice.h"

#define HEATMAP_NAME "llvm-bolt-heatmap"

enum perf2bolt_action { PERF2BOLT_CONVERT, PERF2BOLT_HELP, PERF2BOLT_HELP_ALL, PERF2BOLT_VERSION };

struct perf2bolt_arguments {
	enum perf2bolt_action action;
	const struct llvm_release *release;   /* whose lines and defaults are wanted */
	struct conversion_options conversion; /* .samples not set */
	struct profile_output output;
	bool no_hashes; /* llvm-bolt is not to be run for the hashes of YAML, and nothing is said */
	const char *llvm_bolt;   /* which one; NULL: as bolt_program.h finds it */
	bool only_heat;          /* called as llvm-bolt-heatmap */
	struct heat_output heat; /* .path is NULL: none is wanted */
	struct words files;      /* samples, borrowed */
	struct words debug_dirs; /* borrowed */
	struct words copies;     /* of lists that were split; owned */
	struct pid_vec pids;
	uint64_t heat_share; /* of the hits, in parts per million: how many buckets hold it, is
				reported from release 24 on */
	struct given_option_vec name_options; /* those of functions */
	struct number most_functions;
	uint64_t density_cutoff, density_threshold;
	struct number lite, strict; /* 0 or 1 */
	const char *events;         /* or NULL */
	bool with_kernel;           /* wanted */
	const char *itrace;         /* what perf script is to make branch stacks of; or NULL */
	bool spe;                   /* only checked: traces of Arm SPE are read in any case */
};

/* The two programs: llvm-bolt-heatmap has the same options, except for those of a profile, and
 * writes only the heat map. */
const struct command *perf2bolt_command(void);
const struct command *perf2bolt_heatmap_command(void);
int perf2bolt_run(struct command_line *line);

/* Collects the names of functions after -funcs, -skip-funcs and their like: splits lists at
 * commas, and reads files that have one name a line.  `texts` owns the names.
 *
 * BC_IO, BC_NOMEM; BC_UNSUPPORTED: functions to look at and functions to skip */
BC_MUST_USE bool perf2bolt_names(const struct perf2bolt_arguments *arguments, struct words *texts,
				 struct function_choice *out, struct bc_error *err);
void perf2bolt_names_free(struct words *texts);

/* stdout, or stderr if a profile goes to stdout. */
FILE *perf2bolt_summary_to(const struct perf2bolt_arguments *arguments);

#endif
