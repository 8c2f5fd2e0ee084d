/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/counts.h"
#include "src/base/output.h"
#include "src/base/say.h"
#include "src/cli/llvm_options.h"
#include "src/profile/merge_list.h"
#include "src/figures/merge_summary.h"
#include "src/cli/operands.h"
#include "src/cli/progress.h"
#include "src/cli/sample_options.h"
#include "src/cli/options.h"
#include "src/elf/binary.h"
#include "src/profile/merge.h"
#include "src/profile/shard_list.h"

/* An operand, or a list of --files-from, with what the options before it say. */
struct named_source {
	const char *path;
	bool is_list, zeros;
	uint64_t weight;
};
DEFINE_VEC(source_vec, struct named_source);

struct arguments {
	struct merge_options merge;
	struct source_vec sources;
	struct merge_list list;    /* the inputs that they name */
	struct source_vec folders; /* the directories among them */
	struct shard_list shards;  /* in these */
	const char *output;        /* NULL or "-": stdout; a directory if by_build */
	const char *stats_file;    /* or NULL */
	const char *expect;        /* a binary, instead of merge.expect; or NULL */
	enum stats_form stats;
	enum progress_mode progress;
	bool by_build, verbose, quiet, sandbox;
	uint64_t weight; /* of the inputs that follow on the command line */
	bool zeros;
	char *tmpdir; /* owned: what merge.tmpdir is by default */
};

/* ---- the command line ---- */

static void prepare(struct command_line *line)
{
	struct arguments *args = line->arguments;

	args->weight = 1;
	args->merge.memory = MERGE_MEMORY;
	args->merge.fan_in = MERGE_FAN_IN;
}

static void finish(void *arguments)
{
	struct arguments *args = arguments;

	merge_list_free(&args->list);
	source_vec_free(&args->folders);
	shard_list_free(&args->shards);
	source_vec_free(&args->sources);
	free(args->tmpdir);
}

static bool add_source(struct arguments *args, const char *path, bool is_list)
{
	return source_vec_push(&args->sources,
			       (struct named_source){path, is_list, args->zeros, args->weight});
}

static bool read_operand(struct command_line *line, const char *path)
{
	return add_source(line->arguments, path, false);
}

static const char *read_list(struct command_line *line, const struct option_row *row,
			     const char *value)
{
	(void)row;
	return add_source(line->arguments, value, true) ? NULL : OPTION_NOMEM;
}

static const char *read_scale(struct command_line *line, const struct option_row *row,
			      const char *value)
{
	struct arguments *args = line->arguments;

	args->merge.scaled = true;
	return option_number(line, row, value);
}

static const char *read_max_bad(struct command_line *line, const struct option_row *row,
				const char *value)
{
	struct merge_options *out = option_field(line, row);
	struct text number = text_of(value);

	out->percent = text_ends(number, "%");
	out->limited = out->skip_bad = true;
	return text_dec(text_first(number, number.len - out->percent), &out->max_bad) ?
		       NULL :
		       OPTION_WRONG;
}

