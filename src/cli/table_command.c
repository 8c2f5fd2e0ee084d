/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/table_command.h"

#include <getopt.h>

#include "src/base/output.h"

const struct operands one_binary = {1, "no binary given", "one binary at a time, not also"};

int operands_check(const struct command *command, int argc, char **argv,
		   const struct operands *operands)
{
	int end = optind + operands->count;

	if (argc == end)
		return EXIT_DONE;
	return argc < end ? usage_error(command, operands->too_few, NULL)
			  : usage_error(command, operands->too_many, argv[end]);
}

struct parser {
	const char *(*apply)(void *arguments, int id, const char *value);
	void *arguments;
	bool help;
};

static const char *apply_option(void *ctx, int id, const char *value)
{
	struct parser *p = ctx;

	if (id != 'h')
		return p->apply(p->arguments, id, value);
	p->help = true;
	return NULL;
}

int table_command_arguments(const struct command *command, int argc, char **argv,
			    const struct operands *operands,
			    const char *(*apply)(void *arguments, int id, const char *value),
			    void *arguments)
{
	struct parser parser = {apply, arguments, false};
	int code = options_apply(command, argc, argv, apply_option, &parser);

	if (code != EXIT_DONE)
		return code;
	if (parser.help) {
		command_help(command, stdout);
		return EXIT_DONE;
	}
	code = operands_check(command, argc, argv, operands);
	return code == EXIT_DONE ? GO_ON : code;
}

bool write_bytes(const char *path, struct bytes bytes, struct bc_error *err)
{
	struct output output;

	if (!output_open(path, &output, err))
		return false;
	fwrite(bytes.data, 1, bytes.size, output.file);
	return output_commit(&output, err);
}
