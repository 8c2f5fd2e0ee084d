/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <string.h>

#include "src/cli/inspect.h"

/* The file with most samples that has a table here; empty if there is none. */
static struct text best_binary(const struct inspected *found)
{
	const struct recording *r = &found->recording;

	for (size_t i = 0; i < INSPECT_LISTED; i++)
		if (found->local[i] == LOCAL_BAT)
			return mapped_files_path(&r->mapped, (uint32_t)r->files.at[i].of);
	return (struct text){"", 0};
}

static void next_of_recording(const struct inspected *found, char *line, size_t size)
{
	struct text binary = path_without_deleted(best_binary(found));

	if (binary.len)
		snprintf(line, size, "batconv %.*s %s -o prog.fdata", (int)binary.len, binary.at, found->path);
	else
		snprintf(line, size, "batconv PROG.bolt %s -o prog.fdata, where PROG.bolt is the BOLTed binary that ran",
			 found->path);
}

static void next_of_binary(const struct inspected *found, char *line, size_t size)
{
	const char *path = found->path;

	switch (found->binary.kind) {
	case BINARY_BOLTED:
		if (*found->bat_wrong)
			snprintf(line, size, "batconv verify %s tells more", path);
		else
			snprintf(line, size, "batconv %s perf.data -o prog.fdata", path);
		break;
	case BINARY_UNTOUCHED:
		snprintf(line, size, "llvm-bolt %s -o prog.bolt --enable-bat, or batconv %s perf.data -o prog.fdata for a "
			 "profile of itself", path, path);
		break;
	case BINARY_LOST: snprintf(line, size, "BOLT it again with --enable-bat: nothing leads to its input binary"); break;
	case BINARY_SECTION: snprintf(line, size, "batconv dump %s", path); break;
	}
}

void inspect_next(const struct inspected *found, char *line, size_t size)
{
	*line = '\0';
	switch (found->kind) {
	case FILE_SAMPLES: next_of_recording(found, line, size); break;
	case FILE_BINARY:
	case FILE_SIDE:
	case FILE_NOTE: next_of_binary(found, line, size); break;
	case FILE_FDATA:
	case FILE_YAML: snprintf(line, size, "llvm-bolt PROG -data %s -o prog.bolt --enable-bat", found->path); break;
	case FILE_BCMAPS:
	case FILE_MAPS: snprintf(line, size, "batconv maps --list %s; batconv stacks --maps=%s STACKS", found->path, found->path); break;
	case FILE_STACKS: snprintf(line, size, "batconv stacks --maps=MAPS %s", found->path); break;
	case FILE_JSON:
		if (!strcmp(found->json_format, "batconv-bat"))
			snprintf(line, size, "batconv encode %s -o note", found->path);
		break;
	case FILE_PPROF: snprintf(line, size, "pprof -top %s", found->path); break;
	case FILE_UNKNOWN:
	case FILE_KIND_COUNT: break;
	}
}
