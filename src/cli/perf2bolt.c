/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/operands.h"
#include "src/cli/perf2bolt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/cli/bolt_job.h"
#include "src/cli/options.h"
#include "src/cli/perf2bolt_info.h"
#include "src/cli/perf_job.h"
#include "src/cli/say.h"
#include "src/cli/summary.h"

/* Returns the --itrace of perf script.  perf decodes Arm SPE with it, too: "bl" asks for branches,
 * each with the last branches before it. */
static const char *trace_of_arguments(const struct perf2bolt_arguments *arguments)
{
	if (arguments->itrace)
		return arguments->itrace;
	return arguments->spe ? "bl" : NULL;
}

struct jobs {
	struct perf_job *at;
	const char **paths;
	size_t count;
};

/* Starts one perf script for each recording.  Each waits until its output is read. */
static bool start_jobs(const struct perf2bolt_arguments *arguments, struct jobs *jobs,
		       struct bc_error *err)
{
	size_t count = arguments->files.len;
	bool basic = arguments->conversion.aggregate.mode == MODE_BASIC;

	jobs->at = calloc(count, sizeof(*jobs->at));
	jobs->paths = calloc(count, sizeof(*jobs->paths));
	if (!jobs->at || !jobs->paths)
		return bc_fail_nomem(err);
	for (; jobs->count < count; jobs->count++) {
		if (!perf_job_start(arguments->files.at[jobs->count], trace_of_arguments(arguments),
				    basic, &jobs->at[jobs->count], err))
			return false;
		jobs->paths[jobs->count] = jobs->at[jobs->count].path;
	}
	return true;
}

/* Names the recording in an error that names the descriptor of a job's output, which the user does
 * not know. */
static bool name_recording(const char *job, const char *recording, struct bc_error *err)
{
	struct bc_error named;
	size_t length = strlen(job);

	if (strncmp(err->text, job, length) != 0 || err->text[length] != ':')
		return false;
	bc_fail(&named, err->code, "%s, as perf script prints it%s", recording, err->text + length);
	*err = named;
	return true;
}

/* Waits for all jobs.  The failure of a job is reported only if nothing failed before, or if it
 * explains what failed. */
static bool finish_jobs(const struct perf2bolt_arguments *arguments, struct jobs *jobs, bool ok,
			struct bc_error *err)
{
	for (size_t i = 0; i < jobs->count; i++) {
		struct bc_error why;
		bool failed = false, done = perf_job_finish(&jobs->at[i], &failed, &why);
		bool of_it = !ok && name_recording(jobs->paths[i], arguments->files.at[i], err);
		if (!done && (ok || (of_it && failed)))
			*err = why;
		ok = ok && done;
	}
	free(jobs->at);
	free(jobs->paths);
	return ok;
}

static bool take_heat(const struct perf2bolt_arguments *arguments, const struct conversion *conversion,
		      struct heat *heat, struct bc_error *err)
{
	return !arguments->heat.path || heat_output_take(&arguments->heat, conversion, heat, err);
}

static bool convert_samples(const struct perf2bolt_arguments *arguments, struct conversion *conversion, struct heat *heat,
			    struct bc_error *err)
{
	return conversion_count(conversion, err) && take_heat(arguments, conversion, heat, err) && conversion_convert(conversion, err);
}

static bool check_spe(const struct perf2bolt_arguments *arguments, const struct binary *binary, struct bc_error *err)
{
	if (arguments->spe && binary->image.machine != MACHINE_AARCH64)
		return bc_fail(err, BC_UNSUPPORTED, "%s: -spe is available only on AArch64.", arguments->conversion.binary);
	return !arguments->spe || arguments->conversion.format != INPUT_PREAGG || bc_fail(err, BC_UNSUPPORTED, "-itrace and -spe need perf.data, not -pa");
}

/* *name: of the binary in the first recording, to be freed after the conversion; NULL: no other than its own */
static bool run_conversion(const struct perf2bolt_arguments *arguments, struct function_choice *choice, struct conversion *conversion,
			   struct heat *heat, char **name, FILE *out, struct bc_error *err)
{
	struct conversion_options *options = &conversion->options;
	struct jobs jobs = {0};

