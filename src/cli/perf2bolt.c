/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/operands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/build_id.h"
#include "src/base/error.h"
#include "src/base/counts.h"
#include "src/flow/bolt_job.h"
#include "src/cli/options.h"
#include "src/cli/perf2bolt.h"
#include "src/base/say.h"
#include "src/figures/summary.h"
#include "src/elf/bolt_input.h"
#include "src/profile/density.h"

/* ---- lines that begin with BOLT-INFO, in perf2bolt's words and with its numbers: scripts look for
 * them ---- */

static const char *machine_word(enum machine machine)
{
	static const char *const words[] = {"x86_64", "aarch64", "riscv64"};

	return words[machine];
}

/* BOLT takes all code for sane. */
static bool perf2bolt_is_strict(const struct perf2bolt_arguments *arguments,
				const struct image *image)
{
	return image_has_code_relocations(image) &&
	       (!arguments->strict.given || arguments->strict.is);
}

/* BOLT looks at functions with samples only. */
static bool perf2bolt_is_lite(const struct perf2bolt_arguments *arguments,
			      const struct image *image)
{
	return (!arguments->lite.given || arguments->lite.is) && image->machine == MACHINE_X86_64 &&
	       !perf2bolt_is_strict(arguments, image);
}

static void print_mode(const struct perf2bolt_arguments *arguments, const struct image *image,
		       FILE *out)
{
	if (image_has_code_relocations(image))
		fputs("BOLT-INFO: enabling relocation mode\n", out);
	if (perf2bolt_is_strict(arguments, image) && !arguments->strict.given)
		fputs("BOLT-INFO: enabling strict relocation mode for aggregation purposes\n", out);
	if (perf2bolt_is_lite(arguments, image) && !arguments->lite.given)
		fputs("BOLT-INFO: enabling lite mode\n", out);
}

static void print_build_id(const struct build_id *id, FILE *out)
{
	char text[2 * BUILD_ID_MAX + 1];

	build_id_format(id, text);
	fprintf(out, "BOLT-INFO: binary build-id is:     %s\n", text);
}

/* For the binary, before samples are read: of what kind it is; and after the first line
 * of the summary what else is known of it. */
static void perf2bolt_info_kind(const struct binary *binary, FILE *out)
{
	if (binary->image.position_independent)
		fputs("BOLT-INFO: shared object or position-independent executable detected\n",
		      out);
}

static void perf2bolt_info_binary(const struct perf2bolt_arguments *arguments,
				  const struct binary *binary, FILE *out)
{
	const struct image *image = &binary->image;
	uint64_t first = image->segment_count ? image->segments[0].vaddr : 0;

	fprintf(out, "BOLT-INFO: Target architecture: %s\n", machine_word(image->machine));
	fprintf(out, "BOLT-INFO: first alloc address is 0x%" PRIx64 "\n", first);
	if (binary->kind == BINARY_BOLTED && !arguments->only_heat)
		fprintf(out, "BOLT-INFO: Parsed %zu BAT entries\n",
			(size_t)binary->bat.fragment_count);
	print_mode(arguments, image, out);
	fputs("BOLT-INFO: pre-processing profile using perf data aggregator\n", out);
	if (binary->kind == BINARY_BOLTED)
		fputs("BOLT-INFO: profile collection done on a binary already processed by BOLT\n",
		      out);
	if (arguments->conversion.format != INPUT_PREAGG && image->build_id.size)
		print_build_id(&image->build_id, out);
}

static void print_density(const struct perf2bolt_arguments *arguments, double density, FILE *out,
			  FILE *warnings)
{
	double wanted = (double)arguments->density_threshold;

	if (!(density > 0))
		fputs("BOLT-WARNING: the output profile is empty or the --profile-density-cutoff-hot option is set too "
		      "low. Please check your command.\n",
		      warnings);
	else if (density < wanted)
		fprintf(warnings,
			"BOLT-WARNING: BOLT is estimated to optimize better with %.1fx more samples. Please "
			"consider increasing sampling rate or profiling for longer duration to get more samples.\n",
			wanted / density);
	fprintf(out,
		"BOLT-INFO: Functions with density >= %.1f account for %.2f%% total sample counts.\n",
		density, (double)arguments->density_cutoff / 10000);
}

