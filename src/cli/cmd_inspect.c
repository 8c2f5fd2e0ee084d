/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "src/cli/options.h"
#include "src/cli/operands.h"
#include "src/cli/progress.h"
#include "src/cli/sample_options.h"
#include "src/figures/inspect.h"
#include "src/figures/summary.h"

static int show(const char *path, bool as_json, struct carried *carried,
		struct input_progress shown)
{
	struct inspected found = {.seeks_input = input_is_sought(false)};
	struct bc_error err = {0};
	int code = EXIT_DONE;

	if (!strcmp(path, "-"))
		bc_fail(&err, BC_UNSUPPORTED,
			"<stdin>: inspect reads its input twice, which must be a file");
	if (err.code || !inspect_file(path, shown, carried, &found, &err)) {
		progress_clear(shown.ctx);
		code = fail(&err);
	} else {
		progress_clear(shown.ctx);
		(as_json ? inspect_json : inspect_text)(&found, stdout);
		if (found.kind == FILE_SAMPLES && tell_loss(path, &found.recording.report))
			code = EXIT_PARTIAL;
		else if (*found.bat_wrong || found.binary.kind == BINARY_LOST)
			code = EXIT_CHECK_FAILED;
	}
	inspected_free(&found);
	return code;
}

struct arguments {
	bool as_json;
};

static const struct option_row rows[] = {
	{0, "json", NULL, NO_FILE, "one JSON object per file", INTO(as_json)},
	NEW_RECORDING_ROW,
	SANDBOX_ROW,
	COMMON_ROWS,
};

static int show_all(const struct arguments *args, const struct words *files, const bool *begins)
{
	BC_AUTO(carried_free) struct carried carried = {0};
	struct progress progress;
	struct input_progress shown =
		progress_begin(&progress, PROGRESS_AUTO, files->at, files->len);
	int worst = EXIT_DONE;

	for (size_t i = 0; i < files->len; i++) {
		if (i && !args->as_json)
			putchar('\n');
		carried.new_recording = begins[i];
		int code =
			show(files->at[i], args->as_json, files->len > 1 ? &carried : NULL, shown);
		worst = code == EXIT_FAILED || (code && !worst) ? code : worst;
	}
	return worst;
}

static int check(struct command_line *line)
{
	return new_recordings(line, 0);
}

static int run_inspect(struct command_line *line)
{
	return show_all(line->arguments, &line->operands, line->begins);
}

const struct command inspect_command = {
	.name = "inspect",
	.args = "[OPTION]... FILE...",
	.help = "show what a file is, and what to do with it\n\n"
		"FILE is a recording (perf.data, text of perf script, pre-aggregated records), a binary, a\n"
		"side file, a profile (fdata, YAML), maps, call stacks, or JSON that batconv wrote.",
	.examples =
		"batconv inspect perf.data\n"
		"batconv inspect prog.bolt last.fdata                     # and what to run next\n"
		"batconv inspect --json perf.data",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.count = {1, 0, "no file given", NULL},
	.size = sizeof(struct arguments),
	.check = check,
	.run = run_inspect,
};
