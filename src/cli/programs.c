/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/programs.h"

#include <string.h>

#include "src/base/attr.h"
#include "src/cli/merge_fdata.h"
#include "src/cli/perf2bolt.h"

static const struct program programs[] = {
	{perf2bolt_command, perf2bolt_main},
	{perf2bolt_heatmap_command, perf2bolt_heatmap_main},
	{merge_fdata_command, merge_fdata_main},
};

static bool is_called(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash + 1 : path;
	size_t length = strlen(name);

	return !strncmp(last, name, length) && strchr("-.", last[length]); /* or its end */
}

const struct program *program_called(const char *path)
{
	for (size_t i = 0; i < BC_COUNT(programs); i++)
		if (is_called(path, programs[i].command()->name))
			return &programs[i];
	return NULL;
}

const struct program *program_named(const char *word)
{
	for (size_t i = 0; i < BC_COUNT(programs); i++)
		if (!strcmp(word, programs[i].command()->name))
			return &programs[i];
	return NULL;
}

int program_help(const struct program *program)
{
	char name[OPTION_NAME], option[] = "--help";
	char *argv[] = {name, option, NULL};

	snprintf(name, sizeof(name), "%s", program->command()->name);
	return program->main(2, argv);
}
