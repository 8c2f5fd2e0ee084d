/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>
#include <string.h>

#include "src/base/output.h"
#include "src/base/vec.h"
#include "src/cli/commands.h"
#include "src/cli/print.h"
#include "src/cli/sandbox_option.h"
#include "src/cli/table_command.h"
#include "src/elf/binary_open.h"
#include "src/output/dump.h"

enum { OPT_JSON = 256, OPT_RAW, OPT_SUMMARY, OPT_FUNCTION, OPT_TRANSLATE, OPT_DEMANGLE };

static const struct option_row rows[] = {
	{OPT_JSON, "json", NULL, NO_FILE, "print JSON, which 'batconv encode' reads"},
	{OPT_RAW, "raw", NULL, NO_FILE, "print every stored field: byte, size, encoding, value"},
	{OPT_SUMMARY, "summary", NULL, NO_FILE, "print layout, counts and sizes"},
	{'f', "function", "NAME", NO_FILE, "show only this function: a name as in profiles, with or\nwithout /file.c/N, or an address in it"},
	{'t', "translate", "ADDRESS", NO_FILE, "show where an address lies in the input binary;\nrepeatable"},
	{'C', "demangle", NULL, NO_FILE, "demangle C++ names"},
	{'o', "output", "FILE", FILE_WRITTEN, "write to FILE (default: stdout)"},
	SANDBOX_ROW,
	{'h', "help", NULL, NO_FILE, "show this help"},
};

DEFINE_VEC(addresses, uint64_t);

struct arguments {
	bool json, raw, summary;
	const char *output, *path;
	struct dump dump;
	struct addresses translate;
};

static void arguments_free(struct arguments *args)
{
	addresses_free(&args->translate);
}

/* Returns what is wrong with the value, or NULL. */
static const char *apply_option(void *arguments, int id, const char *value)
{
	struct arguments *args = arguments;
	uint64_t address = 0;

	switch (id) {
	case 'o': args->output = value; break;
	case 'C': args->dump.demangled = true; break;
	case OPT_JSON: args->json = true; break;
	case OPT_RAW: args->raw = true; break;
	case OPT_SUMMARY: args->summary = true; break;
	case 'f':
		args->dump.has_address = !strncmp(value, "0x", 2) && text_hex(text_of(value), &args->dump.address);
		args->dump.only = args->dump.has_address ? NULL : value;
		break;
	case 't':
		if (!text_hex(text_of(value), &address) || !addresses_push(&args->translate, address))
			return "--translate takes a hexadecimal address, not";
		break;
	}
	return NULL;
}

static int parse(const struct command *command, int argc, char **argv, struct arguments *args)
{
	int code = table_command_arguments(command, argc, argv, &one_binary, apply_option, args);

	if (code != GO_ON)
		return code;
	if (args->summary && args->raw)
		return usage_error(command, "one of --raw and --summary, not both", NULL);
	if (args->json && args->raw)
		return usage_error(command, "one of --json and --raw, not both", NULL);
	if (args->translate.len && (args->json || args->raw || args->summary))
		return usage_error(command, "--translate prints lines of its own, not with --json, --raw or --summary", NULL);
	args->path = argv[optind];
	return GO_ON;
}

static bool write_dump(const struct arguments *args, FILE *out)
{
	if (args->translate.len) {
		for (size_t i = 0; i < args->translate.len; i++)
			(void)dump_translate(&args->dump, args->translate.at[i], out);
		return true;
	}
	if (args->summary)
		return (args->json ? dump_summary_json : dump_summary_text)(&args->dump, out);
	if (args->raw)
		return dump_raw(&args->dump, out);
	if (!args->json)
		return dump_text(&args->dump, out);
	dump_json(&args->dump, out);
	return true;
}

static bool shows_any(const struct dump *dump)
{
	for (uint32_t i = 0; i < dump->subject->bat.fragment_count; i++)
		if (dump_shows(dump, i))
			return true;
	return !dump->only && !dump->has_address;
}

static bool dump_file(struct arguments *args, const struct binary *subject, struct bc_error *err)
{
	struct output output;

	args->dump.subject = subject;
	if (!shows_any(&args->dump))
		return bc_fail(err, BC_NOTFOUND, "%s: no such function in the table", args->path);
	if (!output_open(args->output, &output, err))
		return false;
	if (write_dump(args, output.file))
		return output_commit(&output, err);
	output_discard(&output);
	return bc_fail_nomem(err);
}

static int run_dump(const struct command *command, int argc, char **argv)
{
	BC_AUTO(arguments_free) struct arguments args = {0};
	BC_AUTO(binary_close) struct binary subject = {0};
	struct bc_error err;
	int code = parse(command, argc, argv, &args);

	if (code != GO_ON)
		return code;
	bool ok = binary_open_table(args.path, &subject, &err) && dump_file(&args, &subject, &err);
	return ok ? EXIT_DONE : fail(&err);
}

const struct command dump_command = {
	"dump", "[OPTION]... BINARY",
	"show the BAT section of a binary\n\n"
	"BINARY is a binary from 'llvm-bolt --enable-bat', or such a section alone.\n"
	"Lists functions by name, with their hot and cold parts and the entries of each.",
	rows, BC_COUNT(rows), FILE_READ, run_dump, NULL,
};
