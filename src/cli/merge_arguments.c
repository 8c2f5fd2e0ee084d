/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/merge_arguments.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/output.h"
#include "src/cli/file_conflicts.h"
#include "src/cli/cmd_merge.h"
#include "src/cli/commands.h"
#include "src/cli/merge_fdata.h"
#include "src/cli/merge_written.h"

enum {
	OPT_FILES_FROM = 256,
	OPT_NULL,
	OPT_WEIGHT,
	OPT_SCALE_TO,
	OPT_SATURATE,
	OPT_SKIP_BAD,
	OPT_MAX_BAD,
	OPT_EXPECT,
	OPT_SHARD,
	OPT_REQUIRE_SHARDS,
	OPT_GROUP,
	OPT_MEMORY,
	OPT_FAN_IN,
	OPT_TMPDIR,
	OPT_STATS,
	OPT_STATS_FILE,
	OPT_PROGRESS,
	OPT_NO_PROGRESS,
	OPT_SANDBOX,
};

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write the profile to FILE (default: stdout)"},
	{OPT_FILES_FROM, "files-from", "FILE", FILE_READ,
	 "also merge the files listed in FILE, one per line\n('-': stdin), each optionally followed by a tab and a weight"},
	{OPT_NULL, "null", NULL, NO_FILE, "names in these lists end with a zero byte"},
	{OPT_WEIGHT, "weight", "N", NO_FILE, "count the inputs that follow N times (default: 1)"},
	{OPT_SCALE_TO, "scale-to", "TOTAL", NO_FILE,
	 "scale each input so that its counts add up to TOTAL"},
	{OPT_SATURATE, "saturate", NULL, NO_FILE, "limit sums to 2^64 - 1 instead of failing (exit 4)"},
	{OPT_SKIP_BAD, "skip-bad", NULL, NO_FILE,
	 "skip inputs that are damaged, truncated or unreadable, and\nname them (exit 4)"},
	{OPT_MAX_BAD, "max-bad", "N", NO_FILE, "... but at most N of them, or N% (else exit 3)"},
	{OPT_EXPECT, "expect", "ID|BIN", FILE_READ,
	 "treat inputs of another build as bad: a build-id (of BOLT's\ninput), or the binary that ran"},
	{OPT_GROUP, "group", "KEY:build", NO_FILE,
	 "build: write one profile per build-id, ID.KIND, into the\ndirectory -o; inputs without one go to unknown.KIND"},
	{OPT_SHARD, "shard", NULL, NO_FILE, "write a shard: compressed, with checksum, build identity\nand totals, so that truncation is detected"},
	{OPT_REQUIRE_SHARDS, "require-shards", NULL, NO_FILE, "treat inputs that are not shards as bad"},
	{OPT_MEMORY, "memory", "SIZE", NO_FILE, "memory for sorting, such as 1G (default: 64M)"},
	{OPT_FAN_IN, "fan-in", "N", NO_FILE, "read at most N inputs at the same time (default: 256)"},
	{OPTION_THREADS, "threads", "N", NO_FILE,
	 "number of threads (default: one per processor, but at most\none for each 16M of --memory)"},
	{OPT_TMPDIR, "tmpdir", "DIR", FOLDER_USED, "directory for temporary files (default: that of the\noutput, else $TMPDIR or /tmp)"},
	{OPT_SANDBOX, "sandbox", NULL, NO_FILE,
	 "before reading any input, drop the rights to run programs,\nuse the network, and write anywhere but to outputs and DIR"},
	{OPT_STATS, "stats", "FORM:text,json,none", NO_FILE, "summary on stderr: text (default), json or none"},
	{OPT_STATS_FILE, "stats-file", "FILE", FILE_WRITTEN, "also write the summary as JSON to FILE"},
	{OPT_PROGRESS, "progress", NULL, NO_FILE, "show progress (default: on a terminal, for long runs)"},
	{OPT_NO_PROGRESS, "no-progress", NULL, NO_FILE, "never show progress"},
	{'q', "quiet", NULL, NO_FILE, "print only errors and skipped inputs"},
	{'v', "verbose", NULL, NO_FILE, "print a longer summary"},
	{'h', "help", NULL, NO_FILE, "show this help"},
};

