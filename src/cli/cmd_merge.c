/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/output_folder.h"
#include "src/cli/cmd_merge.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/count_table.h"
#include "src/base/output.h"
#include "src/cli/merge_arguments.h"
#include "src/cli/merge_summary.h"
#include "src/cli/merge_written.h"
#include "src/cli/print.h"
#include "src/cli/sandbox_option.h"
#include "src/elf/binary_open.h"
#include "src/elf/code_digest.h"
#include "src/merge/merge.h"

/* ---- one profile ---- */

enum { FILE_STATS, FILE_PROFILE, FILE_COUNT };

static void discard(struct output *files, size_t count)
{
	for (size_t i = 0; i < count; i++)
		output_discard(&files[i]);
}

static bool write_stats(const struct merge_arguments *args, const struct merge_outcome *outcome, struct output *out,
			struct bc_error *err)
{
	if (!args->stats_file)
		return true;
	if (!output_open(args->stats_file, out, err))
		return false;
	merge_summary_json(outcome, out->file);
	return true;
}

static bool write_one(const struct merge_arguments *args, struct merge *merge, struct merge_outcome *outcome,
		      struct bc_error *err)
{
	struct output files[FILE_COUNT] = {0}, *profile = &files[FILE_PROFILE];

	bool ok = output_open(args->output, profile, err) &&
		  merge_write_whole(merge, NULL, profile, &outcome->kind, err);
	merge_trusted(merge);
	outcome->profiles = 1;
	ok = ok && write_stats(args, outcome, &files[FILE_STATS], err);
	if (ok)
		return output_commit_all(files, FILE_COUNT, err);
	discard(files, FILE_COUNT);
	return false;
}

/* ---- one for each build ---- */

static bool is_input(const struct merge *merge, const char *path)
{
	struct stat to, from;

	for (size_t i = 0; stat(path, &to) == 0 && i < merge->count; i++)
		if (stat(merge->inputs[i].path, &from) == 0 && to.st_dev == from.st_dev && to.st_ino == from.st_ino)
			return true;
	return false;
}

/* Opens the output of one build.  All inputs have the same kind; only an empty one has none. */
static bool open_group(const struct merge_arguments *args, const struct merge *merge, const struct build_id *id,
		       struct output *out, struct bc_error *err)
{
	char path[PATH_MAX], name[2 * BUILD_ID_MAX + 1];
	enum profile_kind kind = merge_kind_of(merge);

	build_id_format(id, name);
	int length = snprintf(path, sizeof(path), "%s/%s.%s%s", args->output, *name ? name : "unknown",
			      profile_kind_name(kind), args->merge.shard ? ".zst" : "");
	if (length < 0 || (size_t)length >= sizeof(path))
		return bc_fail(err, BC_IO, "%.200s: too long a path for a profile", args->output);
	if (is_input(merge, path))
		return bc_fail(err, BC_IO, "%.250s: would replace an input", path);
	return output_open(path, out, err);
}

static bool write_groups(const struct merge_arguments *args, struct merge *merge, const struct build_id_vec *ids,
			 struct merge_outcome *outcome, struct bc_error *err)
{
	struct output *files = calloc(ids->len + 1, sizeof(*files));
	bool ok = files || bc_fail_nomem(err);

	for (size_t i = 0; ok && i < ids->len; i++)
		ok = open_group(args, merge, &ids->at[i], &files[i + 1], err) &&
		     merge_write_whole(merge, &ids->at[i], &files[i + 1], &outcome->kind, err) &&
		     (fflush(files[i + 1].file) == 0 || bc_fail_errno(err, "%s: cannot write", files[i + 1].path));
	outcome->profiles = ids->len;
	ok = ok && write_stats(args, outcome, &files[0], err);
	if (ok)
		ok = output_commit_all(files, ids->len + 1, err);
	else if (files)
		discard(files, ids->len + 1);
	free(files);
	return ok;
}

static bool write_by_build(const struct merge_arguments *args, struct merge *merge, struct merge_outcome *outcome,
			   struct bc_error *err)
{
	struct build_id_vec ids = {0};
	bool ok = merge_identities(merge, &ids) || bc_fail_nomem(err);

	ok = ok && (ids.len <= OUTPUTS_MOST - 1 ||
		    bc_fail(err, BC_UNSUPPORTED, "%zu builds: not more than %d can be written at once", ids.len, OUTPUTS_MOST - 1));
	ok = ok && write_groups(args, merge, &ids, outcome, err);
	build_id_vec_free(&ids);
	return ok;
}

/* ---- all of it ---- */

