/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>

#include "src/base/output.h"
#include "src/cli/commands.h"
#include "src/cli/print.h"
#include "src/cli/sandbox_option.h"
#include "src/cli/table_command.h"
#include "src/elf/binary_open.h"
#include "src/output/difference.h"

enum { OPT_JSON = 256, OPT_STAT };

static const struct option_row rows[] = {
	{OPT_JSON, "json", NULL, NO_FILE, "print JSON"},
	{OPT_STAT, "stat", NULL, NO_FILE, "print only the summary"},
	{'o', "output", "FILE", FILE_WRITTEN, "write to FILE (default: stdout)"},
	SANDBOX_ROW,
	{'h', "help", NULL, NO_FILE, "show this help"},
};

static const struct operands two_binaries = {2, "two binaries are needed", "two binaries are enough, not also"};

struct arguments {
	bool json, stat;
	const char *output;
};

static const char *apply_option(void *arguments, int id, const char *value)
{
	struct arguments *args = arguments;

	switch (id) {
	case 'o': args->output = value; break;
	case OPT_JSON: args->json = true; break;
	case OPT_STAT: args->stat = true; break;
	}
	return NULL;
}

static bool differs(const struct comparison *c)
{
	return c->counts[CHANGE_NONE] != c->count;
}

static int compare(const struct arguments *args, const struct binary *a, const struct binary *b)
{
	struct comparison comparison;
	struct output output;
	struct bc_error err;

	if (!compare_tables(a, b, &comparison, &err))
		return fail(&err);
	bool ok = output_open(args->output, &output, &err);
	if (ok) {
		(args->json ? difference_json : difference_text)(&comparison, a, b, args->stat, output.file);
		ok = output_commit(&output, &err);
	}
	int code = !ok ? fail(&err)
		   : differs(&comparison) || a->bat.layout != b->bat.layout ? EXIT_WANTING : EXIT_DONE;
	comparison_free(&comparison);
	return code;
}

static int run_diff(const struct command *command, int argc, char **argv)
{
	struct arguments args = {0};
	BC_AUTO(binary_close) struct binary a = {0}, b = {0};
	struct bc_error err;
	int code = table_command_arguments(command, argc, argv, &two_binaries, apply_option, &args);

	if (code != GO_ON)
		return code;
	if (!binary_open_table(argv[optind], &a, &err) || !binary_open_table(argv[optind + 1], &b, &err))
		return fail(&err);
	return compare(&args, &a, &b);
}

const struct command diff_command = {
	"diff", "[OPTION]... A B",
	"compare the BAT sections of two binaries by function\n\n"
	"Prints a summary, then the differences, the largest first.\n"
	"Exit code 3: they differ.",
	rows, BC_COUNT(rows), FILE_READ, run_diff, NULL,
};
