/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/base/parallel.h"
#include "src/cli/output_folder.h"
#include "src/cli/commands.h"
#include "src/cli/convert_arguments.h"
#include "src/cli/operands.h"
#include "src/cli/print.h"
#include "src/cli/sandbox_option.h"
#include "src/cli/say.h"
#include "src/cli/summary.h"
#include "src/convert/many.h"

/* The summary's file gets its name before the profile does. */
enum { FILE_STATS, FILE_PROFILE, FILE_COUNT = FILE_PROFILE + PROFILE_FILES };

static bool open_files(const struct convert_arguments *args, bool refused, struct output *files,
		       struct bc_error *err)
{
	return (!args->stats_file || output_open(args->stats_file, &files[FILE_STATS], err)) &&
	       (refused || profile_output_open(&args->output, &files[FILE_PROFILE], err));
}

static bool fill_files(const struct convert_arguments *args, struct summary *summary,
		       const struct output *files, struct yaml_report *yaml, struct bc_error *err)
{
	if (!summary->refusal) {
		if (!profile_output_fill(&args->output, &files[FILE_PROFILE], summary->conversion,
					 summary->conversion->options.binary, yaml, err))
			return false;
		summary->output = args->output.path ? args->output.path : "-";
		summary->format = args->output.shard ? NULL : profile_format_name(args->output.format);
		summary->yaml = conversion_wants(summary->conversion, WANT_YAML) ? yaml : NULL;
	}
	if (files[FILE_STATS].file)
		summary_json(summary, files[FILE_STATS].file);
	return true;
}

/* Writes all files or none: each is opened and written before the first one gets its name.  If the
 * samples are refused, only the summary is written. */
static bool write_files(const struct convert_arguments *args, struct summary *summary,
			struct yaml_report *yaml, struct bc_error *err)
{
	struct output files[FILE_COUNT] = {0};

	if (open_files(args, summary->refusal, files, err) && fill_files(args, summary, files, yaml, err))
		return output_commit_all(files, FILE_COUNT, err);
	for (size_t i = 0; i < FILE_COUNT; i++)
		output_discard(&files[i]);
	return false;
}

/* The summary as JSON contains the warnings and the refusal: nothing else may stand beside it on
 * stderr. */
static void tell(const struct convert_arguments *args, const struct summary *summary)
{
	if (args->stats == STATS_JSON) {
		summary_json(summary, stderr);
		return;
	}
	bool nothing_read = summary->refusal && !summary->conversion->inputs.len;
	if (args->stats == STATS_TEXT && !nothing_read)
		summary_text(summary, args->verbose, stderr);
	summary_warnings(summary, stderr);
	if (summary->refusal)
		fprintf(stderr, "batconv: %s\n", summary->refusal);
}

static int finish(const struct convert_arguments *args, const struct conversion *conversion, bool converted,
		  const struct bc_error *why)
{
	bool refused = !converted && why->code == BC_MISMATCH;
	struct yaml_report yaml = {0};
	struct summary summary = {.conversion = conversion, .refusal = refused ? why->text : NULL, .maps = &args->maps};
	struct bc_error err;

	if (!converted && !refused)
		return fail(why);
	if (!write_files(args, &summary, &yaml, &err))
		return fail(&err);
	tell(args, &summary);
	if (refused)
		return EXIT_WANTING;
	return conversion->partial ? EXIT_PARTIAL : EXIT_DONE;
}

/* Is called before the first input is opened. */
static void enter_sandbox(const struct convert_arguments *args)
{
	const char *const outputs[] = {args->output.path, args->output.yaml, args->output.profgen, args->stats_file};

	if (!args->sandbox)
		return;
	struct sandbox sandbox = sandbox_enter(outputs, BC_COUNT(outputs));
	if (args->stats == STATS_JSON)
		return; /* nothing may stand on stderr beside the summary as JSON */
	sandbox_tell(&sandbox, sandbox_writes(outputs, BC_COUNT(outputs)));
	if (args->verbose)
		say(stderr, "sandbox: Landlock %s, seccomp %s", sandbox.landlock ? "yes" : "no",
		    sandbox.calls == CALLS_LISTED ? "yes" : "no");
}

/* Reads the files of --maps, which must be known before the first sample. */
static bool read_maps(struct convert_arguments *args, struct snapshots *maps, struct bc_error *err)
{
	if (!args->maps.len)
		return true;
	args->conversion.maps = maps;
	return maps_option_read(&args->maps, maps, err);
}

