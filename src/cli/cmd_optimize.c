/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#define _GNU_SOURCE /* asprintf() */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/file.h"
#include "src/base/output.h"
#include "src/base/say.h"
#include "src/cli/operands.h"
#include "src/cli/options.h"
#include "src/cli/sample_options.h"
#include "src/cli/workload_options.h"
#include "src/elf/bolt_input.h"
#include "src/figures/optimize_report.h"
#include "src/figures/trial_report.h"
#include "src/flow/bolt_program.h"
#include "src/record/perf_open.h"
#include "src/samples/file_kind.h"
#include "src/trial/optimize.h"

#define RING 65536 /* bytes, to ask for branch stacks */

enum { KEEP_IF_BETTER, KEEP_ALWAYS };

struct arguments {
	struct workload_arguments work;
	const char *output, *folder, *profile, *profile_of, *llvm_bolt, *bolt_options;
	unsigned how, keep;
	struct number rounds;
	bool json, quiet, dry_run;
	char *made_output, *made_folder; /* the defaults, by the program's name */
};

static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN,
	 "write the optimized program to FILE, if it is kept (default:\nPROG.bolt in this directory)",
	 INTO(output)},
	{0, "folder", "DIR", FOLDER_USED,
	 "keep profile, logs and reports in DIR, and continue there when\ninterrupted (default: PROG.optimize in this directory)",
	 INTO(folder)},
	{0, "dry-run", NULL, NO_FILE, "print the commands, and run none", INTO(dry_run)},
	WORKLOAD_SERVER_ROWS,
	{0, "ignore-output", NULL, NO_FILE, "also keep a program whose output or exit code differs",
	 INTO(work.ignore_output)},
	{0, "how", "HOW:auto,lbr,instrument,basic", NO_FILE,
	 "the profile by branch stacks, an instrumented copy, or basic\nsamples (default: the first that works)",
	 INTO(how)},
	{0, "profile", "FILE", FILE_READ,
	 "take the profile, or the samples, in FILE; no workload is\nneeded then, and nothing is timed without one",
	 INTO(profile), .place = PLACE_MEASURED},
	{0, "profile-of", "OLD", FILE_READ,
	 "the build before PROG, which the FILE of --profile is of: it is\ncarried to PROG, as 'batconv carry' does",
	 INTO(profile_of), .place = PLACE_IMAGE},
	{0, "rounds", "N", NO_FILE,
	 "1, or 2: sample the optimized program, too, and optimize by\nthat (default: 1)",
	 INTO(rounds), .takes = "a number from 1 to 2", .least = 1, .most = 2},
	{0, "llvm-bolt", "PATH", FILE_READ,
	 "use this llvm-bolt (default: $LLVM_BOLT, else the newest in\nPATH and where Debian has it)",
	 INTO(llvm_bolt)},
	{0, "bolt-options", "OPTIONS", NO_FILE,
	 "what llvm-bolt is to do (default: -reorder-blocks=ext-tsp\n-reorder-functions=cdsort -split-functions)",
	 INTO(bolt_options)},
	{0, "keep", "WHEN:better,always", NO_FILE,
	 "write FILE if it is better (default), or always", INTO(keep)},
	WORKLOAD_BUDGET_ROW(
		"begin no recording after TIME, and no round of the comparison\nafter as much again, such as 60, 10m or 1h (default: 2m)"),
	WORKLOAD_MARGIN_ROWS,
	WORKLOAD_COUNTED_ROW(
		"count taken branches and I-cache misses by valgrind also where\nthe time decides; of WORKLOAD (50 times as slow), or of a\nshorter COMMAND"),
	JSON_ROW("print JSON"),
	QUIET_ROW("print the verdict, no steps"),
	COMMON_ROWS,
};

static const struct option_group option_groups[] = {
	{"output", "what is made"}, {"stdin", "the work"}, {"how", "how"}, {"json", NULL}};

static void prepare(struct command_line *line)
{
	struct arguments *args = line->arguments;

	workload_arguments_prepare(&args->work);
}

static void finish(void *arguments)
{
	struct arguments *args = arguments;

	free(args->made_output);
	free(args->made_folder);
}

/* "NAME.END" in this directory, of a path's last part. */
static char *name_beside(const char *path, const char *end)
{
	struct text name = text_basename(text_of(path));
	char *out;

	return asprintf(&out, "%s%.*s.%s", *name.at == '-' ? "./" : "", (int)name.len, name.at,
			end) < 0 ?
		       NULL :
		       out;
}