/* For the profile, at the end.  The advice to sample more goes to `warnings`. */
static void perf2bolt_info_figures(const struct perf2bolt_arguments *arguments,
				   const struct density *figures, FILE *out, FILE *warnings)
{
	float share = figures->functions ?
			      (float)figures->profiled / (float)figures->functions * 100.0f :
			      0;

	fprintf(out,
		"BOLT-INFO: %" PRIu64 " out of %" PRIu64
		" functions in the binary (%.1f%%) have non-empty "
		"execution profile\n",
		figures->profiled, figures->functions, (double)share);
	if (figures->non_simple)
		fprintf(out,
			"BOLT-INFO: %" PRIu64 " function%s with profile could not be optimized\n",
			figures->non_simple, plural(figures->non_simple));
	print_density(arguments, figures->density, out, warnings);
}

/* ---- lines that begin with PERF2BOLT or HEATMAP: what was read and what became of it, and what
 * was written ---- */

/* "LABEL: N (P%)", without the share if there is nothing to share. */
static void print_share(const char *label, uint64_t part, uint64_t whole, FILE *out)
{
	fprintf(out, "PERF2BOLT: %s: %" PRIu64, label, part);
	if (whole)
		fprintf(out, " (%.1f%%)", percent_of(part, whole));
	putc('\n', out);
}

static void say_start(const struct perf2bolt_arguments *arguments, FILE *out)
{
	for (size_t i = 0; i < arguments->files.len; i++) {
		fputs("PERF2BOLT: Starting data aggregation job for ", out);
		print_name(text_of(arguments->files.at[i]), out);
		putc('\n', out);
	}
}

static uint64_t aggregated_lines(const struct conversion *conversion)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < conversion->inputs.len; i++)
		if (conversion->inputs.at[i].format == INPUT_PREAGG)
			lines += conversion->inputs.at[i].lines - conversion->inputs.at[i].ignored;
	return lines;
}

/* Samples that were looked at, and those of processes that ran the binary. */
static uint64_t samples_seen(const struct ledger *samples)
{
	return samples->read - samples->dropped[SAMPLE_DROP_PAST_LIMIT];
}

static uint64_t samples_taken(const struct ledger *samples)
{
	return samples_seen(samples) - samples->dropped[SAMPLE_DROP_NO_PROCESS] -
	       samples->dropped[SAMPLE_DROP_OTHER_PID];
}

static void print_branches(const struct ledgers *ledgers, FILE *out)
{
	const struct ledger *samples = &ledgers->samples, *branches = &ledgers->branches;
	uint64_t entries = branches->read - branches->dropped[BRANCH_DROP_DROPPED_SAMPLE] -
			   branches->dropped[BRANCH_DROP_NO_PROCESS] -
			   branches->dropped[BRANCH_DROP_KERNEL];

	if (!samples->read)
		return;
	if (branches->dropped[BRANCH_DROP_ERRATUM])
		fputs("PERF2BOLT-WARNING: using Intel Skylake bug workaround\n", stderr);
	fprintf(out, "PERF2BOLT: read %" PRIu64 " samples and %" PRIu64 " brstack entries\n",
		samples_taken(samples), entries);
	print_share("ignored samples", samples_seen(samples) - samples_taken(samples),
		    samples_seen(samples), out);
}

static void print_traces(const struct ledger *traces, FILE *out)
{
	uint64_t invalid = traces->dropped[TRACE_DROP_TWO_FRAGMENTS] +
			   traces->dropped[TRACE_DROP_INVALID] + traces->dropped[TRACE_DROP_NO_MAP];

	fputs("PERF2BOLT: processing branch events...\n", out);
	print_share("traces mismatching disassembled function contents", invalid, traces->read,
		    out);
	if (percent_of(invalid, traces->read) > 10)
		fputs("\n !! WARNING !! This high mismatch ratio indicates the input binary is probably not the same "
		      "binary used during profiling collection. The generated data may be ineffective for improving "
		      "performance\n\n",
		      out);
	print_share("out of range traces involving unknown regions",
		    traces->dropped[TRACE_DROP_OUTSIDE], traces->read, out);
}

