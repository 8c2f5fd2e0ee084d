/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>
#include <stdlib.h>

#include "src/check/table_json.h"
#include "src/check/transcode.h"
#include "src/cli/commands.h"
#include "src/cli/print.h"
#include "src/cli/sandbox_option.h"
#include "src/cli/table_command.h"

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write the section to FILE (default: stdout)"},
	SANDBOX_ROW,
	{'h', "help", NULL, NO_FILE, "show this help"},
};

static const struct operands one_file = {1, "no JSON given", "one file at a time, not also"};

static bool encode(const char *from, const char *to, struct bc_error *err)
{
	BC_AUTO(bat_free) struct bat_table table = {0};
	struct file_stream stream;
	struct note_bytes note;

	if (!stream_open(from, &stream, err))
		return false;
	bool ok = table_json_read(&stream, &table, err);
	stream_close(&stream);
	if (!ok)
		return false;
	if (!note_write(&table, table.layout, &note, err))
		return bc_fail_prefix(err, from);
	ok = write_bytes(to, (struct bytes){note.data, note.size}, err);
	free(note.data);
	return ok;
}

static int run_encode(const struct command *command, int argc, char **argv)
{
	const char *value, *output = NULL;
	struct bc_error err;

	for (int id; (id = option_next(command, argc, argv, &value)) != OPTION_END;) {
		switch (id) {
		case OPTION_BAD:
			return EXIT_USAGE;
		case 'h':
			command_help(command, stdout);
			return EXIT_DONE;
		case 'o':
			output = value;
			break;
		}
	}
	if (operands_check(command, argc, argv, &one_file) != EXIT_DONE)
		return EXIT_USAGE;
	return encode(argv[optind], output, &err) ? EXIT_DONE : fail(&err);
}

const struct command encode_command = {
	"encode", "[OPTION]... FILE",
	"write a BAT section from JSON\n\n"
	"FILE is the output of 'batconv dump --json', edited or not; '-' is stdin.  To put\n"
	"the section into a binary: objcopy --update-section .note.bolt_bat=RESULT",
	rows, BC_COUNT(rows), FILE_READ, run_encode, NULL,
};
