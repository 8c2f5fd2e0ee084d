/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* perf2bolt's options.  perf2bolt_options.c parses them, and --help and the completion read the same rows. */
#ifndef CLI_PERF2BOLT_TABLE_H
#define CLI_PERF2BOLT_TABLE_H

#include "src/cli/perf2bolt.h"

enum perf2bolt_option_id {
	ID_NOTHING, /* accepted: batconv does so anyway, or has nothing to do */
	ID_SAMPLES,
	ID_OUTPUT,
	ID_YAML,
	ID_FORMAT,
	ID_PREAGG,
	ID_BASIC,
	ID_PID,
	ID_BUILD_ID,
	ID_MAX_SAMPLES,
	ID_ITRACE,
	ID_SPE,
	ID_KERNEL,
	ID_IMPUTE,
	ID_FORCE,
	ID_PROBES,
	ID_HASHES,
	ID_WITHOUT_HASHES,
	ID_LLVM_BOLT,
	ID_LITE,
	ID_STRICT,
	ID_HEATMAP,
	ID_BLOCK_SIZE,
	ID_HEAT_SHARE,
	ID_LINE_SIZE,
	ID_MIN_ADDRESS,
	ID_MAX_ADDRESS,
	ID_MAPPINGS,
	ID_EVENTS,
	ID_FUNCS,
	ID_DENSITY_CUTOFF,
	ID_DENSITY_THRESHOLD,
	ID_HELP,
	ID_HELP_HIDDEN,
	ID_VERSION,
};

/* The programs that have an option. */
enum perf2bolt_option_of { OF_BOTH, OF_PERF2BOLT, OF_HEATMAP };

struct perf2bolt_option {
	const char *name;
	enum perf2bolt_option_id id;
	const char *value; /* as in option_row; NULL: a flag, which can be =0 or =false */
	enum file_role role;
	const char *help;
	enum perf2bolt_option_of of;
};

/* Returns the option of a name, or NULL. */
const struct perf2bolt_option *perf2bolt_option(const struct perf2bolt_arguments *arguments, const char *name,
						size_t len);

/* Makes the name that messages call an option by. */
void perf2bolt_option_label(const struct perf2bolt_option *option, char label[OPTION_NAME]);

#endif