static int run_one(struct convert_arguments *args, struct progress *progress)
{
	BC_AUTO(snapshots_free) struct snapshots maps = {0};
	BC_AUTO(conversion_free) struct conversion conversion = {0};
	struct bc_error err = {0};

	enter_sandbox(args);
	if (!read_maps(args, &maps, &err))
		return fail(&err);
	conversion.options = args->conversion;
	conversion.partial = maps_option_partial(&args->maps);
	bool converted = conversion_run(&conversion, &err);
	progress_clear(progress);
	if (!converted)
		operands_explain(&conversion, &err);
	int code = finish(args, &conversion, converted, &err);
	if (!converted && conversion.unread && err.code != BC_NOMEM)
		operands_tell_bad(&args->conversion, conversion.unread, stderr);
	return code;
}

/* Writes the profile of one binary into the directory, under the name of the binary.  A binary that
 * was found in a directory and did not run is no failure: the user did not name it. */
static int finish_one(const struct convert_arguments *all, const struct named_binary *binary,
		      struct conversion_one *one)
{
	char path[PATH_MAX];
	struct convert_arguments args = *all;

	const struct image_report *seen = &one->conversion.aggregate.space.report;
	if (one->failed && binary->found && one->err.code == BC_MISMATCH && seen->processes == seen->mistaken) {
		if (args.verbose && args.stats != STATS_JSON)
			say(stderr, "%s: did not run", binary->path);
		return EXIT_DONE;
	}
	if (!convert_profile_path(all, binary, path, sizeof(path))) {
		say(stderr, "%s: too long a path for a profile", binary->name);
		return EXIT_FAILED;
	}
	args.output.path = path;
	return finish(&args, &one->conversion, !one->failed, &one->err);
}

/* The samples could not be read, which one message tells for all binaries. */
static bool is_told_once(const struct conversion_one *one)
{
	return one->unread && one->err.code != BC_MISMATCH;
}

/* Returns the worse one of two exit codes. */
static int worse(int a, int b)
{
	static const int order[] = {EXIT_FAILED, EXIT_WANTING, EXIT_PARTIAL};

	for (size_t i = 0; i < BC_COUNT(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return EXIT_DONE;
}

static int run_many(struct convert_arguments *args, struct progress *progress)
{
	BC_AUTO(snapshots_free) struct snapshots maps = {0};
	size_t count = args->binaries.len;
	unsigned threads = args->conversion.threads ? args->conversion.threads : parallel_threads();
	struct conversion_one *ones = calloc(count + 1, sizeof(*ones));
	struct bc_error err = {0};
	int code = EXIT_DONE;
	bool made;

	if (!ones || !output_folder_make(args->output.path, &made, &err)) {
		fprintf(stderr, "batconv: %s\n", ones ? err.text : "out of memory");
		free(ones);
		return EXIT_FAILED;
	}
	enter_sandbox(args);
	if (!read_maps(args, &maps, &err)) {
		code = fail(&err);
		count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct conversion_options *options = &ones[i].conversion.options;
		*options = args->conversion;
		options->binary = args->binaries.at[i].path;
		options->input = convert_input_of(args, &args->binaries.at[i]);
		options->hash_file = convert_hashes_of(args, &args->binaries.at[i]);
		options->threads = threads > count ? threads / (unsigned)count : 1;
		ones[i].conversion.partial = maps_option_partial(&args->maps);
	}
	size_t unread = conversion_run_many(ones, count);
	progress_clear(progress);
	for (size_t i = 0; i < count; i++) {
		bool told = i && is_told_once(&ones[i]) && is_told_once(&ones[i - 1]);
		code = worse(code, told ? EXIT_FAILED : finish_one(args, &args->binaries.at[i], &ones[i]));
		conversion_free(&ones[i].conversion);
	}
	if (unread)
		operands_tell_bad(&args->conversion, unread, stderr);
	/* If no profile was written, the directory that was made for them goes, too.  rmdir() leaves a
	 * directory alone that contains a profile. */
	if (made && (code == EXIT_FAILED || code == EXIT_WANTING))
		(void)rmdir(args->output.path);
	free(ones);
	return code;
}

int convert_run(const struct command *command, int argc, char **argv)
{
	BC_AUTO(convert_arguments_free) struct convert_arguments args = {0};
	struct progress progress;

	int usage = convert_arguments_parse(command, argc, argv, &args);
	if (usage != EXIT_DONE)
		return usage;
	if (args.help) {
		command_help(command, stdout);
		return EXIT_DONE;
	}
	if (args.wrong.code) {
		fprintf(stderr, "batconv: %s\n", args.wrong.text);
		return EXIT_FAILED;
	}
	progress_init(&progress, args.stats == STATS_NONE ? PROGRESS_NEVER : args.progress);
	progress_expect(&progress, args.conversion.samples, args.conversion.sample_count);
	args.conversion.progress = (struct input_progress){progress_show, &progress};
	return args.conversion.binary ? run_one(&args, &progress) : run_many(&args, &progress);
}