static void print_basic(const struct ledger *samples, FILE *out)
{
	uint64_t taken = samples_taken(samples);

	fputs("PERF2BOLT: processing basic events (without brstack)...\n", out);
	print_share("out of range samples recorded in unknown regions",
		    taken - samples->kept - samples->dropped[SAMPLE_DROP_NO_PARENT] -
			    samples->dropped[SAMPLE_DROP_UNNAMEABLE],
		    taken, out);
}

/* How many buckets hold most of the hits, and how many all. */
static bool print_working_set(const struct perf2bolt_arguments *arguments, const struct heat *heat,
			      uint64_t size, FILE *out)
{
	BC_AUTO(heat_free) struct heat zoomed = {0};
	BC_AUTO(heat_run_vec_free) struct heat_run_vec hottest = {0};
	const struct heat *of = size == heat->bucket ? heat : &zoomed;
	double percent = (double)arguments->heat_share / 10000;
	int unit = 0;

	if ((of == &zoomed && !heat_zoom(heat, size, &zoomed)) || !heat_hottest(of, &hottest))
		return false;
	/* As many as hold the share rounded down to whole hits, and at least one. */
	uint64_t wanted = (uint64_t)((double)of->hits * percent / 100);
	uint64_t most =
		heat_working_set(of, &hottest, ((double)wanted - 0.5) * 100 / (double)of->hits);
	for (; unit < 3 && size % 1024 == 0; size /= 1024)
		unit++;
	fprintf(out,
		"HEATMAP: working set @ bucket size %" PRIu64 "%.*s p%g/total: %" PRIu64 "/%" PRIu64
		"\n",
		size, unit > 0, &"\0KMG"[unit], percent, most ? most : 1, of->buckets);
	return true;
}

static bool print_heat(const struct perf2bolt_arguments *arguments, const struct heat *heat,
		       FILE *out)
{
	const struct heat_output *output = &arguments->heat;

	fputs("HEATMAP: building heat map...\n", out);
	if (heat->invalid && heat->raw)
		fprintf(out, "HEATMAP: invalid traces: %" PRIu64 "\n", heat->invalid);
	for (size_t i = 0; i < output->size_count; i++) {
		fprintf(out, "HEATMAP: dumping heatmap with bucket size %" PRIu64 " to ",
			output->sizes[i]);
		print_name(text_of(output->path), out);
		if (i && !output_is_stdout(output->path))
			fprintf(out, "-%" PRIu64, output->sizes[i]);
		putc('\n', out);
		if (arguments->release->number >= 24 &&
		    !print_working_set(arguments, heat, output->sizes[i], out))
			return false;
	}
	return true;
}

static bool say_read(const struct perf2bolt_arguments *arguments,
		     const struct conversion *conversion, const struct heat *heat, FILE *out,
		     struct bc_error *err)
{
	const struct ledgers *ledgers = &conversion->ledgers;
	const struct image_report *seen = &conversion->aggregate.space.report;
	uint64_t lines = aggregated_lines(conversion);

	if (lines)
		fprintf(out, "PERF2BOLT: read %" PRIu64 " aggregated brstack entries\n", lines);
	if (seen->processes)
		fprintf(out, "PERF2BOLT: input binary is associated with %" PRIu64 " PID(s)\n",
			(uint64_t)seen->processes);
	if (conversion->basic)
		fprintf(out, "PERF2BOLT: read %" PRIu64 " basic samples\n",
			samples_taken(&ledgers->samples));
	else
		print_branches(ledgers, out);
	if (arguments->heat.path && !print_heat(arguments, heat, out))
		return bc_fail_nomem(err);
	if (arguments->only_heat)
		return true;
	if (conversion->basic)
		print_basic(&ledgers->samples, out);
	else
		print_traces(&ledgers->traces, out);
	return true;
}

static void say_written(const struct perf2bolt_arguments *arguments,
			const struct conversion *conversion, FILE *out)
{
	if (arguments->output.format == FORMAT_YAML)
		return;
	if (arguments->output.format == FORMAT_FDATA)
		fprintf(out, "PERF2BOLT: wrote %zu objects and %zu memory objects to ",
			conversion->profile.record_count, conversion->profile.accesses.len);
	else
		fprintf(out, "PERF2BOLT: wrote %zu pre-aggregated objects to ",
			conversion->preagg.count);
	print_name(text_of(arguments->output.path), out);
	putc('\n', out);
}

