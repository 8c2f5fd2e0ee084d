/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "src/cli/inspect.h"
#include "src/inspect/advice.h"

/* What is this file on this machine, if many samples are in it? */
static enum local_file local_of(const struct inspected *found, struct text path)
{
	const struct recording *r = &found->recording;

	for (size_t i = 0; i < r->files.len && i < INSPECT_LISTED; i++)
		if (r->files.at[i].of < SHARE_UNKNOWN && text_equal(mapped_files_path(&r->mapped, (uint32_t)r->files.at[i].of), path))
			return found->local[i];
	return LOCAL_NONE;
}

/* The file with most samples that has a table here; else the program of the process with most samples, if it is the same
 * here; empty if there is none. */
static struct text best_binary(const struct inspected *found, struct text program)
{
	const struct recording *r = &found->recording;

	for (size_t i = 0; i < INSPECT_LISTED; i++)
		if (found->local[i] == LOCAL_BAT)
			return mapped_files_path(&r->mapped, (uint32_t)r->files.at[i].of);
	return program.len && local_of(found, program) == LOCAL_PLAIN ? program : (struct text){"", 0};
}

static char *copy(struct text path)
{
	return path.len ? strndup(path.at, path.len) : NULL;
}

void inspect_next(const struct inspected *found, char *line, size_t size)
{
	const struct recording *r = &found->recording;
	struct use use = {.path = found->path, .kind = found->kind, .table_is_bad = *found->bat_wrong, .json_format = found->json_format};
	struct text program = {"", 0};

	if (found->kind == FILE_BINARY || found->kind == FILE_SIDE)
		use.trace = image_bolt_trace(&found->binary.image);
	if (found->kind == FILE_SAMPLES && r->processes.len && r->processes.at[0].of != NO_PID)
		program = recording_program(r, (uint32_t)r->processes.at[0].of);
	char *ran = copy(path_without_deleted(best_binary(found, program))), *named = copy(path_without_deleted(program));
	use.ran = ran;
	use.named = named;
	use.no_samples = found->kind == FILE_SAMPLES && perf_data_is_of_counters(&r->report.perf);
	advise_use(&use, line, size);
	free(ran);
	free(named);
}
