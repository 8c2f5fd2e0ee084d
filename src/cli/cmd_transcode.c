/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/check/note_write.h"
#include "src/check/table_file.h"
#include "src/check/transcode.h"
#include "src/cli/commands.h"
#include "src/cli/print.h"
#include "src/cli/table_command.h"
#include "src/elf/replace.h"

static const struct option_row rows[] = {
	{'l', "layout", "LAYOUT", NO_FILE, "fixed (LLVM 14 to 17), delta (18), equal or hashed\n(19 to 23)"},
	{'o', "output", "FILE", FILE_WRITTEN, "write the binary to FILE"},
	{'q', "quiet", NULL, NO_FILE, "do not tell what is lost"},
	{'h', "help", NULL, NO_FILE, "show this help"},
};

struct arguments {
	const char *path, *output;
	enum bat_layout layout;
	bool has_layout, quiet;
};

static bool parse_layout(const char *value, struct arguments *args)
{
	for (unsigned i = 0; i < BAT_LAYOUT_COUNT; i++) {
		if (!strcmp(value, bat_layout_name((enum bat_layout)i))) {
			args->layout = (enum bat_layout)i;
			return args->has_layout = true;
		}
	}
	return false;
}

/* Returns what is wrong with the value, or NULL. */
static const char *apply_option(void *arguments, int id, const char *value)
{
	struct arguments *args = arguments;

	switch (id) {
	case 'o': args->output = value; break;
	case 'q': args->quiet = true; break;
	case 'l':
		if (!parse_layout(value, args))
			return "--layout takes fixed, delta, equal or hashed, not";
		break;
	}
	return NULL;
}

static int parse(const struct command *command, int argc, char **argv, struct arguments *args)
{
	int code = table_command_arguments(command, argc, argv, &one_binary, apply_option, args);

	if (code != GO_ON)
		return code;
	if (!args->has_layout)
		return usage_error(command, "no --layout given", NULL);
	if (!args->output)
		return usage_error(command, "no -o given", NULL);
	args->path = argv[optind];
	return GO_ON;
}

static void tell(const char *what, uint32_t count)
{
	if (count)
		fprintf(stderr, "batconv: lost: %u %s\n", count, what);
}

static void tell_losses(const struct transcode_losses *losses)
{
	tell("hashes of functions", losses->function_hashes);
	tell("hashes and indices of blocks", losses->block_hashes);
	tell("secondary entry points", losses->entry_points);
	tell("entries that share an output offset with a later one", losses->entries);
	tell("cold fragments of unknown functions", losses->fragments);
	if (losses->unknown_hashes)
		fprintf(stderr, "batconv: missing: hashes of functions and of %u blocks; fdata needs none, "
			"YAML profiles of perf2bolt do\n", losses->unknown_hashes);
}

/* A section alone is all that is written; of a binary all else stays. */
static bool write_result(const struct table_file *subject, const struct note_bytes *note,
			 const char *path, struct bc_error *err)
{
	struct bytes content = {note->data, note->size};
	struct replacement plan;

	if (!subject->has_image)
		return write_bytes(path, content, err);
	if (!replacement_plan(&subject->image, image_section(&subject->image, BAT_SECTION_NAME),
			      note->size, &plan, err))
		return bc_fail_prefix(err, subject->path);
	uint8_t *copy = malloc(plan.file_size);
	if (!copy)
		return bc_fail_nomem(err);
	replacement_apply(&plan, subject->file, content, copy);
	bool ok = write_bytes(path, (struct bytes){copy, plan.file_size}, err);
	free(copy);
	return ok;
}

/* The new file can be run if the old one can. */
static void keep_mode(const char *from, const char *to)
{
	struct stat st;

	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): parse() insists on both */
	if (!stat(from, &st) && !stat(to, &(struct stat){0}))
		(void)chmod(to, st.st_mode & 07777);
}

static bool transcode(const struct arguments *args, struct table_file *subject, struct bc_error *err)
{
	struct transcode_losses losses;
	struct note_bytes note;

	if (!transcode_prepare(&subject->bat, args->layout, &losses, err))
		return false;
	if (!note_write(&subject->bat, args->layout, &note, err))
		return bc_fail_prefix(err, args->path);
	bool ok = write_result(subject, &note, args->output, err);
	free(note.data);
	if (!ok)
		return false;
	if (subject->has_image)
		keep_mode(args->path, args->output);
	if (!args->quiet)
		tell_losses(&losses);
	return true;
}

static int run_transcode(const struct command *command, int argc, char **argv)
{
	struct arguments args = {0};
	BC_AUTO(table_file_close) struct table_file subject = {0};
	struct bc_error err;
	int code = parse(command, argc, argv, &args);

	if (code != GO_ON)
		return code;
	bool ok = table_file_open(args.path, &subject, &err) && transcode(&args, &subject, &err);
	return ok ? EXIT_DONE : fail(&err);
}

const struct command transcode_command = {
	"transcode", "--layout=LAYOUT -o FILE BINARY",
	"rewrite the BAT section for another release of BOLT\n\n"
	"All else in the binary stays as it is.  Parents of cold fragments that LLVM 18\n"
	"stored wrongly are repaired.  What the layout cannot hold is told on stderr.",
	rows, BC_COUNT(rows), FILE_READ, run_transcode,
};