/* A build-id, or else a binary. */
static const char *read_expected(struct command_line *line, const struct option_row *row,
				 const char *value)
{
	struct arguments *args = line->arguments;
	struct build_id id = {0};
	bool is_id = build_id_parse(text_of(value), &id) && id.size;

	(void)row;
	args->expect = is_id ? NULL : value;
	args->merge.expect = args->merge.expect_code = id;
	return NULL;
}

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write the profile to FILE (default: stdout)",
	 INTO(output)},
	{0, "group", "KEY:build", NO_FILE,
	 "build: write one profile per build-id, ID.KIND, into the\ndirectory -o; inputs without one go to unknown.KIND",
	 INTO_BY(by_build, option_keyword)},
	{0, "shard", NULL, NO_FILE,
	 "write a shard: compressed, with checksum, build identity\nand totals, so that truncation is detected",
	 INTO(merge.shard)},
	YAML_FOR_ROW(merge.yaml_for),
	{0, "files-from", "FILE", FILE_READ,
	 "also merge the files listed in FILE, one per line\n('-': stdin), each optionally followed by a tab and a weight",
	 INTO_BY(sources, read_list)},
	{0, "null", NULL, NO_FILE, "names in these lists end with a zero byte", INTO(zeros)},
	{0, "weight", "N", NO_FILE, "count the inputs that follow N times (default: 1)",
	 INTO(weight), .takes = "a number from 1 on", .least = 1},
	{0, "scale-to", "TOTAL", NO_FILE, "scale each input so that its counts add up to TOTAL",
	 INTO_BY(merge.scale_to, read_scale), .takes = "a number from 1 on", .least = 1},
	{0, "saturate", NULL, NO_FILE,
	 "where a sum is above 2^64 - 1, write that number (exit 4)\ninstead of failing",
	 INTO(merge.saturate)},
	{0, "expect", "ID|BIN", FILE_READ,
	 "treat inputs of another build as bad: a build-id (of the\ninput binary), or the profiled binary",
	 INTO_BY(expect, read_expected)},
	{0, "require-shards", NULL, NO_FILE, "treat inputs that are not shards as bad",
	 INTO(merge.require_shards)},
	{0, "skip-bad", NULL, NO_FILE,
	 "skip inputs that are damaged, truncated or unreadable, and\nname them (exit 4)",
	 INTO(merge.skip_bad)},
	{0, "max-bad", "N", NO_FILE, "... but at most N of them, or N% (else exit 3)",
	 INTO_BY(merge, read_max_bad), .takes = "a number, or one with %"},
	{0, "memory", "SIZE", NO_FILE, "memory for sorting, such as 1G (default: 64M)",
	 INTO_BY(merge.memory, option_memory), .takes = "a size such as 64M"},
	{0, "fan-in", "N", NO_FILE, "read at most N inputs at the same time (default: 256)",
	 INTO_BY(merge.fan_in, option_size), .takes = "a number from 2 to 512", .least = 2,
	 .most = 512},
	{0, "threads", "N", NO_FILE,
	 "number of threads (default: one per processor, but at most\none for each 16M of --memory)",
	 INTO_BY(merge.threads, option_threads)},
	{0, "tmpdir", "DIR", FOLDER_USED,
	 "directory for temporary files (default: that of the\noutput, else $TMPDIR or /tmp)",
	 INTO(merge.tmpdir)},
	{0, "sandbox", NULL, NO_FILE,
	 "before reading any input, drop the rights to run programs,\nuse the network, and write anywhere but to outputs and DIR",
	 .read = option_sandbox},
	STATS_ROW,
	STATS_FILE_ROW,
	PROGRESS_ROWS(", for long runs"),
	QUIET_ROW("print only errors and skipped inputs"),
	VERBOSE_ROW,
	COMMON_ROWS,
};

static const struct option_group groups[] = {
	{"output", "profile"},
	{"files-from", "inputs"},
	{"memory", "run"},
	{"stats", "messages"},
	{0},
};

static bool choose_tmpdir(struct arguments *args)
{
	if (args->merge.tmpdir)
		return true;
	args->tmpdir = merge_tmpdir(args->output, args->by_build);
	args->merge.tmpdir = args->tmpdir;
	return args->tmpdir;
}

/* Checks that no output replaces an input.  The check of the command line could not see the inputs
 * that be in lists. */
static bool inputs_are_apart(const struct arguments *args, struct bc_error *err)
{
	BC_AUTO(named_files_free) struct named_files files = {0};
	bool ok = args->by_build ||
		  files_add(&files, "-o", FILE_WRITTEN, args->output ? args->output : "-");

	ok = ok && (!args->stats_file ||
		    files_add(&files, "--stats-file", FILE_WRITTEN, args->stats_file));
	for (size_t i = 0; ok && i < args->list.inputs.len; i++)
		ok = files_add(&files, OPERAND, FILE_READ, args->list.inputs.at[i].path);
	return ok ? files_are_apart(&files, err) && merge_list_check(&args->list, err) :
		    bc_fail_nomem(err);
}