/* The output must not be one of the inputs, also by its default name. */
static bool add_files(struct command_line *line, struct bc_error *err)
{
	struct arguments *args = line->arguments;

	if (!line->operands.len)
		return true;
	args->made_output = name_beside(line->operands.at[0], "bolt");
	args->made_folder = name_beside(line->operands.at[0], "optimize");
	if (!args->made_output || !args->made_folder)
		return bc_fail_nomem(err);
	if (!args->folder)
		args->folder = args->made_folder;
	if (args->output)
		return true;
	args->output = args->made_output;
	return files_add(&line->files, "default -o", FILE_WRITTEN, args->output) ||
	       bc_fail_nomem(err);
}

static bool has_workload(const struct command_line *line, const struct arguments *args)
{
	return args->work.serve || args->work.load || args->work.ready || line->program.len;
}

static int check(struct command_line *line)
{
	const struct arguments *args = line->arguments;

	if (args->profile && args->how)
		return usage_error(line->command, "--profile or --how, not both", NULL);
	if (args->profile_of && !args->profile)
		return usage_error(line->command, "--profile-of needs --profile", NULL);
	if (args->profile && args->rounds.is > 1)
		return usage_error(line->command,
				   "--rounds=2 needs samples, which --profile replaces", NULL);
	if (output_is_stdout(args->output))
		return usage_error(line->command, "the program is no text: -o needs a file, not",
				   args->output);
	if (!*args->folder)
		return usage_error(line->command, "--folder needs a name", NULL);
	return args->profile && !has_workload(line, args) ?
		       EXIT_DONE :
		       workload_arguments_check(line, &args->work);
}

/* ---- what the program is ---- */

static bool refuse(const char *path, struct bc_error *err, const char *why)
{
	return bc_fail(err, BC_UNSUPPORTED, "%s: %s", path, why);
}

/* Can llvm-bolt make anything of it? */
static bool will_do(const char *path, const struct image *image, const struct arguments *args,
		    struct bolt_input *input, struct bc_error *err)
{
	*input = bolt_input_of(image);
	if (image_bolt_trace(image) != BOLT_NONE) {
		refuse(path, err, "llvm-bolt wrote it already, and cannot optimize its own output");
		return bc_hint(
			err,
			"give the program that llvm-bolt read; to use samples of this one: batconv convert %s SAMPLES --input=INPUT, then --profile",
			path);
	}
	for (unsigned i = 0; i < BOLT_LIMIT_COUNT; i++)
		if (bolt_input_has(input, i) &&
		    (i == BOLT_LIMIT_NO_CODE || i == BOLT_LIMIT_GO || i == BOLT_LIMIT_KERNEL ||
		     (i == BOLT_LIMIT_STRIPPED && !args->bolt_options)))
			return refuse(path, err, bolt_limit_text(i));
	if (args->how == HOW_INSTRUMENT && !input->relocations)
		return refuse(path, err, bolt_limit_text(BOLT_LIMIT_NO_RELOCATIONS));
	if (!args->quiet && !input->relocations)
		say_warning(stderr, "%s: %s", path, bolt_limit_text(BOLT_LIMIT_NO_RELOCATIONS));
	return true;
}

static bool look_at_program(const char *path, const struct arguments *args,
			    struct bolt_input *input, struct bc_error *err)
{
	struct file_map map;
	struct image image;

	if (!file_map(path, &map, err))
		return false;
	bool ok = image_open_map(&map, &image, err) || bc_fail_prefix(err, path);
	if (ok) {
		ok = will_do(path, &image, args, input, err);
		image_close(&image);
	}
	file_unmap(&map);
	return ok;
}

/* Does the kernel give branch stacks of this process? */
static bool has_branches(void)
{
	int self = getpid();
	const struct perf_request request = {.target = PERF_TASKS,
					     .tasks = {.at = &self, .len = 1, .cap = 1},
					     .named = "this process",
					     .frequency = 1000,
					     .ring = RING,
					     .require_branches = true};
	struct opened_rings rings;
	struct bc_error refused;
	bool ok = perf_open(&perf_kernel_linux, &request, &rings, &refused);

	perf_close(&rings);
	return ok;
}

/* Is it a profile, or what one is made of? */
static bool look_at_profile(const char *path, bool *samples, struct bc_error *err)
{
	char start[FILE_KIND_LOOK];
	size_t size;

	if (!file_peek(path, start, sizeof(start), &size, err))
		return false;
	enum file_kind kind = file_kind_of((struct text){start, size}, NULL);
	*samples = kind != FILE_FDATA && kind != FILE_YAML;
	return true;
}

/* ---- the end ---- */

typedef void report_fn(const struct optimize_report *report, FILE *out);

static bool write_file(const char *folder, const char *name, const struct optimize_report *report,
		       report_fn *write, struct bc_error *err)
{
	struct output output;
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return bc_fail_nomem(err);
	bool ok = output_open(path, &output, err);
	free(path);
	if (!ok)
		return false;
	write(report, output.file);
	return output_commit(&output, err);
}

