/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/output.h"
#include "src/base/sparse.h"
#include "src/verify/transcode.h"
#include "src/cli/options.h"
#include "src/cli/operands.h"
#include "src/elf/binary.h"
#include "src/elf/rewrite.h"

#define NO_LAYOUT ((enum bat_layout)UINT32_MAX)

struct arguments {
	const char *path, *output;
	enum bat_layout layout; /* NO_LAYOUT: none was given */
	bool in_place, quiet, verbose;
};

static const struct option_row rows[] = {
	{'l', "layout", "LAYOUT:fixed,delta,equal,hashed", NO_FILE,
	 "fixed (LLVM 14 to 17), delta (18), equal or hashed\n(19 to 23)", INTO(layout)},
	{'o', "output", "FILE", FILE_WRITTEN, "write the binary to FILE", INTO(output)},
	{0, "in-place", NULL, OPERANDS_UPDATED, "replace BINARY", INTO(in_place)},
	QUIET_ROW("do not print lost information and changes"),
	{'v', "verbose", NULL, NO_FILE, "name all functions that change, not only the first ones",
	 INTO(verbose)},
	COMMON_ROWS,
};

static void prepare(struct command_line *line)
{
	struct arguments *args = line->arguments;

	args->layout = NO_LAYOUT;
}

static int check(struct command_line *line)
{
	struct arguments *args = line->arguments;

	if (args->layout == NO_LAYOUT)
		return usage_error(line->command, "no --layout given", NULL);
	if (args->in_place && args->output)
		return usage_error(line->command, "--in-place and -o exclude each other", NULL);
	if (!args->in_place && !args->output)
		return usage_error(line->command, "no -o given, and no --in-place", NULL);
	args->path = line->operands.at[0];
	return EXIT_DONE;
}

/* Makes the new file executable if the old one is.  A file that replaces the binary
 * gets its owner, too. */
static bool write_file(const struct arguments *args, const char *path, bool executable,
		       struct bytes content, struct bc_error *err)
{
	struct output output;
	struct stat st;

	if (stat(args->path, &st) != 0)
		return bc_fail_errno(err, "%s: cannot stat", args->path);
	if (!output_open(path, &output, err))
		return false;
	fwrite(content.data, 1, content.size, output.file);
	if (executable || args->in_place)
		output_take_mode(&output, &st, args->in_place);
	return output_commit(&output, err);
}

/* Writes the new section.  If the input is a section alone, so is the output; else the output is
 * the binary with everything but the section unchanged. */
static bool write_result(const struct arguments *args, const struct binary *subject,
			 const struct note_bytes *note, const char *path, struct bc_error *err)
{
	struct bytes content = {note->data, note->size};
	struct replacement plan;

	if (subject->kind == BINARY_SECTION)
		return write_file(args, path, false, content, err);
	if (!replacement_plan(&subject->image, image_section(&subject->image, BAT_SECTION_NAME),
			      note->size, &plan, err))
		return bc_fail_prefix(err, args->path);
	uint8_t *copy = malloc(plan.file_size);
	if (!copy)
		return bc_fail_nomem(err);
	replacement_apply(&plan, subject->file, content, copy);
	bool ok = write_file(args, path, true, (struct bytes){copy, plan.file_size}, err);
	free(copy);
	return ok;
}

/* Refuses to rewrite a side file in place.  The image that is made from a side file lacks what
 * the side file left out, such as debug information, and must not replace it. */
static bool is_no_side_file(const char *path, struct bc_error *err)
{
	uint8_t start[64];
	size_t got;

	if (!file_peek(path, start, sizeof(start), &got, err))
		return false;
	return !sparse_is(start, got) ||
	       bc_fail(err, BC_UNSUPPORTED, "%s: --in-place does not rewrite side files", path) ||
	       bc_hint(err, "give the output: -o FILE");
}

/* Replaces the file that the path leads to, so that a link to the binary stays a link and /dev/fd/3
 * means the file that is open there. */
static bool write_in_place(const struct arguments *args, const struct binary *subject,
			   const struct note_bytes *note, struct bc_error *err)
{
	if (!is_no_side_file(args->path, err))
		return false;
	char *path = realpath(args->path, NULL);

	if (!path)
		return bc_fail_errno(err, "%s: cannot write", args->path);
	bool ok = write_result(args, subject, note, path, err);
	free(path);
	return ok;
}

static bool transcode(const struct arguments *args, struct binary *subject, struct bc_error *err)
{
	BC_AUTO(changed_vec_free) struct changed_vec changed = {0};
	struct transcode_losses losses;
	struct note_bytes note;

	if (!fallthrough_changes(subject, args->layout, &changed))
		return bc_fail_nomem(err);
	if (!transcode_prepare(&subject->bat, args->layout, &losses, err))
		return false;
	if (!note_write(&subject->bat, args->layout, &note, err))
		return bc_fail_prefix(err, args->path);
	bool ok = args->in_place ? write_in_place(args, subject, &note, err) :
				   write_result(args, subject, &note, args->output, err);
	free(note.data);
	if (!ok)
		return false;
	if (!args->quiet) {
		transcode_losses_text(&losses, stderr);
		fallthrough_changes_text(&changed, args->verbose, stderr);
	}
	return true;
}

static int run_transcode(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	BC_AUTO(binary_close) struct binary subject = {0};
	struct bc_error err;

	return binary_open_table(args->path, &subject, &err) && transcode(args, &subject, &err) ?
		       EXIT_DONE :
		       fail(&err);
}

const struct command transcode_command = {
	.name = "transcode",
	.args = "--layout=LAYOUT {-o FILE | --in-place} BINARY",
	.help = "rewrite the BAT section for another release of BOLT\n\n"
		"Nothing else in the binary changes.  Wrong parents of cold fragments, as LLVM 18\n"
		"wrote them, are repaired.  Lost information is reported on stderr, with the\n"
		"functions whose translation changes.",
	.examples =
		"batconv transcode --layout=fixed prog.bolt -o old.bolt   # for perf2bolt 14 to 17\n"
		"batconv transcode --layout=hashed prog.bolt -o new.bolt  # for perf2bolt 19 to 23",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_TABLE, PLACE_TABLE},
	.count = ONE_BINARY,
	.size = sizeof(struct arguments),
	.prepare = prepare,
	.check = check,
	.run = run_transcode,
};