	*options = arguments->conversion;
	options->choice = choice;
	if (!conversion_open(conversion, err) || !check_spe(arguments, conversion_binary(conversion), err))
		return false;
	choice->touched_only = perf2bolt_is_lite(arguments, &conversion_binary(conversion)->image);
	perf2bolt_info_kind(conversion_binary(conversion), out);
	perf2bolt_summary_start(arguments, out);
	perf2bolt_info_binary(arguments, conversion_binary(conversion), out);
	if (!trace_of_arguments(arguments))
		return convert_samples(arguments, conversion, heat, err);
	options->format = INPUT_PERF_SCRIPT;
	*name = perf_job_name_of(arguments->files.at[0], &conversion_binary(conversion)->image.build_id);
	if (*name)
		image_match_rename(&conversion->aggregate.space.match, *name);
	bool ok = start_jobs(arguments, &jobs, err);
	options->samples = jobs.paths;
	ok = finish_jobs(arguments, &jobs, ok && convert_samples(arguments, conversion, heat, err), err);
	options->samples = arguments->conversion.samples;
	return ok;
}

/* Fails where perf2bolt fails, too. */
static bool check(const struct perf2bolt_arguments *arguments, const struct conversion *conversion,
		  const struct heat *heat, struct bc_error *err)
{
	const struct ledger *samples = &conversion->ledgers.samples;

	if (samples->read && samples->dropped[SAMPLE_DROP_OTHER_PID] == samples->read)
		return bc_fail(err, BC_NOTFOUND, "no sample of %s %u%s", arguments->pids.len > 1 ? "processes" : "process", arguments->pids.at[0],
			       arguments->pids.len > 1 ? " ..." : "");
	heat_output_tell(arguments->conversion.binary, heat, stderr);
	if (arguments->heat.path && !heat->buckets)
		return bc_fail(err, BC_NOTFOUND, "%s: none of the samples can be used for a heat map", arguments->conversion.binary);
	return true;
}

/* Prints the figures of the profile.  Counts that were not converted have no figures. */
static bool print_figures(const struct perf2bolt_arguments *arguments, struct conversion *conversion,
			   FILE *out, struct bc_error *err)
{
	const struct figures_options options = {
		arguments->density_cutoff, conversion->left_out,
		perf2bolt_is_strict(arguments, &conversion_binary(conversion)->image), &conversion->graphs, conversion->threads, NULL};
	struct figures figures;

	if (conversion_wants(conversion, WANT_COUNTS))
		return true;
	if (!figures_take(&conversion->profile, &conversion->executed, &options, &figures, err))
		return false;
	perf2bolt_info_figures(arguments, &figures, out, stderr);
	return true;
}

/* Says, where nobody can miss it, that llvm-bolt will not use what is written, and what to do. */
static void warn_of_hashes(const struct perf2bolt_arguments *arguments, const struct yaml_report *yaml, const struct bc_error *why)
{
	if (!yaml->unhashed || arguments->no_hashes)
		return;
	say(stderr, "WARNING: THE YAML HAS NO HASHES of %zu function%s with %.1f %% of the counts, and llvm-bolt will not optimise %s%s%s%s: "
		    "give llvm-bolt the fdata, or perf2bolt %s-hashes=FILE, which 'batconv extract --hashes PROG -o FILE' makes "
		    "(-without-hashes: no warning)",
	    yaml->unhashed, plural(yaml->unhashed), yaml->count ? 100.0 * (double)yaml->unhashed_count / (double)yaml->count : 0,
	    yaml->unhashed == 1 ? "it" : "them", why->code ? " (" : "", why->code ? why->text : "", why->code ? ")" : "",
	    why->code ? "-llvm-bolt=PATH, or " : "");
}

/* Has llvm-bolt compute the hashes of a program that is not BOLTed, of the functions of the profile.  Without them the YAML is
 * written all the same: *why says why. */