static struct trial_report comparison(const struct optimize_report *report)
{
	struct trial_report trial = {.version = BATCONV_VERSION,
				     .trial = &report->of->contest,
				     .served = report->options->work->serve.count};

	trial_judge(&trial);
	return trial;
}

static void comparison_json(const struct optimize_report *report, FILE *out)
{
	struct trial_report trial = comparison(report);

	trial_json(&trial, out);
}

static void comparison_page(const struct optimize_report *report, FILE *out)
{
	struct trial_report trial = comparison(report);

	trial_page(&trial, out);
}

static bool tell(const struct arguments *args, const struct optimize_report *report,
		 struct bc_error *err)
{
	const struct optimization *of = report->of;

	if (!write_file(of->job.folder, "optimize.json", report, optimize_json, err) ||
	    (of->contest.at &&
	     (!write_file(of->job.folder, "compare.json", report, comparison_json, err) ||
	      !write_file(of->job.folder, "compare.html", report, comparison_page, err))))
		return false;
	(args->json ? optimize_json : optimize_text)(report, stdout);
	return true;
}

static int run_optimize(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	const char *program = line->operands.at[0];
	BC_AUTO(workload_words_free) struct workload_words words = {0};
	BC_AUTO(option_text_free) struct option_text chosen = {0};
	BC_AUTO(optimize_free) struct optimization of = {.job.lock = -1};
	struct bolt_program bolt;
	struct optimize_options options = {
		.program = program,
		.output = args->output,
		.folder = args->folder,
		.llvm_bolt = bolt.path,
		.work = &words.workload,
		.counts_always = args->work.counted,
		.how = args->profile ? HOW_PROFILE : args->how,
		.profile = args->profile,
		.profile_of = args->profile_of,
		.rounds = args->rounds.given ? args->rounds.is : 1,
		.budget = option_seconds(args->work.budget),
		.margin = args->work.margin.is / 100,
		.ignore_output = args->work.ignore_output,
		.keep = args->keep == KEEP_ALWAYS,
		.plan = args->dry_run ? stdout : NULL,
		.progress = args->quiet ? NULL : stderr,
	};
	const struct optimize_report report = {&of, &options};
	struct bc_error err;

	if (!look_at_program(program, args, &options.input, &err) ||
	    !binaries_are_there(&line->operands, &err) ||
	    (args->profile && !look_at_profile(args->profile, &options.profile_is_samples, &err)) ||
	    !bolt_program_find(args->llvm_bolt, BOLT_READS_PROFILES, &bolt, &err) ||
	    !bolt_program_ask(&bolt, &err) ||
	    !workload_words_take(line, &args->work, &words, &err) ||
	    ((!option_text_take(args->bolt_options, &chosen) ||
	      (args->bolt_options && !argument_vec_push(&chosen.words, NULL))) &&
	     !bc_fail_nomem(&err)))
		return fail(&err);
	options.bolt_options = args->bolt_options ? chosen.words.at : NULL;
	options.cdsort = bolt.release >= bolt_release_with(BOLT_CDSORT);
	options.branches = has_branches();
	options.counts = words.counting.command.count ? &words.counting : NULL;
	if (!optimize(&options, &of, &err) || (!args->dry_run && !tell(args, &report, &err)))
		return fail(&err);
	return args->dry_run || of.kept ? EXIT_DONE : EXIT_CHECK_FAILED;
}

const struct command optimize_command = {
	.name = "optimize",
	.args = "[OPTION]... PROG -- WORKLOAD",
	.help = "make a program faster by BOLT, and measure whether it is\n\n"
		"Runs WORKLOAD, in whose words {} is replaced by the binary, to get a profile of PROG;\n"
		"then llvm-bolt, checks of what it wrote, and the workload with both in turn.  Better:\n"
		"all of the interval of the CPU time's ratio is below 1; else taken branches or I-cache\n"
		"misses fall and neither rises.  No shell is run, and nothing is left running.\n"
		"Exit code 3: it is not better, its output differs, or errors were found in it.",
	.examples =
		"batconv optimize ./prog -- {} input                      # writes prog.bolt if that is faster\n"
		"batconv optimize --dry-run ./prog -- {} input            # the same commands, for a shell\n"
		"batconv optimize --how=instrument --counted ./prog -- {} input   # no samples of the kernel\n"
		"batconv optimize --profile=last.fdata --profile-of=last/prog ./prog -- {} input   # from the last build",
	COMMAND_OPTIONS(rows),
	.groups = option_groups,
	.operands = FILE_READ,
	.count = {1, 1, "no program given", "one program at a time, not also"},
	.takes_program = true,
	.size = sizeof(struct arguments),
	.prepare = prepare,
	.check = check,
	.run = run_optimize,
	.finish = finish,
	.add_files = add_files,
};