/* Reads the lists, so that all inputs are known. */
static bool list_inputs(struct arguments *args, struct bc_error *err)
{
	struct merge_list *list = &args->list;

	for (size_t i = 0; i < args->sources.len; i++) {
		const struct named_source *source = &args->sources.at[i];
		bool is_stdin = !strcmp(source->path, "-");
		if (is_stdin && list->stdin_taken)
			return bc_fail(err, BC_MISMATCH, "stdin can be read once only");
		list->stdin_taken |= is_stdin;
		if (!source->is_list && shard_list_is_folder(source->path)) {
			if (!source_vec_push(&args->folders, *source))
				return bc_fail_nomem(err);
			continue;
		}
		if (source->is_list ? !merge_list_read(list, source->path, source->zeros,
						       source->weight, err) :
				      !merge_list_add(list, source->path, source->weight) &&
					      !bc_fail_nomem(err))
			return false;
	}
	return true;
}

static int check(struct command_line *line)
{
	struct arguments *args = line->arguments;
	struct bc_error err;

	args->stats = stats_if_quiet(args->stats, args->quiet);
	if (!list_inputs(args, &err))
		return files_refuse(line->command, &err);
	if (!args->list.inputs.len && !args->folders.len)
		return usage_error(line->command, "no input given", NULL);
	if (args->by_build && (!args->output || output_is_stdout(args->output)))
		return usage_error(line->command,
				   "--group needs a directory for the profiles: -o DIR", NULL);
	if (!inputs_are_apart(args, &err))
		return files_refuse(line->command, &err);
	if (choose_tmpdir(args))
		return EXIT_DONE;
	bc_fail_nomem(&err);
	return files_refuse(line->command, &err);
}

/* ---- one profile ---- */

enum { FILE_STATS, FILE_PROFILE, FILE_COUNT };

static bool write_stats(const struct arguments *args, const struct merge_outcome *outcome,
			struct output *out, struct bc_error *err)
{
	if (!args->stats_file)
		return true;
	if (!output_open(args->stats_file, out, err))
		return false;
	merge_summary_json(outcome, out->file);
	return true;
}

/* Is there anything in the result? */
static bool check_any(const struct merge *merge, struct bc_error *err)
{
	const struct merge_report *report = &merge->report;
	const char *first = merge->inputs[0].path;

	if (report->records_out)
		return true;
	bc_fail(err, BC_MISMATCH,
		report->records_in ? "nothing is left of the counts of %s%s" :
				     "%s: has no records%s",
		input_name(first), report->inputs > 1 ? " and of the other inputs" : "");
	return bc_hint(err, "run: batconv %s %s", report->records_in ? "quality" : "inspect",
		       first);
}

static bool write_one(const struct arguments *args, struct merge *merge,
		      struct merge_outcome *outcome, struct bc_error *err)
{
	struct output files[FILE_COUNT] = {0}, *profile = &files[FILE_PROFILE];

	bool ok = output_open(args->output, profile, err) &&
		  merge_write_whole(merge, NULL, profile, &outcome->kind, err);
	merge_trusted(merge);
	outcome->profiles = 1;
	ok = ok && check_any(merge, err) && write_stats(args, outcome, &files[FILE_STATS], err);
	return output_end_all(files, FILE_COUNT, ok, err);
}

/* ---- one for each build ---- */

/* The output of one build.  All inputs have the same kind; only an empty one has none. */
static bool group_path(const struct arguments *args, const struct merge *merge,
		       const struct build_id *id, char path[PATH_MAX], struct bc_error *err)
{
	char name[2 * BUILD_ID_MAX + 1];
	enum profile_kind kind = merge_kind_of(merge);

	build_id_format(id, name);
	int length = snprintf(path, PATH_MAX, "%s/%s.%s%s", args->output, *name ? name : "unknown",
			      profile_kind_name(kind), args->merge.shard ? ".zst" : "");
	return (length >= 0 && length < PATH_MAX) ||
	       bc_fail(err, BC_IO, "%.200s: too long a path for a profile", args->output);
}

