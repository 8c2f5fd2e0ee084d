/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/base/output.h"
#include "src/verify/compare.h"
#include "src/cli/options.h"
#include "src/cli/operands.h"
#include "src/elf/binary.h"

struct arguments {
	bool json, stat;
	const char *output;
};

static const struct option_row rows[] = {
	JSON_ROW("print JSON"),
	{0, "stat", NULL, NO_FILE, "print only the summary", INTO(stat)},
	OUTPUT_ROW,
	SANDBOX_ROW,
	COMMON_ROWS,
};

static int compare(const struct arguments *args, const struct binary *a, const struct binary *b)
{
	struct comparison comparison;
	struct output output;
	struct bc_error err;

	if (!compare_tables(a, b, &comparison, &err))
		return fail(&err);
	bool ok = output_open(args->output, &output, &err);
	if (ok) {
		(args->json ? comparison_json : comparison_text)(&comparison, a, b, args->stat,
								 output.file);
		ok = output_commit(&output, &err);
	}
	int code = !ok                                   ? fail(&err) :
		   comparison_differs(&comparison, a, b) ? EXIT_CHECK_FAILED :
							   EXIT_DONE;
	comparison_free(&comparison);
	return code;
}

static int run_diff(struct command_line *line)
{
	BC_AUTO(binary_close) struct binary a = {0}, b = {0};
	struct bc_error err;

	if (!binary_open_table(line->operands.at[0], &a, &err) ||
	    !binary_open_table(line->operands.at[1], &b, &err))
		return fail(&err);
	return compare(line->arguments, &a, &b);
}

const struct command diff_command = {
	.name = "diff",
	.args = "[OPTION]... A B",
	.help = "compare the BAT sections of two binaries by function\n\n"
		"Prints a summary, then the differences, the largest first.\n"
		"Exit code 3: they differ.",
	.examples = "batconv diff yesterday/server.bolt server.bolt\n"
		    "batconv diff --stat yesterday/server.bolt server.bolt",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_TABLE, PLACE_TABLE},
	.count = {2, 2, "two binaries are needed", "two binaries are enough, not also"},
	.size = sizeof(struct arguments),
	.run = run_diff,
};
