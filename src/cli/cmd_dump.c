/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <string.h>

#include "src/base/output.h"
#include "src/base/vec.h"
#include "src/cli/options.h"
#include "src/cli/operands.h"
#include "src/elf/binary.h"
#include "src/figures/dump.h"

DEFINE_VEC(addresses, uint64_t);

struct arguments {
	bool json, raw, summary;
	const char *output;
	struct dump dump;
	struct addresses translate;
};

static void finish(void *arguments)
{
	struct arguments *args = arguments;

	addresses_free(&args->translate);
}

static const char *read_function(struct command_line *line, const struct option_row *row,
				 const char *value)
{
	struct dump *dump = option_field(line, row);

	dump->has_address = !strncmp(value, "0x", 2) && text_hex(text_of(value), &dump->address);
	dump->only = dump->has_address ? NULL : value;
	return NULL;
}

static const char *read_address(struct command_line *line, const struct option_row *row,
				const char *value)
{
	uint64_t address;

	if (!text_hex(text_of(value), &address))
		return OPTION_WRONG;
	return addresses_push(option_field(line, row), address) ? NULL : OPTION_NOMEM;
}

static const struct option_row rows[] = {
	JSON_ROW("print JSON, which 'batconv encode' reads"),
	{0, "raw", NULL, NO_FILE, "print every stored field: byte, size, encoding, value",
	 INTO(raw)},
	{0, "summary", NULL, NO_FILE, "print layout, counts and sizes", INTO(summary)},
	{'f', "function", "NAME", NO_FILE,
	 "show only this function: a name as in profiles, with or\nwithout /file.c/N, or an address in it",
	 INTO_BY(dump, read_function)},
	{'t', "translate", "ADDRESS", NO_FILE,
	 "show where an address lies in the input binary;\nrepeatable",
	 INTO_BY(translate, read_address), .takes = "a hexadecimal address"},
	{'C', "demangle", NULL, NO_FILE, "demangle C++ names", INTO(dump.demangled)},
	OUTPUT_ROW,
	SANDBOX_ROW,
	COMMON_ROWS,
};

static int check(struct command_line *line)
{
	const struct arguments *args = line->arguments;

	if (args->summary && args->raw)
		return usage_error(line->command, "one of --raw and --summary, not both", NULL);
	if (args->json && args->raw)
		return usage_error(line->command, "one of --json and --raw, not both", NULL);
	if (args->translate.len && (args->json || args->raw || args->summary))
		return usage_error(
			line->command,
			"--translate prints lines of its own, not with --json, --raw or --summary",
			NULL);
	return EXIT_DONE;
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

static bool dump_file(struct arguments *args, const char *path, const struct binary *subject,
		      struct bc_error *err)
{
	struct output output;

	args->dump.subject = subject;
	if (!shows_any(&args->dump))
		return bc_fail(err, BC_NOTFOUND, "%s: no such function in the table", path);
	if (!output_open(args->output, &output, err))
		return false;
	bool ok = write_dump(args, output.file) || bc_fail_nomem(err);
	return output_end(&output, ok, err);
}

static int run_dump(struct command_line *line)
{
	BC_AUTO(binary_close) struct binary subject = {0};
	const char *path = line->operands.at[0];
	struct bc_error err;

	bool ok = binary_open_table(path, &subject, &err) &&
		  dump_file(line->arguments, path, &subject, &err);
	return ok ? EXIT_DONE : fail(&err);
}

const struct command dump_command = {
	.name = "dump",
	.args = "[OPTION]... BINARY",
	.help = "show the BAT section of a binary\n\n"
		"BINARY is a binary from 'llvm-bolt --enable-bat', or such a section alone.\n"
		"Lists functions by name, with their hot and cold parts and the entries of each.",
	.examples = "batconv dump prog.bolt                                   # all functions\n"
		    "batconv dump --summary prog.bolt\n"
		    "batconv dump --json prog.bolt -o table.json              # which encode reads",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_TABLE, PLACE_TABLE},
	.count = ONE_BINARY,
	.size = sizeof(struct arguments),
	.check = check,
	.finish = finish,
	.run = run_dump,
};
