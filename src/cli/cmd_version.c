/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>
#include <stdio.h>

#include "src/base/attr.h"
#include "src/cli/commands.h"
#include "src/isa/llvm.h"
#include "src/output/json.h"

enum { OPT_JSON = 256 };

static const struct option_row rows[] = {
	{OPT_JSON, "json", NULL, NO_FILE, "print JSON"},
	{'h', "help", NULL, NO_FILE, "show this help"},
};

struct arguments {
	bool json, help;
};

static const char *apply_option(void *arguments, int id, const char *value)
{
	struct arguments *args = arguments;

	(void)value;
	args->json |= id == OPT_JSON;
	args->help |= id == 'h';
	return NULL;
}

static void version_json(const char *library)
{
	struct json json = {.out = stdout};

	json_open(&json, NULL, '{');
	json_string(&json, "format", "batconv-version");
	json_number(&json, "version", 1);
	json_string(&json, "batconv", BATCONV_VERSION);
	if (library)
		json_string(&json, "libllvm", library);
	else
		json_null(&json, "libllvm");
	json_close(&json, '}');
	putchar('\n');
}

static void version_text(const char *library)
{
	puts("batconv " BATCONV_VERSION);
	printf("libLLVM: %s\n", library ? library : "none found");
}

static int run_version(const struct command *command, int argc, char **argv)
{
	struct arguments args = {0};
	struct llvm_context context;
	int code = options_apply(command, argc, argv, apply_option, &args);

	if (code != EXIT_DONE)
		return code;
	if (args.help) {
		command_help(command, stdout);
		return EXIT_DONE;
	}
	if (optind < argc)
		return usage_error(command, "no operand is taken, not", argv[optind]);
	/* libLLVM is loaded only when it is needed: which one that would be is known only by
	 * loading it now. */
	if (llvm_open(&context))
		llvm_close(&context);
	(args.json ? version_json : version_text)(llvm_loaded());
	return EXIT_DONE;
}

const struct command version_command = {
	"version", "[OPTION]...", "print the version, and the libLLVM that would be loaded",
	rows, BC_COUNT(rows), NO_FILE, run_version, NULL,
};