void merge_arguments_free(struct merge_arguments *arguments)
{
	merge_list_free(&arguments->list);
	free(arguments->tmpdir);
}

static bool parse_number(const char *value, uint64_t least, uint64_t *out)
{
	return text_dec(text_of(value), out) && *out >= least;
}

/* 4096, 64K, 64M, 2G */
static bool parse_size(struct text value, size_t *out)
{
	static const char units[] = "KMG";
	const char *unit = value.len ? memchr(units, value.at[value.len - 1], sizeof(units) - 1) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	uint64_t number;

	if (!text_dec(text_first(value, value.len - (unit != NULL)), &number) || !number || number > SIZE_MAX >> shift)
		return false;
	*out = (size_t)number << shift;
	return true;
}

static bool parse_stats(const char *value, enum merge_stats *out)
{
	static const char *const words[] = {"text", "json", "none"};

	for (size_t i = 0; i < BC_COUNT(words); i++)
		if (!strcmp(value, words[i])) {
			*out = (enum merge_stats)i;
			return true;
		}
	return false;
}

static bool parse_max_bad(struct text value, struct merge_options *out)
{
	out->percent = text_ends(value, "%");
	out->limited = out->skip_bad = true;
	return text_dec(text_first(value, value.len - out->percent), &out->max_bad);
}

static void take_list(struct merge_arguments *args, const char *path)
{
	if (!strcmp(path, "-") && args->list.stdin_taken)
		bc_fail(&args->wrong, BC_MISMATCH, "stdin can be read once only");
	args->list.stdin_taken |= !strcmp(path, "-");
	if (!args->wrong.code)
		(void)!merge_list_read(&args->list, path, args->zeros, args->weight, &args->wrong);
}

static void take_operand(struct merge_arguments *args, const char *path)
{
	if (!strcmp(path, "-") && args->list.stdin_taken)
		bc_fail(&args->wrong, BC_MISMATCH, "stdin can be read once only");
	args->list.stdin_taken |= !strcmp(path, "-");
	if (!args->wrong.code && !merge_list_add(&args->list, path, args->weight))
		bc_fail_nomem(&args->wrong);
}

static const char *apply_number(struct merge_arguments *args, int id, const char *value)
{
	struct merge_options *m = &args->merge;
	uint64_t number;

	switch (id) {
	case OPT_WEIGHT: return parse_number(value, 1, &args->weight) ? NULL : "--weight takes a number from 1 on, not";
	case OPT_SCALE_TO:
		m->scaled = true;
		return parse_number(value, 1, &m->scale_to) ? NULL : "--scale-to takes a number from 1 on, not";
	case OPT_MAX_BAD: return parse_max_bad(text_of(value), m) ? NULL : "--max-bad takes a number, or one with %, not";
	case OPT_MEMORY: return parse_size(text_of(value), &m->memory) ? NULL : "--memory takes a size such as 64M, not";
	case OPT_FAN_IN:
		if (!parse_number(value, 2, &number) || number > 512)
			return "--fan-in takes a number from 2 to 512, not";
		m->fan_in = (size_t)number;
		break;
	}
	return NULL;
}

/* A build-id, or else a binary. */
static void take_expected(struct merge_arguments *args, const char *value)
{
	struct build_id id = {0};
	bool is_id = build_id_parse(text_of(value), &id) && id.size;

	args->expect = is_id ? NULL : value;
	args->merge.expect = args->merge.expect_code = id;
}