/* Checks that no output replaces an input: their names are known only now. */
static bool groups_are_apart(const struct arguments *args, const struct merge *merge,
			     const struct build_id_vec *ids, struct bc_error *err)
{
	BC_AUTO(named_files_free) struct named_files files = {0};
	char path[PATH_MAX];

	for (size_t i = 0; i < merge->count; i++)
		if (!files_add(&files, OPERAND, FILE_READ, merge->inputs[i].path))
			return bc_fail_nomem(err);
	for (size_t i = 0; i < ids->len; i++) {
		if (!group_path(args, merge, &ids->at[i], path, err))
			return false;
		if (!files_add_another(&files, "-o", path))
			return bc_fail_nomem(err);
	}
	if (files_are_apart(&files, err))
		return true;
	err->code = err->code == BC_MISMATCH ? BC_IO : err->code;
	return false;
}

static bool open_group(const struct arguments *args, const struct merge *merge,
		       const struct build_id *id, struct output *out, struct bc_error *err)
{
	char path[PATH_MAX];

	return group_path(args, merge, id, path, err) && output_open(path, out, err);
}

static bool write_groups(const struct arguments *args, struct merge *merge,
			 const struct build_id_vec *ids, struct merge_outcome *outcome,
			 struct bc_error *err)
{
	struct output *files = calloc(ids->len + 1, sizeof(*files));
	bool ok = (files || bc_fail_nomem(err)) && groups_are_apart(args, merge, ids, err);

	for (size_t i = 0; ok && i < ids->len; i++)
		ok = open_group(args, merge, &ids->at[i], &files[i + 1], err) &&
		     merge_write_whole(merge, &ids->at[i], &files[i + 1], &outcome->kind, err) &&
		     (fflush(files[i + 1].file) == 0 ||
		      bc_fail_errno(err, "%s: cannot write", files[i + 1].path));
	outcome->profiles = ids->len;
	ok = ok && check_any(merge, err) && write_stats(args, outcome, &files[0], err);
	ok = files && output_end_all(files, ids->len + 1, ok, err);
	free(files);
	return ok;
}

static bool write_by_build(const struct arguments *args, struct merge *merge,
			   struct merge_outcome *outcome, struct bc_error *err)
{
	struct build_id_vec ids = {0};
	bool ok = merge_identities(merge, &ids) || bc_fail_nomem(err);

	ok = ok &&
	     (ids.len <= OUTPUTS_MOST - 1 ||
	      bc_fail(err, BC_UNSUPPORTED, "%zu builds: not more than %d can be written at once",
		      ids.len, OUTPUTS_MOST - 1));
	ok = ok && write_groups(args, merge, &ids, outcome, err);
	build_id_vec_free(&ids);
	return ok;
}

/* ---- all of it ---- */

static void enter_sandbox(const struct arguments *args)
{
	bool direct = !args->output || output_is_stdout(args->output);
	/* The sandbox opens the directory of temporary files, but not a default one when the output
	 * is stdout: nobody named that directory. */
	const char *tmpdir = args->tmpdir && direct ? NULL : args->merge.tmpdir;
	const char *const outputs[] = {args->output, args->stats_file, tmpdir};

	if (!args->sandbox)
		return;
	struct sandbox sandbox = sandbox_enter(outputs, BC_COUNT(outputs));
	if (args->stats != STATS_JSON)
		sandbox_tell(&sandbox, sandbox_writes(outputs, BC_COUNT(outputs)));
}

/* What is expected of inputs is what a binary has. */
static bool read_expected_build(struct arguments *args, struct bc_error *err)
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
	return is_program ||
	       bc_fail(err, BC_UNSUPPORTED, "%s: is a BAT section alone, and no binary (--expect)",
		       args->expect);
}

