/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/operands.h"

#include <string.h>
#include <sys/stat.h>

#include "src/cli/say.h"
#include "src/event/input.h"
#include "src/inspect/file_kind.h"

static enum file_kind kind_of(const char *path)
{
	char start[FILE_KIND_LOOK];
	struct bc_error ignored;
	size_t size;

	if (is_recording_folder(path))
		return FILE_SAMPLES;
	if (!strcmp(path, "-") || !file_peek(path, start, sizeof(start), &size, &ignored))
		return FILE_UNKNOWN;
	return file_kind_of((struct text){start, size});
}

static bool is_binary(enum file_kind kind)
{
	return kind == FILE_BINARY || kind == FILE_SIDE;
}

/* Returns what the user can do with a file that holds no samples; NULL: no advice. */
static const char *remedy(enum file_kind kind)
{
	switch (kind) {
	case FILE_FDATA:
	case FILE_YAML: return "it is a profile already: llvm-bolt takes it with -data";
	case FILE_BINARY:
	case FILE_SIDE: return "it is a binary: one binary comes first, then its samples (several binaries: --bin)";
	case FILE_NOTE: return "it is a table alone: `batconv dump` shows it";
	case FILE_BCMAPS:
	case FILE_MAPS: return "it has maps of processes and no samples: `batconv maps --list` shows it";
	case FILE_STACKS: return "it has call stacks and no samples: `batconv stacks` takes it";
	case FILE_JSON: return "it is JSON: no samples come as that";
	case FILE_PPROF: return "it is a profile of pprof: no samples of branches or addresses can be read from it";
	case FILE_SAMPLES:
	case FILE_UNKNOWN:
	case FILE_KIND_COUNT: break;
	}
	return NULL;
}

void operands_explain(const struct conversion_options *options, struct bc_error *err)
{
	enum file_kind binary = kind_of(options->binary);

	if (err->code != BC_FORMAT && err->code != BC_UNSUPPORTED)
		return;
	if (!is_binary(binary)) {
		for (size_t i = 0; i < options->sample_count; i++)
			if (is_binary(kind_of(options->samples[i]))) {
				bc_fail(err, BC_FORMAT, "%s: is not a binary, but %s is: swap the operands (the binary "
					"comes first, then its samples)", options->binary, options->samples[i]);
				return;
			}
		if (binary == FILE_SAMPLES || binary == FILE_FDATA || binary == FILE_YAML)
			bc_fail(err, BC_FORMAT, "%s: is a %s, not a binary: the binary that ran comes first, then its samples",
				options->binary, file_kind_name(binary));
		return;
	}
	for (size_t i = 0; i < options->sample_count; i++) {
		const char *what = remedy(kind_of(options->samples[i]));
		if (!what)
			continue;
		bc_fail(err, BC_FORMAT, "%s: %s", options->samples[i], what);
		return;
	}
}

static bool ignore(void *ctx, const struct event *event, struct bc_error *err)
{
	(void)ctx;
	(void)event;
	(void)err;
	return true;
}

static bool can_be_read_again(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && (stat(path, &st) != 0 || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)));
}

void operands_tell_bad(const struct conversion_options *options, size_t first, FILE *out)
{
	const struct event_sink sink = {NULL, ignore};

	for (size_t i = first; i < options->sample_count; i++) {
		const char *path = options->samples[i];
		struct reader_options how = conversion_reader_options(options, i, NULL);
		struct reader_report report = {0};
		struct bc_error err = {0};
		if (!can_be_read_again(path))
			continue;
		if (!input_run(path, &how, options->progress, &sink, &report, &err) && err.code != BC_NOMEM)
			say(out, "%s", err.text);
	}
}
