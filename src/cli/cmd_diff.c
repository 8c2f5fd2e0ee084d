/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>

#include "src/base/output.h"
#include "src/cli/commands.h"
#include "src/cli/print.h"
#include "src/output/difference.h"

enum { OPT_JSON = 256 };

static const struct option_row rows[] = {
	{OPT_JSON, "json", NULL, "as JSON"},
	{'o', "output", "FILE", "write to FILE (default: stdout)"},
	{'h', "help", NULL, "show this help"},
};

struct arguments {
	bool json, help;
	const char *output, *a, *b;
};

static int parse(const struct command *command, int argc, char **argv, struct arguments *args)
{
	const char *value;

	for (int id; (id = option_next(command, argc, argv, &value)) != OPTION_END;) {
		switch (id) {
		case OPTION_BAD: return EXIT_USAGE;
		case 'h': args->help = true; break;
		case 'o': args->output = value; break;
		case OPT_JSON: args->json = true; break;
		}
	}
	if (args->help)
		return EXIT_DONE;
	if (argc != optind + 2)
		return argc < optind + 2 ? usage_error(command, "two binaries are needed", NULL)
					 : usage_error(command, "two binaries are enough, not also", argv[optind + 2]);
	args->a = argv[optind];
	args->b = argv[optind + 1];
	return EXIT_DONE;
}

static bool differs(const struct comparison *c)
{
	return c->counts[CHANGE_NONE] != c->count;
}

static int compare(const struct arguments *args, const struct table_file *a, const struct table_file *b)
{
	struct comparison comparison;
	struct output output;
	struct bc_error err;

	if (!compare_tables(a, b, &comparison, &err))
		return fail(&err);
	bool ok = output_open(args->output, &output, &err);
	if (ok) {
		(args->json ? difference_json : difference_text)(&comparison, a, b, output.file);
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
	struct table_file a, b;
	struct bc_error err;
	int code = parse(command, argc, argv, &args);

	if (code != EXIT_DONE || args.help) {
		if (code == EXIT_DONE)
			command_help(command, stdout);
		return code;
	}
	if (!table_file_open(args.a, &a, &err))
		return fail(&err);
	if (table_file_open(args.b, &b, &err)) {
		code = compare(&args, &a, &b);
		table_file_close(&b);
	} else {
		code = fail(&err);
	}
	table_file_close(&a);
	return code;
}

const struct command diff_command = {
	"diff", "[OPTION]... A B",
	"compare the BAT sections of two binaries by function\n\n"
	"Exit code 3: they differ.",
	rows, BC_COUNT(rows), run_diff,
};
