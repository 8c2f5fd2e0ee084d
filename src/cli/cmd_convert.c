/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/output.h"
#include "src/base/parallel.h"
#include "src/cli/commands.h"
#include "src/cli/progress.h"
#include "src/cli/summary.h"
#include "src/output/fdata.h"

enum {
	OPT_INPUT_FORMAT = 256,
	OPT_BASIC,
	OPT_IMAGE,
	OPT_FORCE,
	OPT_KEEP_NEWEST,
	OPT_THREADS,
	OPT_STATS,
	OPT_STATS_FILE,
	OPT_PROGRESS,
	OPT_NO_PROGRESS,
};

static const struct option_row rows[] = {
	{'o', "output", "FILE", "write the profile to FILE (default: stdout)"},
	{OPT_INPUT_FORMAT, "input-format", "FORMAT",
	 "auto (default: by content), preagg or perf-script"},
	{OPT_BASIC, "basic", NULL,
	 "use sampled addresses, not branch stacks\n(default: what the samples have)"},
	{OPT_IMAGE, "image", "NAME",
	 "the binary's name in the recorded mappings,\nif it was renamed since (a path or a last part)"},
	{OPT_FORCE, "force", NULL, "convert samples of another build all the same"},
	{OPT_KEEP_NEWEST, "keep-newest", NULL,
	 "x86-64: keep the two newest branches of 32-deep stacks,\n"
	 "which a Skylake erratum makes doubtful"},
	{OPT_THREADS, "threads", "N", "how many threads to use (default: one per processor)"},
	{OPT_STATS, "stats", "FORM", "the report on stderr: text (default), json or none"},
	{OPT_STATS_FILE, "stats-file", "FILE", "write the JSON report to FILE too"},
	{OPT_PROGRESS, "progress", NULL, "show progress (default: on a terminal, for long work)"},
	{OPT_NO_PROGRESS, "no-progress", NULL, "never show progress"},
	{'q', "quiet", NULL, "no report, only errors"},
	{'v', "verbose", NULL, "a longer report"},
	{'h', "help", NULL, "show this help"},
};

enum stats_form { STATS_TEXT, STATS_JSON, STATS_NONE };

struct arguments {
	struct conversion_options conversion;
	const char *output, *stats_file;
	enum stats_form stats;
	bool verbose, help;
	enum progress_mode progress;
};

static bool parse_stats(const char *value, enum stats_form *out)
{
	static const char *const names[] = {"text", "json", "none"};

	for (size_t i = 0; i < BC_COUNT(names); i++) {
		if (!strcmp(value, names[i])) {
			*out = (enum stats_form)i;
			return true;
		}
	}
	return false;
}

static bool parse_threads(const char *value, unsigned *out)
{
	uint64_t threads;

	if (!text_dec(text_of(value), &threads) || !threads || threads > PARALLEL_MOST)
		return false;
	*out = (unsigned)threads;
	return true;
}

/* Returns what is wrong with the value, or NULL. */
static const char *apply_option(struct arguments *args, int id, const char *value)
{
	struct conversion_options *c = &args->conversion;

	switch (id) {
	case 'o': args->output = value; break;
	case 'q': args->stats = STATS_NONE; break;
	case 'v': args->verbose = true; break;
	case 'h': args->help = true; break;
	case OPT_INPUT_FORMAT:
		if (!input_format_parse(text_of(value), &c->format))
			return "--input-format takes auto, preagg or perf-script, not";
		break;
	case OPT_BASIC: c->aggregate.mode = MODE_BASIC; break;
	case OPT_IMAGE: c->image_name = value; break;
	case OPT_FORCE: c->force = true; break;
	case OPT_KEEP_NEWEST: c->aggregate.erratum = false; break;
	case OPT_THREADS:
		if (!parse_threads(value, &c->threads))
			return "--threads takes a number from 1 to 64, not";
		break;
	case OPT_STATS:
		if (!parse_stats(value, &args->stats))
			return "--stats takes text, json or none, not";
		break;
	case OPT_STATS_FILE: args->stats_file = value; break;
	case OPT_PROGRESS: args->progress = PROGRESS_ALWAYS; break;
	case OPT_NO_PROGRESS: args->progress = PROGRESS_NEVER; break;
	}
	return NULL;
}