static int refuse(const struct arguments *args, struct merge_outcome *outcome, struct bc_error *err)
{
	const struct merge *merge = outcome->merge;

	if (!bc_error_hint(err) && merge->report.bad && merge->report.bad < merge->count &&
	    !merge->options.skip_bad)
		bc_hint(err, "--skip-bad leaves out what cannot be used%s",
			merge->report.bad > 1 && !args->verbose ? ", -v names it" : "");
	outcome->refusal = err;
	if (args->stats == STATS_JSON) {
		merge_summary_json(outcome, stderr);
		return err->code == BC_MISMATCH ? EXIT_CHECK_FAILED : EXIT_FAILED;
	}
	int code = fail(err);
	if (args->verbose && merge->report.bad > 1)
		merge_summary_bad(merge, false, stderr);
	return code;
}

static int tell(const struct arguments *args, const struct merge_outcome *outcome)
{
	const struct merge_report *report = &outcome->merge->report;

	if (args->stats == STATS_JSON) {
		merge_summary_json(outcome, stderr);
	} else {
		merge_summary_bad(outcome->merge, true, stderr);
		(void)!merge_summary_doubles(outcome->merge, stderr);
		merge_summary_inferred(outcome->merge, stderr);
		if (args->stats == STATS_TEXT)
			merge_summary_text(outcome, args->verbose, stderr);
	}
	return report->bad || report->saturated ? EXIT_PARTIAL : EXIT_DONE;
}

/* Tries to merge in one pass, without a check of all inputs before it.  Scaling cannot: it needs
 * the sums of all inputs first. */
static bool write_trusting(const struct arguments *args, struct merge *merge,
			   struct merge_outcome *outcome)
{
	struct bc_error err;

	return !args->by_build && !args->merge.scaled && merge_trust(merge, &err) &&
	       merge_check(merge, true, &err) && write_one(args, merge, outcome, &err);
}

/* Checks all inputs, then merges them. */
static bool write_checked(const struct arguments *args, struct merge *merge,
			  struct merge_outcome *outcome, struct bc_error *err)
{
	return merge_look(merge, err) && merge_check(merge, !args->by_build, err) &&
	       (args->by_build ? write_by_build : write_one)(args, merge, outcome, err);
}

static int run(struct arguments *args, struct merge *merge, struct progress *progress)
{
	struct merge_outcome outcome = {.merge = merge};
	struct bc_error err = {0};

	bool ok = write_trusting(args, merge, &outcome);
	if (!ok) {
		merge_forget(merge);
		ok = write_checked(args, merge, &outcome, &err) ||
		     (merge_forget_threads(merge, &err) &&
		      write_checked(args, merge, &outcome, &err));
	}
	progress_clear(progress);
	return ok ? tell(args, &outcome) : refuse(args, &outcome, &err);
}

/* ---- directories of shards ---- */

#define BUILDS_SHOWN 5

/* One directory has shards of many programs, and one profile is of one: names some. */
static bool fail_of_builds(const struct arguments *args, struct shard_list *list,
			   struct bc_error *err)
{
	char some[400] = "";
	size_t builds = 0, used = 0;

	shard_list_sort(list);
	for (size_t i = 0, same; i < list->all.len; i += same, builds++) {
		char id[2 * BUILD_ID_MAX + 1];
		same = shard_list_same(list, i);
		build_id_format(&list->all.at[i].id, id);
		if (builds < BUILDS_SHOWN)
			used += (size_t)snprintf(some + used, sizeof(some) - used,
						 "%s%.12s (%zu shard%s)", builds ? ", " : "",
						 *id ? id : "unknown", same, plural(same));
	}
	bc_fail(err, BC_MISMATCH, "%s: has shards of %zu binaries: %s%s", args->folders.at[0].path,
		builds, some, builds > BUILDS_SHOWN ? ", ..." : "");
	return bc_hint(err, "--expect=BIN chooses one, --group=build -o DIR writes all");
}

static bool is_expected(const struct arguments *args, const struct listed_shard *shard)
{
	const struct build_id *code = &args->merge.expect_code, *input = &args->merge.expect;

	return (!code->size && !input->size) ||
	       build_id_same(&shard->id, shard->kind == KIND_PREAGG ? code : input);
}

