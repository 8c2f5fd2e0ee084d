/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>

#include "src/base/output.h"
#include "src/cli/commands.h"
#include "src/cli/print.h"
#include "src/cli/sandbox_option.h"
#include "src/cli/table_command.h"
#include "src/elf/binary_open.h"
#include "src/elf/code_digest.h"
#include "src/elf/side_file.h"

enum { OPT_NOTE = 256 };

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write to FILE"},
	{OPT_NOTE, "note", NULL, NO_FILE, "write only the bytes of the BAT section"},
	SANDBOX_ROW,
	{'h', "help", NULL, NO_FILE, "show this help"},
};

static bool write_side_file(const struct binary *subject, FILE *out, struct bc_error *err)
{
	struct file_map file = {.data = subject->file.data, .size = subject->file.size, .digest = code_digest(subject)};
	struct side_parts parts;

	if (!side_parts_choose(&subject->image, &parts, err))
		return false;
	bool ok = sparse_write(&file, parts.at, parts.count, out, err);
	side_parts_free(&parts);
	return ok;
}

/* What is written of a binary to `to`; path: what it is called. */
typedef bool extract_fn(const struct binary *subject, const char *path, const char *to,
			struct bc_error *err);

static bool extract_side_file(const struct binary *subject, const char *path, const char *to,
			      struct bc_error *err)
{
	struct output output;

	if (subject->kind == BINARY_SECTION)
		return bc_fail(err, BC_UNSUPPORTED, "%s: a section alone has no code and no symbols", path);
	if (!output_open(to, &output, err))
		return false;
	if (write_side_file(subject, output.file, err))
		return output_commit(&output, err);
	output_discard(&output);
	return false;
}

static bool extract_note(const struct binary *subject, const char *path, const char *to,
			 struct bc_error *err)
{
	(void)path;
	return write_bytes(to, subject->section, err);
}

static bool extract(const char *path, const char *to, extract_fn *what, struct bc_error *err)
{
	BC_AUTO(binary_close) struct binary subject = {0};

	if (!binary_map(path, &subject, err))
		return false;
	if (!binary_find_note(&subject, err))
		return bc_fail_prefix(err, path);
	return what(&subject, path, to, err);
}

static int run_extract(const struct command *command, int argc, char **argv)
{
	const char *value, *output = NULL;
	struct bc_error err;
	extract_fn *what = extract_side_file;

	for (int id; (id = option_next(command, argc, argv, &value)) != OPTION_END;) {
		switch (id) {
		case OPTION_BAD:
			return EXIT_USAGE;
		case 'h':
			command_help(command, stdout);
			return EXIT_DONE;
		case OPT_NOTE:
			what = extract_note;
			break;
		case 'o':
			output = value;
			break;
		}
	}
	if (operands_check(command, argc, argv, &one_binary) != EXIT_DONE)
		return EXIT_USAGE;
	if (!output)
		return usage_error(command, "no -o given", NULL);
	return extract(argv[optind], output, what, &err) ? EXIT_DONE : fail(&err);
}

const struct command extract_command = {
	"extract", "[OPTION]... -o FILE BINARY",
	"write a side file that replaces a binary\n\n"
	"A side file holds what conversions read: the BAT section, segments, symbols and\n"
	"code, without debug information, compressed.  Every command of batconv accepts it\n"
	"instead of the binary, so hosts that convert do not need the binary.",
	rows, BC_COUNT(rows), FILE_READ, run_extract, NULL,
};