static void enter_sandbox(const struct merge_arguments *args)
{
	bool direct = !args->output || output_is_stdout(args->output);
	/* The sandbox opens the directory of temporary files, but not a default one when the output is
	 * stdout: nobody named that directory. */
	const char *tmpdir = args->tmpdir && direct ? NULL : args->merge.tmpdir;
	const char *const outputs[] = {args->output, args->stats_file, tmpdir};

	if (!args->sandbox)
		return;
	struct sandbox sandbox = sandbox_enter(outputs, BC_COUNT(outputs));
	if (args->stats != MERGE_STATS_JSON)
		sandbox_tell(&sandbox, sandbox_writes(outputs, BC_COUNT(outputs)));
}

/* What is expected of inputs is what a binary has. */
static bool read_expected(struct merge_arguments *args, struct bc_error *err)
{
	struct binary binary = {0};

	if (!args->expect)
		return true;
	if (!binary_map(args->expect, &binary, err))
		return false;
	bool is_program = binary.kind != BINARY_SECTION;
	if (is_program) {
		args->merge.expect = binary.image.build_id;
		args->merge.expect_code = code_digest(&binary);
	}
	binary_close(&binary);
	return is_program || bc_fail(err, BC_UNSUPPORTED, "%s: is a table alone, and no binary (--expect)", args->expect);
}

static int refuse(const struct merge_arguments *args, struct merge_outcome *outcome, const struct bc_error *err)
{
	bool all_named = !*err->text;

	outcome->refusal = all_named ? "inputs cannot be used" : err->text;
	if (args->stats == MERGE_STATS_JSON) {
		merge_summary_json(outcome, stderr);
		return err->code == BC_MISMATCH ? EXIT_WANTING : EXIT_FAILED;
	}
	merge_summary_bad(outcome->merge, false, stderr);
	if (all_named)
		return EXIT_FAILED;
	return fail(err);
}

static int tell(const struct merge_arguments *args, const struct merge_outcome *outcome)
{
	const struct merge_report *report = &outcome->merge->report;

	if (args->stats == MERGE_STATS_JSON) {
		merge_summary_json(outcome, stderr);
	} else {
		merge_summary_bad(outcome->merge, true, stderr);
		(void)!merge_summary_doubles(outcome->merge, stderr);
		merge_summary_inferred(outcome->merge, stderr);
		if (args->stats == MERGE_STATS_TEXT)
			merge_summary_text(outcome, args->verbose, stderr);
	}
	return report->bad || report->saturated ? EXIT_PARTIAL : EXIT_DONE;
}

/* Tries to merge in one pass, without a check of all inputs before it.  Scaling cannot: it needs
 * the sums of all inputs first. */
static bool write_trusting(const struct merge_arguments *args, struct merge *merge, struct merge_outcome *outcome)
{
	struct bc_error err;

	return !args->by_build && !args->merge.scaled && merge_trust(merge, &err) && merge_check(merge, true, &err) &&
	       write_one(args, merge, outcome, &err);
}

/* Checks all inputs, then merges them. */
static bool write_checked(const struct merge_arguments *args, struct merge *merge, struct merge_outcome *outcome,
			  struct bc_error *err)
{
	return merge_look(merge, err) && merge_check(merge, !args->by_build, err) &&
	       (args->by_build ? write_by_build : write_one)(args, merge, outcome, err);
}

static int run(struct merge_arguments *args, struct merge *merge, struct progress *progress)
{
	struct merge_outcome outcome = {.merge = merge};
	struct bc_error err = {0};

	bool ok = write_trusting(args, merge, &outcome);
	if (!ok) {
		merge_forget(merge);
		ok = write_checked(args, merge, &outcome, &err) ||
		     (merge_forget_threads(merge, &err) && write_checked(args, merge, &outcome, &err));
	}
	progress_clear(progress);
	return ok ? tell(args, &outcome) : refuse(args, &outcome, &err);
}

int merge_run_command(const struct command *command, int argc, char **argv)
{
	BC_AUTO(merge_arguments_free) struct merge_arguments args = {0};
	struct progress progress;
	struct merge merge;
	struct bc_error err;
	bool made = false;

	int code = merge_arguments_parse(command, argc, argv, &args);
	if (code != EXIT_DONE)
		return code;
	if (args.help) {
		command_help(command, stdout);
		return EXIT_DONE;
	}
	progress_init(&progress, args.stats == MERGE_STATS_NONE ? PROGRESS_NEVER : args.progress);
	args.merge.progress = (struct merge_progress){progress_show, &progress};
	if (args.by_build && !output_folder_make(args.output, &made, &err))
		return fail(&err);
	enter_sandbox(&args);
	if (read_expected(&args, &err)) {
		merge_init(&merge, &args.merge, args.list.inputs.at, args.list.inputs.len);
		code = run(&args, &merge, &progress);
		merge_free(&merge);
	} else {
		code = fail(&err);
	}
	if (made && (code == EXIT_FAILED || code == EXIT_WANTING))
		(void)rmdir(args.output);
	return code;
}