/* Adds the shards of directories: all, or those of the build that is expected. */
static bool take_folders(struct arguments *args, struct bc_error *err)
{
	struct shard_list *list = &args->shards;
	size_t taken = 0, other = 0, next = 0;

	for (size_t f = 0; f < args->folders.len; f++) {
		const struct named_source *folder = &args->folders.at[f];
		if (!shard_list_add(list, folder->path, err))
			return false;
		/* What a directory without shards is, the look at the inputs shows. */
		if (next == list->all.len && !merge_list_add(&args->list, folder->path, 1))
			return bc_fail_nomem(err);
		for (; next < list->all.len; next++) {
			const struct listed_shard *shard = &list->all.at[next];
			if (!is_expected(args, shard)) {
				other++;
				continue;
			}
			if (!merge_list_add(&args->list, shard->path, folder->weight))
				return bc_fail_nomem(err);
			taken++;
		}
	}
	if (!list->all.len)
		return true;
	if (!taken)
		return bc_fail(
			err, BC_MISMATCH,
			"%s: has no shard of the expected build: %zu of other builds, %zu damaged, %zu other file%s",
			args->folders.at[0].path, other, list->unreadable, list->others,
			plural(list->others));
	if (!other && !args->by_build && !shard_list_is_one(list))
		return fail_of_builds(args, list, err);
	if (args->stats != STATS_JSON && other + list->unreadable + list->others)
		say_warning(
			stderr,
			"%s: %zu shard%s used; left out: %zu of other builds, %zu damaged, %zu other file%s",
			args->folders.at[0].path, taken, plural(taken), other, list->unreadable,
			list->others, plural(list->others));
	return inputs_are_apart(args, err);
}

static int run_merge(struct command_line *line)
{
	struct arguments *args = line->arguments;
	struct progress progress;
	struct merge merge;
	struct bc_error err;
	bool made = false;
	int code;

	args->sandbox = line->sandbox;
	args->merge.progress = progress_begin(
		&progress, args->stats == STATS_NONE ? PROGRESS_NEVER : args->progress, NULL, 0);
	if (args->by_build && !output_folder_make(args->output, &made, &err))
		return fail(&err);
	enter_sandbox(args);
	if (read_expected_build(args, &err) && take_folders(args, &err)) {
		merge_init(&merge, &args->merge, args->list.inputs.at, args->list.inputs.len);
		code = run(args, &merge, &progress);
		merge_free(&merge);
	} else {
		code = fail(&err);
	}
	if (made && (code == EXIT_FAILED || code == EXIT_CHECK_FAILED))
		(void)rmdir(args->output);
	return code;
}

const struct command merge_command = {
	.name = "merge",
	.args = "[OPTION]... INPUT...",
	.help = "add up profiles: fdata, YAML or pre-aggregated records\n\n"
		"INPUT is a profile from batconv, perf2bolt, llvm-bolt -instrument or an earlier merge,\n"
		"all of one kind; '-' is stdin, and a directory means the shards in it.  Sums are\n"
		"exact and do not depend on the order of the inputs; memory does not grow with their\n"
		"number or size.\n"
		"The sum is of their kind: of raw counts, which record writes, convert makes a profile.\n"
		"Exit code 3: the inputs are of different kinds or builds; 1: one of them is damaged\n"
		"or no profile.",
	.groups = groups,
	.examples =
		"batconv merge d1.zst d2.zst d3.zst -o all.preagg         # shards of three days, to convert\n"
		"batconv merge counts/ -o all.preagg                      # all shards in a directory\n"
		"batconv merge --weight=3 last.fdata -o prog.fdata        # count it three times",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.size = sizeof(struct arguments),
	.operand = read_operand,
	.enters_sandbox = true,
	.prepare = prepare,
	.check = check,
	.finish = finish,
	.run = run_merge,
	.program = merge_fdata_command,
};