static bool compute_hashes(const struct perf2bolt_arguments *arguments, struct conversion *conversion, struct bc_error *why,
			   struct bc_error *err)
{
	const struct bolt_job job = {.llvm_bolt = arguments->llvm_bolt, .program = arguments->conversion.binary,
				     .profile = &conversion->profile,
				     .strict = arguments->strict.is};

	if (!conversion_wants(conversion, WANT_YAML) || arguments->no_hashes || conversion_hashes(conversion) ||
	    conversion_binary(conversion)->kind != BINARY_UNTOUCHED)
		return true;
	if (bolt_job_run(&job, conversion_binary(conversion), &conversion->hashes, why))
		return true;
	*err = *why;
	return why->code != BC_NOMEM;
}

static bool fill_files(const struct perf2bolt_arguments *arguments, struct conversion *conversion,
		       const struct heat *heat, struct output *files, struct bc_error *err)
{
	const struct profile_output *output = &arguments->output;
	struct yaml_report yaml = {0};
	struct bc_error why = {0};

	if (arguments->heat.path &&
	    !(heat_output_open(&arguments->heat, files, err) &&
	      heat_output_fill(&arguments->heat, heat, &conversion_binary(conversion)->functions, files, err)))
		return false;
	if (arguments->only_heat)
		return true;
	if (!compute_hashes(arguments, conversion, &why, err) || !profile_output_open(output, files + HEAT_FILES, err) ||
	    !profile_output_fill(output, files + HEAT_FILES, conversion, arguments->conversion.binary, &yaml, err))
		return false;
	warn_of_hashes(arguments, &yaml, &why);
	return true;
}

/* Writes the profile and the heat map.  The lines on stdout must have been written before the new
 * profile replaces the old one, and the profile gets its name last. */
static bool write_files(const struct perf2bolt_arguments *arguments, struct conversion *conversion,
			const struct heat *heat, FILE *out, struct bc_error *err)
{
	struct output files[HEAT_FILES + PROFILE_FILES] = {0};

	bool ok = fill_files(arguments, conversion, heat, files, err);
	if (ok && !arguments->only_heat)
		perf2bolt_summary_written(arguments, conversion, out);
	ok = ok && print_figures(arguments, conversion, out, err);
	if (ok && out == stdout && (fflush(out) || ferror(out))) {
		errno = sink_stdout_failed() ? sink_stdout_failed() : errno;
		ok = bc_fail_errno(err, "<stdout>: cannot write");
	}
	if (ok)
		return output_commit_all(files, BC_COUNT(files), err);
	for (size_t i = 0; i < BC_COUNT(files); i++)
		output_discard(&files[i]);
	return false;
}

static void free_name(char **name)
{
	free(*name);
}

int perf2bolt_run(struct command_line *line)
{
	const struct perf2bolt_arguments *arguments = line->arguments;
	BC_AUTO(free_name) char *name = NULL;
	BC_AUTO(perf2bolt_names_free) struct words texts = {0};
	BC_AUTO(choice_free) struct function_choice choice = {0};
	BC_AUTO(conversion_free) struct conversion conversion = {0};
	BC_AUTO(heat_free) struct heat heat = {0};
	struct summary summary = {.conversion = &conversion};
	struct bc_error err = {0};
	FILE *out = perf2bolt_summary_to(arguments);

	if (out == stdout)
		sink_stdout_by_lines();
	if (perf2bolt_names(arguments, &texts, &choice, &err) &&
	    run_conversion(arguments, &choice, &conversion, &heat, &name, out, &err) && check(arguments, &conversion, &heat, &err)) {
		bool told = perf2bolt_summary_read(arguments, &conversion, &heat, out, &err);
		summary_warnings(&summary, stderr);
		if (told && write_files(arguments, &conversion, &heat, out, &err))
			return EXIT_DONE;
	}
	fflush(stdout);
	operands_remember_conversion(perf2bolt_program(arguments), &arguments->conversion);
	operands_explain(&conversion, &err);
	fprintf(stderr, "batconv: %s\n", err.text);
	return EXIT_FAILED;
}