/* ---- perf script at work for us: what only perf can decode (instruction traces) is read as the
 * text that it prints ---- */

struct perf_job {
	pid_t pid;
	int out;       /* what perf prints */
	char path[32]; /* under which that can be opened, as long as the job is */
};

extern char **environ;

static bool fail_to_run(int sys, struct bc_error *err)
{
	return bc_fail(err, BC_IO, "perf: cannot be run: %s: -itrace needs it", strerror(sys)) ||
	       bc_hint(err,
		       "leave out -itrace: traces of Intel PT, Arm ETM and ETE are then read without perf");
}

static int spawn(char *const *words, int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;

	int sys = posix_spawn_file_actions_init(&actions);
	if (sys)
		return sys;
	sys = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	if (!sys)
		sys = posix_spawnp(pid, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return sys;
}

/* The name in a line of perf buildid-list, an id and a path, if the id is this one. */
static char *name_in(char *line, const char *id)
{
	char *blank = strchr(line, ' '), *slash = strrchr(line, '/');

	line[strcspn(line, "\n")] = '\0';
	if (!blank || (size_t)(blank - line) != strlen(id) || strncmp(line, id, strlen(id)) != 0)
		return NULL;
	return strdup(slash ? slash + 1 : blank + 1);
}

/* Asks perf under which name a recording has the file of a build-id, as what perf script prints has
 * no build-ids. Returns the name without folders, to be freed, or NULL: unknown, or perf cannot be
 * run. */
static char *perf_job_name_of(const char *recording, const struct build_id *id)
{
	char *words[] = {"perf", "buildid-list", "-f", "-i", (char *)recording, NULL};
	char hex[2 * BUILD_ID_MAX + 1], *line = NULL, *name = NULL;
	int ends[2], ignored;
	size_t room = 0;
	pid_t pid;

	if (!id->size || pipe(ends))
		return NULL;
	build_id_format(id, hex);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	bool ok = !spawn(words, ends[1], &pid);
	close(ends[1]);
	FILE *list = fdopen(ends[0], "r");
	while (ok && list && getline(&line, &room, list) > 0)
		name = name ? name : name_in(line, hex);
	free(line);
	if (list)
		fclose(list);
	else
		close(ends[0]);
	while (ok && waitpid(pid, &ignored, 0) < 0 && errno == EINTR)
		;
	return name;
}

/* Start perf on a recording.
 *
 * itrace   argument of its --itrace
 * basic    addresses, not branch stacks
 *
 * BC_IO */
static bool perf_job_start(const char *recording, const char *itrace, bool basic,
			   struct perf_job *out, struct bc_error *err)
{
	char option[512];
	int ends[2];

	if (snprintf(option, sizeof(option), "--itrace=%s", itrace) >= (int)sizeof(option))
		return bc_fail(err, BC_UNSUPPORTED, "--itrace: longer than %zu bytes",
			       sizeof(option));
	char *words[] = {"perf",
			 "script",
			 "--show-mmap-events",
			 "--show-task-events",
			 "-F",
			 basic ? "pid,event,ip" : "pid,ip,brstack",
			 option,
			 "-f",
			 "-i",
			 (char *)recording,
			 NULL};
	if (pipe(ends))
		return fail_to_run(errno, err);
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	int sys = spawn(words, ends[1], &out->pid);
	close(ends[1]);
	if (sys) {
		close(ends[0]);
		return fail_to_run(sys, err);
	}
	out->out = ends[0];
	snprintf(out->path, sizeof(out->path), "/dev/fd/%d", out->out);
	return true;
}

/* Waits for the end of perf.  *failed: perf ended by itself and says that it failed.  BC_IO: perf
 * failed, also by a signal, or could not be run. */
static bool perf_job_finish(struct perf_job *job, bool *failed, struct bc_error *err)
{
	int status = 0;

	close(job->out);
	while (waitpid(job->pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail_to_run(errno, err);
	*failed = WIFEXITED(status) && WEXITSTATUS(status);
	if (WIFEXITED(status) && !*failed)
		return true;
	return bc_fail(err, BC_IO, "perf script: ended with %s %d",
		       WIFEXITED(status) ? "exit code" : "signal",
		       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

/* ---- the command ---- */

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
		if (!perf_job_start(arguments->files.at[jobs->count], arguments->itrace, basic,
				    &jobs->at[jobs->count], err))
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

static bool take_heat(const struct perf2bolt_arguments *arguments,
		      const struct conversion *conversion, struct heat *heat, struct bc_error *err)
{
	return !arguments->heat.path || heat_output_take(&arguments->heat, conversion, heat, err);
}

static bool convert_samples(const struct perf2bolt_arguments *arguments,
			    struct conversion *conversion, struct heat *heat, struct bc_error *err)
{
	return conversion_count(conversion, err) && take_heat(arguments, conversion, heat, err) &&
	       conversion_convert(conversion, err);
}

static bool check_spe(const struct perf2bolt_arguments *arguments, const struct binary *binary,
		      struct bc_error *err)
{
	if (arguments->spe && binary->image.machine != MACHINE_AARCH64)
		return bc_fail(err, BC_UNSUPPORTED, "%s: -spe is available only on AArch64.",
			       arguments->conversion.binary);
	return !arguments->spe || arguments->conversion.format != INPUT_PREAGG ||
	       bc_fail(err, BC_UNSUPPORTED, "-itrace and -spe need perf.data, not -pa");
}

/* -spe is for traces of Arm SPE: others are read, but not as perf2bolt reads them. */
static void warn_of_other_traces(const struct perf2bolt_arguments *arguments,
				 const struct conversion *conversion)
{
	for (size_t i = 0; arguments->spe && i < conversion->inputs.len; i++) {
		const struct perf_trace_report *trace = &conversion->inputs.at[i].perf.trace;
		if (trace->found && trace->kind != PERF_TRACE_ARM_SPE)
			say_warning(
				stderr,
				"%s: -spe is of no use, as the hardware trace is of %s, which is read as without -spe",
				arguments->files.at[i], perf_trace_name(trace));
	}
}

/* *name: of the binary in the first recording, to be freed after the conversion; NULL: no other
 * than its own */
static bool run_conversion(const struct perf2bolt_arguments *arguments,
			   struct function_choice *choice, struct conversion *conversion,
			   struct heat *heat, char **name, FILE *out, struct bc_error *err)
{
	struct conversion_options *options = &conversion->options;
	struct jobs jobs = {0};

	*options = arguments->conversion;
	options->choice = choice;
	if (!conversion_open(conversion, err) ||
	    !check_spe(arguments, conversion_binary(conversion), err))
		return false;
	choice->touched_only = perf2bolt_is_lite(arguments, &conversion_binary(conversion)->image);
	perf2bolt_info_kind(conversion_binary(conversion), out);
	say_start(arguments, out);
	perf2bolt_info_binary(arguments, conversion_binary(conversion), out);
	if (!arguments->itrace)
		return convert_samples(arguments, conversion, heat, err);
	options->format = INPUT_PERF_SCRIPT;
	*name = perf_job_name_of(arguments->files.at[0],
				 &conversion_binary(conversion)->image.build_id);
	if (*name)
		image_match_rename(&conversion->aggregate.space.match, *name);
	bool ok = start_jobs(arguments, &jobs, err);
	options->samples = jobs.paths;
	ok = finish_jobs(arguments, &jobs, ok && convert_samples(arguments, conversion, heat, err),
			 err);
	options->samples = arguments->conversion.samples;
	return ok;
}

/* Fails where perf2bolt fails, too. */
static bool check(const struct perf2bolt_arguments *arguments, const struct conversion *conversion,
		  const struct heat *heat, struct bc_error *err)
{
	const struct ledger *samples = &conversion->ledgers.samples;

	if (samples->read && samples->dropped[SAMPLE_DROP_OTHER_PID] == samples->read)
		return bc_fail(err, BC_NOTFOUND, "no sample of %s %u%s",
			       arguments->pids.len > 1 ? "processes" : "process",
			       arguments->pids.at[0], arguments->pids.len > 1 ? " ..." : "");
	if (arguments->heat.path && !heat->buckets)
		return bc_fail(err, BC_NOTFOUND,
			       "%s: none of the samples can be used for a heat map",
			       arguments->conversion.binary);
	warn_of_other_traces(arguments, conversion);
	heat_output_tell(arguments->conversion.binary, heat, stderr);
	return true;
}

/* Prints the figures of the profile.  Counts that were not converted have no figures. */
static bool print_figures(const struct perf2bolt_arguments *arguments,
			  struct conversion *conversion, FILE *out, struct bc_error *err)
{
	const struct density_options options = {
		arguments->density_cutoff,
		conversion->left_out,
		perf2bolt_is_strict(arguments, &conversion_binary(conversion)->image),
		&conversion->graphs,
		conversion->threads,
		NULL};
	struct density figures;

	if (conversion_wants(conversion, WANT_COUNTS))
		return true;
	if (!density_measure(&conversion->profile, &conversion->executed, &options, &figures, err))
		return false;
	perf2bolt_info_figures(arguments, &figures, out, stderr);
	return true;
}

/* Says, where nobody can miss it, that llvm-bolt will not use what is written, and what to do. */
static void warn_of_hashes(const struct perf2bolt_arguments *arguments,
			   const struct yaml_report *yaml, const struct bc_error *why)
{
	if (!yaml->unhashed || arguments->no_hashes)
		return;
	say_warning(
		stderr,
		"THE YAML HAS NO HASHES of %zu function%s with %.1f %% of the counts, and llvm-bolt will not optimize %s%s%s%s: "
		"give llvm-bolt the fdata, or perf2bolt %s-hashes=FILE, which 'batconv extract --hashes INPUT -o FILE' makes",
		yaml->unhashed, plural(yaml->unhashed),
		percent_of(yaml->unhashed_count, yaml->count), yaml->unhashed == 1 ? "it" : "them",
		why->code ? " (" : "", why->code ? why->text : "", why->code ? ")" : "",
		why->code ? "-llvm-bolt=PATH, or " : "");
}

/* Has llvm-bolt compute the hashes of a program that is not BOLTed, of the functions of the
 * profile.  Without them the YAML is written all the same: *why says why. */
static bool compute_hashes(const struct perf2bolt_arguments *arguments,
			   struct conversion *conversion, struct bc_error *why,
			   struct bc_error *err)
{
	const struct bolt_job job = {.llvm_bolt = arguments->llvm_bolt,
				     .program = arguments->conversion.binary,
				     .profile = &conversion->profile,
				     .strict = arguments->strict.is};

	if (!conversion_wants(conversion, WANT_YAML) || arguments->no_hashes ||
	    conversion_hashes(conversion) ||
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
	      heat_output_fill(&arguments->heat, heat, &conversion_binary(conversion)->functions,
			       files, err)))
		return false;
	if (arguments->only_heat)
		return true;
	if (!compute_hashes(arguments, conversion, &why, err) ||
	    !profile_output_open(output, files + HEAT_FILES, err) ||
	    !profile_output_fill(output, files + HEAT_FILES, conversion,
				 arguments->conversion.binary, &yaml, err))
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
		say_written(arguments, conversion, out);
	ok = ok && print_figures(arguments, conversion, out, err);
	if (ok && out == stdout && (fflush(out) || ferror(out))) {
		errno = sink_stdout_failed() ? sink_stdout_failed() : errno;
		ok = bc_fail_errno(err, "<stdout>: cannot write");
	}
	return output_end_all(files, BC_COUNT(files), ok, err);
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
	    run_conversion(arguments, &choice, &conversion, &heat, &name, out, &err) &&
	    check(arguments, &conversion, &heat, &err)) {
		bool told = say_read(arguments, &conversion, &heat, out, &err);
		summary_warnings(&summary, stderr);
		if (told && write_files(arguments, &conversion, &heat, out, &err))
			return EXIT_DONE;
	}
	fflush(stdout);
	operands_remember_conversion(line->command, &arguments->conversion);
	operands_explain(&conversion, &err);
	say_failure(stderr, &err);
	return EXIT_FAILED;
}