/* Returns what is wrong with the value, or NULL. */
static const char *apply_option(void *arguments, int id, const char *value)
{
	struct merge_arguments *args = arguments;

	switch (id) {
	case OPTION_OPERAND: take_operand(args, value); break;
	case 'o': args->output = value; break;
	case 'q': args->stats = MERGE_STATS_NONE; break;
	case 'v': args->verbose = true; break;
	case 'h': args->help = true; break;
	case OPT_FILES_FROM: take_list(args, value); break;
	case OPT_NULL: args->zeros = true; break;
	case OPT_SATURATE: args->merge.saturate = true; break;
	case OPT_SHARD: args->merge.shard = true; break;
	case OPT_REQUIRE_SHARDS: args->merge.require_shards = true; break;
	case OPT_SKIP_BAD: args->merge.skip_bad = true; break;
	case OPT_EXPECT:
		take_expected(args, value);
		break;
	case OPT_GROUP:
		if (strcmp(value, "build") != 0)
			return "--group takes build, not";
		args->by_build = true;
		break;
	case OPT_TMPDIR: args->merge.tmpdir = value; break;
	case OPT_STATS:
		if (!parse_stats(value, &args->stats))
			return "--stats takes text, json or none, not";
		break;
	case OPT_STATS_FILE: args->stats_file = value; break;
	case OPT_PROGRESS: args->progress = PROGRESS_ALWAYS; break;
	case OPT_NO_PROGRESS: args->progress = PROGRESS_NEVER; break;
	case OPT_SANDBOX: args->sandbox = true; break;
	case OPTION_THREADS: return threads_option(value, &args->merge.threads);
	default: return apply_number(args, id, value);
	}
	return NULL;
}

static bool choose_tmpdir(struct merge_arguments *args)
{
	if (args->merge.tmpdir)
		return true;
	args->tmpdir = merge_tmpdir(args->output, args->by_build);
	args->merge.tmpdir = args->tmpdir;
	return args->tmpdir;
}

/* Checks that no output replaces an input.  files_check() could not see the inputs that stand in
 * lists. */
static bool inputs_are_apart(const struct merge_arguments *args, struct bc_error *err)
{
	BC_AUTO(named_files_free) struct named_files files = {0};
	bool ok = args->by_build || files_add(&files, "-o", FILE_WRITTEN, args->output ? args->output : "-");

	ok = ok && (!args->stats_file || files_add(&files, "--stats-file", FILE_WRITTEN, args->stats_file));
	for (size_t i = 0; ok && i < args->list.inputs.len; i++)
		ok = files_add(&files, OPERAND, FILE_READ, args->list.inputs.at[i].path);
	return ok ? files_are_apart(&files, err) && merge_list_check(&args->list, err) : bc_fail_nomem(err);
}

int merge_arguments_parse(const struct command *command, int argc, char **argv, struct merge_arguments *args)
{
	struct bc_error conflict;

	args->weight = 1;
	args->merge.memory = MERGE_MEMORY;
	args->merge.fan_in = MERGE_FAN_IN;
	int code = options_apply(command, argc, argv, apply_option, args);
	if (code != EXIT_DONE || args->help)
		return code;
	for (int i = optind; i < argc; i++)
		take_operand(args, argv[i]);
	if (args->wrong.code)
		return files_refuse(command, &args->wrong);
	if (!args->list.inputs.len)
		return usage_error(command, "no input given", NULL);
	if (args->by_build && (!args->output || output_is_stdout(args->output)))
		return usage_error(command, "--group needs a directory for the profiles: -o DIR", NULL);
	if (!inputs_are_apart(args, &conflict))
		return files_refuse(command, &conflict);
	if (choose_tmpdir(args))
		return EXIT_DONE;
	bc_fail_nomem(&conflict);
	return files_refuse(command, &conflict);
}

const struct command merge_command = {
	"merge", "[OPTION]... INPUT...",
	"add up profiles: fdata, YAML or pre-aggregated records\n\n"
	"INPUT is a profile from batconv, perf2bolt, llvm-bolt -instrument or an earlier merge,\n"
	"all of one kind; '-' is stdin.  Sums are exact and do not depend on the order of the\n"
	"inputs; memory does not grow with their number or size.\n"
	"Exit code 3: the inputs are of different kinds or builds; 1: one of them is damaged.",
	rows, BC_COUNT(rows), IN_ORDER_READ, merge_run_command, merge_fdata_command,
};