static int parse(const struct command *command, int argc, char **argv, struct arguments *args)
{
	const char *value;

	args->conversion.aggregate.erratum = true;
	for (int id; (id = option_next(command, argc, argv, &value)) != OPTION_END;) {
		if (id == OPTION_BAD)
			return EXIT_USAGE;
		const char *wrong = apply_option(args, id, value);
		if (wrong)
			return usage_error(command, wrong, value);
	}
	if (args->help)
		return EXIT_DONE;
	if (argc == optind)
		return usage_error(command, "no binary given", NULL);
	if (argc == optind + 1)
		return usage_error(command, "no samples given for", argv[optind]);
	args->conversion.binary = argv[optind];
	args->conversion.samples = (const char *const *)&argv[optind + 1];
	args->conversion.sample_count = (size_t)(argc - optind - 1);
	return EXIT_DONE;
}

static bool write_profile(const struct conversion *conversion, const char *path,
			  struct bc_error *err)
{
	const struct name_vec *events = &conversion->aggregate.events;
	struct fdata_header header = {(const char *const *)events->at, events->len};
	struct output output;

	if (!output_open(path, &output, err))
		return false;
	fdata_write(&conversion->profile, &header, output.file);
	return output_commit(&output, err);
}

static bool write_stats(const struct summary *summary, const char *path, struct bc_error *err)
{
	struct output output;

	if (!path)
		return true;
	if (!output_open(path, &output, err))
		return false;
	summary_json(summary, output.file);
	return output_commit(&output, err);
}

static void print_summary(const struct arguments *args, const struct summary *summary)
{
	if (args->stats == STATS_TEXT)
		summary_text(summary, args->verbose, stderr);
	else if (args->stats == STATS_JSON)
		summary_json(summary, stderr);
}

static int finish(const struct arguments *args, const struct conversion *conversion, bool converted,
		  struct bc_error *err)
{
	bool refused = !converted && err->code == BC_MISMATCH;
	struct summary summary = {&args->conversion, conversion, NULL, refused};
	struct bc_error why = *err;

	if (converted && write_profile(conversion, args->output, &why))
		summary.output = args->output ? args->output : "-";
	else
		converted = false;
	if ((converted || refused) && !write_stats(&summary, args->stats_file, err)) {
		converted = false;
		why = *err;
	}
	if (converted || refused)
		print_summary(args, &summary);
	if (converted)
		return EXIT_DONE;
	fprintf(stderr, "batconv: %s\n", why.text);
	return refused ? EXIT_WANTING : EXIT_FAILED;
}

static int run_convert(const struct command *command, int argc, char **argv)
{
	struct arguments args = {0};
	BC_AUTO(conversion_free) struct conversion conversion = {0};
	struct bc_error err = {0};
	struct progress progress;

	int usage = parse(command, argc, argv, &args);
	if (usage != EXIT_DONE)
		return usage;
	if (args.help) {
		command_help(command, stdout);
		return EXIT_DONE;
	}
	progress_init(&progress, args.stats == STATS_NONE ? PROGRESS_NEVER : args.progress);
	args.conversion.progress = progress_show;
	args.conversion.progress_ctx = &progress;
	bool converted = conversion_run(&args.conversion, &conversion, &err);
	progress_clear(&progress);
	return finish(&args, &conversion, converted, &err);
}

const struct command convert_command = {
	"convert", "[OPTION]... OPTIMIZED SAMPLES...",
	"write the profile of the input binary from samples of the optimised one\n\n"
	"OPTIMIZED is a binary from 'llvm-bolt --enable-bat'; SAMPLES are files of\n"
	"pre-aggregated records or of what perf script prints, '-' for stdin:\n"
	"  perf script --show-mmap-events --show-task-events -F pid,ip,brstack\n"
	"The profile is BOLT's fdata: llvm-bolt INPUT -data PROFILE ...",
	rows, BC_COUNT(rows), run_convert,
};
