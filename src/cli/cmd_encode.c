/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>

#include "src/base/output.h"
#include "src/verify/table_json.h"
#include "src/verify/transcode.h"
#include "src/cli/options.h"
#include "src/cli/operands.h"

struct arguments {
	const char *output;
};

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write the section to FILE (default: stdout)",
	 INTO(output)},
	SANDBOX_ROW,
	COMMON_ROWS,
};

static bool encode(const char *from, const char *to, struct bc_error *err)
{
	BC_AUTO(bat_free) struct bat_table table = {0};
	struct file_stream stream;
	struct output output;
	struct note_bytes note;

	if (!stream_open(from, &stream, err))
		return false;
	bool ok = table_json_read(&stream, &table, err);
	stream_close(&stream);
	if (!ok)
		return false;
	if (!note_write(&table, table.layout, &note, err))
		return bc_fail_prefix(err, from);
	ok = output_open(to, &output, err);
	if (ok) {
		fwrite(note.data, 1, note.size, output.file);
		ok = output_commit(&output, err);
	}
	free(note.data);
	return ok;
}

static int run_encode(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	struct bc_error err;

	return encode(line->operands.at[0], args->output, &err) ? EXIT_DONE : fail(&err);
}

const struct command encode_command = {
	.name = "encode",
	.args = "[OPTION]... FILE",
	.help = "write a BAT section from JSON\n\n"
		"FILE is the output of 'batconv dump --json', edited or not; '-' is stdin.  To put\n"
		"the section into a binary: objcopy --update-section .note.bolt_bat=RESULT",
	.examples =
		"batconv dump --json prog.bolt -o table.json              # edit it, if need be\n"
		"batconv encode table.json -o note",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_JSON, PLACE_JSON},
	.count = {1, 1, "no JSON given", "one file at a time, not also"},
	.size = sizeof(struct arguments),
	.run = run_encode,
};
