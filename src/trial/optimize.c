/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/trial/optimize.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/output.h"
#include "src/base/say.h"

#define RISE_SHARE    0.001  /* of a count: a smaller rise is none, */
#define RISE_OF_INSN  100000 /* nor is one in so many instructions */
#define SLOW_TIMES    20     /* an instrumented run may take longer by */
#define COUNTED_TIMES 50     /* a counted run takes longer by */
#define FINDINGS      3      /* the exit code of a check that failed, of `quality` and `verify` */

/* ---- the verdict ---- */

enum count_change { FALLS, EVEN, RISES };

/* is: of counts that vary; NULL: each run would count the same. */
static enum count_change change_of(uint64_t before, uint64_t after, uint64_t instructions,
				   const struct ratio_estimate *is, double margin)
{
	double difference = (double)after - (double)before;

	if (is && is->low <= 1 && is->high >= 1)
		return EVEN;
	if (difference > RISE_SHARE * (double)before &&
	    difference > (double)instructions / RISE_OF_INSN)
		return RISES;
	return -difference >= margin * (double)before &&
			       -difference > (double)instructions / RISE_OF_INSN ?
		       FALLS :
		       EVEN;
}

enum optimize_verdict optimize_judge(const struct optimize_evidence *of)
{
	if (of->damaged)
		return VERDICT_DAMAGED;
	if (of->differs)
		return VERDICT_DIFFERS;
	if (of->timed && of->cpu.high < 1)
		return VERDICT_TIME;
	if (of->timed && of->cpu.low > 1)
		return VERDICT_SLOWER;
	if (!of->counted)
		return VERDICT_UNDECIDED;
	uint64_t instructions = of->before.instructions;
	enum count_change taken = change_of(of->before.taken, of->after.taken, instructions,
					    of->varies ? &of->taken : NULL, of->margin);
	enum count_change misses =
		change_of(of->before.line_misses, of->after.line_misses, instructions,
			  of->varies ? &of->line_misses : NULL, of->margin);
	return taken != RISES && misses != RISES && (taken == FALLS || misses == FALLS) ?
		       VERDICT_COUNTS :
		       VERDICT_NO_GAIN;
}

/* ---- the steps ---- */

struct attempt {
	const struct optimize_options *options;
	struct optimization *of;
	struct step_job *job;
	const char *program; /* a path that is no option */
	const char *name;    /* its last part */
	const char *sampled; /* what is sampled: the program, or what llvm-bolt made of it */
	const char *profile; /* that llvm-bolt takes */
	const char *samples; /* where its samples are; NULL: there are none */
	uint64_t round;      /* from 1 on */
};

static const char *in_folder(struct attempt *run, const char *name)
{
	return job_text(run->job, "%s/%s", run->of->job.folder, name);
}

/* The same of a round: "bolt", and of the second one "bolt2". */
static const char *of_round(struct attempt *run, const char *name, const char *end)
{
	return run->round < 2 ? job_text(run->job, "%s%s", name, end) :
				job_text(run->job, "%s%d%s", name, (int)run->round, end);
}

static void heading(struct attempt *run, const char *text)
{
	if (run->options->plan)
		fprintf(run->options->plan, "# %s\n", text);
}

/* The workload with this binary, after the words that the step has. */
static bool step_works(struct attempt *run, struct job_step *step, const char *binary,
		       struct bc_error *err)
{
	const struct workload *work = run->options->work;
	const struct template *measured = work->serve.count ? &work->serve : &work->command;
	const struct template *others[] = {&work->command, &work->ready};
	struct step_words *to[] = {&step->words, &step->ready};
	char **words = template_words(measured, binary);
	bool ok = words;

	if (ok)
		job_add_words(run->job, &step->words, words);
	template_free(words);
	if (work->serve.count) {
		step->serve = step->words;
		step->words = (struct step_words){0};
	}
	for (size_t i = 0; ok && work->serve.count && i < BC_COUNT(others); i++) {
		words = template_words(others[i], binary);
		ok = words;
		if (ok)
			job_add_words(run->job, to[i], words);
		template_free(words);
	}
	step->port = work->port;
	step->input = work->input;
	step->timeout = work->timeout;
	step->any_code = run->options->ignore_output;
	job_add(run->job, &step->reads, binary);
	return ok || bc_fail_nomem(err);
}

static bool try_workload(struct attempt *run, struct bc_error *err)
{
	struct job_step step = {.name = "workload", .about = "runs with the program"};

	heading(run, "the workload works");
	if (step_works(run, &step, run->program, err) && step_run(run->job, &step, err))
		return true;
	return bc_hint(
		err,
		"the workload has to work with %s, and to end with exit code 0, or --ignore-output is given",
		run->program);
}

static void bolt_begins(struct attempt *run, struct job_step *step)
{
	const char *path = run->options->llvm_bolt;

	if (!strchr(path, '/')) /* else it would be looked for in PATH */
		path = job_text(run->job, "./%s", path);
	job_add(run->job, &step->words, path, run->program);
	job_add(run->job, &step->reads, run->program);
}

/* -- samples: an instrumented copy -- */

static bool instrument(struct attempt *run, bool dumps, const char *copy, const char *counts,
		       struct bc_error *err)
{
	struct job_step step = {.name = dumps ? "instrument2" : "instrument",
				.about = dumps ? "a copy that counts, and writes each second" :
						 "a copy that counts"};
	char absolute[PATH_MAX];

	/* A server may work in another directory. */
	if (!realpath(run->of->job.folder, absolute) && !getcwd(absolute, sizeof(absolute)))
		return bc_fail_errno(err, "%s: cannot find its path", run->of->job.folder);
	const char *folder = run->of->job.folder;
	const char *file =
		!run->options->plan ? job_text(run->job, "%s/counts/profile", absolute) :
		*folder == '/'      ? job_text(run->job, "%s/counts/profile", folder) :
				      job_text(run->job, "%s/%s/counts/profile", absolute, folder);
	bolt_begins(run, &step);
	job_add(run->job, &step.words, "-o", copy, "-instrument",
		job_text(run->job, "-instrumentation-file=%s", file));
	if (dumps) /* all processes share the counters */
		job_add(run->job, &step.words, "-instrumentation-sleep-time=1",
			"-instrumentation-no-counters-clear");
	else
		job_add(run->job, &step.words, "-instrumentation-file-append-pid");
	job_add(run->job, &step.writes, in_folder(run, "instrumented/"));
	if (!step_run(run->job, &step, err))
		return false;
	struct job_step counting = {.name = dumps ? "count2" : "count",
				    .about = "the workload with the copy"};
	if (!step_works(run, &counting, copy, err))
		return false;
	counting.timeout *= SLOW_TIMES;
	job_add(run->job, &counting.writes, counts);
	return step_run(run->job, &counting, err);
}

static bool sample_instrumented(struct attempt *run, struct bc_error *err)
{
	const char *copy = in_folder(run, job_text(run->job, "instrumented/%s", run->name));
	const char *counts = in_folder(run, "counts/");
	struct job_step merge = {.name = "merge", .about = "the profile", .all_of = counts};
	bool plan = run->options->plan;

	heading(run, "a profile by an instrumented copy");
	if (!instrument(run, false, copy, counts, err))
		return false;
	/* A server that does not end by exit() writes nothing in the end. */
	if (!plan && !step_files(counts) && run->options->work->serve.count &&
	    !instrument(run, true, copy, counts, err))
		return false;
	if (!plan && !step_files(counts)) {
		bc_fail(err, BC_UNSUPPORTED,
			"%s: wrote no counts: the workload does not run it, or it does not end by exit()",
			copy);
		return bc_hint(err, "--how=basic samples the program as it is");
	}
	run->profile = in_folder(run, "profile.fdata");
	run->samples = NULL;
	job_add(run->job, &merge.words, STEP_SELF, "merge", "--no-progress", "-o", run->profile);
	job_add(run->job, &merge.reads, counts);
	job_add(run->job, &merge.writes, run->profile);
	if (!step_run(run->job, &merge, err))
		return false;
	struct job_step quality = {.name = "quality", .about = "what the profile covers"};
	job_add(run->job, &quality.words, STEP_SELF, "quality", "-o", in_folder(run, "quality.txt"),
		run->profile);
	job_add(run->job, &quality.reads, run->profile);
	job_add(run->job, &quality.writes, in_folder(run, "quality.txt"));
	return step_run(run->job, &quality, err);
}

/* -- samples of the kernel -- */

static void add_input(struct attempt *run, struct job_step *step)
{
	if (run->sampled == run->program)
		return;
	job_add(run->job, &step->words, job_text(run->job, "--input=%s", run->program));
	job_add(run->job, &step->reads, run->program);
}

static bool record_once(struct attempt *run, bool branches, bool again, struct bc_error *err)
{
	struct job_step step = {.name = of_round(run, "record", ""),
				.about = again ? "more samples" : "samples of the workload",
				.adds = again};

	job_add(run->job, &step.words, STEP_SELF, "record", "--no-progress", "--forward-exit",
		branches ? "--require-branches" : "--basic", "--bin", run->sampled, "-o",
		run->samples, "--");
	job_add(run->job, &step.writes, run->samples);
	return step_works(run, &step, run->sampled, err) && step_run(run->job, &step, err);
}

/* *enough: no more samples are needed. */
static bool ask_quality(struct attempt *run, bool *enough, struct bc_error *err)
{
	const char *text = in_folder(run, of_round(run, "quality", ".txt"));
	struct job_step step = {.name = of_round(run, "quality", ""),
				.about = "are there enough samples",
				.fails_by = FINDINGS,
				.adds = true};

	job_add(run->job, &step.words, STEP_SELF, "quality", "--enough", "-o", text);
	add_input(run, &step);
	job_add(run->job, &step.words, run->sampled, run->samples);
	job_add(run->job, &step.reads, run->sampled, run->samples);
	job_add(run->job, &step.writes, text);
	if (!step_run(run->job, &step, err))
		return false;
	*enough = run->options->plan || !step.code;
	return true;
}

static bool convert_samples(struct attempt *run, const char *samples, struct bc_error *err)
{
	struct job_step step = {.name = of_round(run, "convert", ""), .about = "the profile"};

	run->profile = in_folder(run, of_round(run, "profile", ".fdata"));
	job_add(run->job, &step.words, STEP_SELF, "convert", "--no-progress", "-o", run->profile);
	add_input(run, &step);
	job_add(run->job, &step.words, run->sampled, samples);
	job_add(run->job, &step.reads, run->sampled, samples);
	job_add(run->job, &step.writes, run->profile);
	return step_run(run->job, &step, err);
}

static bool sample_recorded(struct attempt *run, bool branches, struct bc_error *err)
{
	double end = seconds_now() + run->options->budget;
	bool enough = false;

	heading(run,
		branches ? "a profile by branch stacks; more recordings until quality is content" :
			   "a profile by basic samples; more recordings until quality is content");
	run->samples = in_folder(run, of_round(run, "samples", "/"));
	for (bool again = false; !enough && (!again || seconds_now() < end); again = true)
		if (!record_once(run, branches, again, err) || !ask_quality(run, &enough, err))
			return false;
	run->of->thin = !enough;
	return convert_samples(run, run->samples, err);
}

/* -- a profile that is there -- */

static bool carry_profile(struct attempt *run, const char *profile, struct bc_error *err)
{
	const char *old_build = job_path(run->job, run->options->profile_of);
	struct job_step step = {.name = "carry", .about = "the profile of the last build"};

	heading(run, "the profile of the last build, for this one");
	run->profile = in_folder(run, "profile.fdata");
	job_add(run->job, &step.words, STEP_SELF, "carry", "-o", run->profile, old_build,
		run->program, profile);
	job_add(run->job, &step.reads, old_build, run->program, profile);
	job_add(run->job, &step.writes, run->profile);
	return step_run(run->job, &step, err);
}

static bool take_profile(struct attempt *run, struct bc_error *err)
{
	const char *given = job_path(run->job, run->options->profile);

	if (run->options->profile_of)
		return carry_profile(run, given, err);
	run->profile = given;
	if (!run->options->profile_is_samples)
		return true;
	run->samples = given;
	heading(run, "the profile of these samples");
	return convert_samples(run, given, err);
}

/* -- one of these -- */

static bool sample(struct attempt *run, enum optimize_how how, struct bc_error *err)
{
	run->of->how = how;
	switch (how) {
	case HOW_INSTRUMENT: return sample_instrumented(run, err);
	case HOW_PROFILE: return take_profile(run, err);
	default: return sample_recorded(run, how == HOW_LBR, err);
	}
}

/* What can be had: branch stacks, else an instrumented copy, else basic samples.  llvm-bolt cannot
 * instrument what it wrote itself. */
static bool sample_anyhow(struct attempt *run, struct bc_error *err)
{
	const struct optimize_options *options = run->options;
	enum optimize_how sampled = options->branches ? HOW_LBR : HOW_BASIC;

	if (run->round > 1)
		return sample(run,
			      options->how == HOW_LBR || options->how == HOW_BASIC ? options->how :
										     sampled,
			      err);
	if (options->how != HOW_AUTO)
		return sample(run, options->how, err);
	if (sampled == HOW_LBR || !options->input.relocations)
		return sample(run, sampled, err);
	if (sample(run, HOW_INSTRUMENT, err))
		return true;
	if (err->code == BC_NOMEM || err->code == BC_EXISTS)
		return false;
	if (options->progress) {
		say_note(options->progress, "%s", err->text);
		say_note(options->progress, "basic samples are taken instead");
	}
	return sample(run, HOW_BASIC, err);
}

/* -- llvm-bolt, and what is checked -- */

static void add_bolt_options(struct attempt *run, struct job_step *step)
{
	const struct optimize_options *options = run->options;
	const struct bolt_input *input = &options->input;

	if (options->bolt_options) {
		job_add_words(run->job, &step->words, options->bolt_options);
	} else {
		job_add(run->job, &step->words, "-reorder-blocks=ext-tsp");
		if (input->relocations)
			job_add(run->job, &step->words,
				options->cdsort ? "-reorder-functions=cdsort" :
						  "-reorder-functions=hfsort+");
		if (input->relocations || input->machine != MACHINE_RISCV64)
			job_add(run->job, &step->words, "-split-functions");
	}
	if (input->debug == BOLT_DEBUG_PLAIN)
		job_add(run->job, &step->words, "-update-debug-sections");
}

static bool bolt(struct attempt *run, struct bc_error *err)
{
	struct job_step step = {.name = of_round(run, "bolt", ""),
				.about = "llvm-bolt with the profile"};
	const char *folder = of_round(run, "bolted", "");

	run->of->bolted = in_folder(run, job_text(run->job, "%s/%s", folder, run->name));
	heading(run, "the optimized program");
	bolt_begins(run, &step);
	job_add(run->job, &step.words, "-data", run->profile, "-o", run->of->bolted, "-enable-bat");
	add_bolt_options(run, &step);
	job_add(run->job, &step.reads, run->profile);
	job_add(run->job, &step.writes, in_folder(run, job_text(run->job, "%s/", folder)));
	return step_run(run->job, &step, err);
}

static bool verify(struct attempt *run, struct bc_error *err)
{
	const char *json = in_folder(run, "verify.json");
	struct job_step step = {.name = "verify",
				.about = "the table and unwinding",
				.fails_by = FINDINGS,
				.adds = true};

	job_add(run->job, &step.words, STEP_SELF, "verify",
		job_text(run->job, "--input=%s", run->program), "--unwind", "--fail-on=error",
		"--json", "-o", json, run->of->bolted);
	job_add(run->job, &step.reads, run->program, run->of->bolted);
	job_add(run->job, &step.writes, json);
	if (!step_run(run->job, &step, err))
		return false;
	run->of->evidence.damaged = step.code;
	return true;
}

static bool page(struct attempt *run, struct bc_error *err)
{
	const char *html = in_folder(run, "report.html");
	struct job_step step = {.name = "report", .about = "a page of the samples"};

	if (!run->samples)
		return true;
	job_add(run->job, &step.words, STEP_SELF, "report", "-o", html);
	add_input(run, &step);
	job_add(run->job, &step.words, run->sampled, run->samples);
	job_add(run->job, &step.reads, run->sampled, run->samples);
	job_add(run->job, &step.writes, html);
	return step_run(run->job, &step, err);
}

/* ---- the comparison ---- */

static void print_template(const char *option, const struct template *of, FILE *out)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	if (!words)
		return;
	print_shell_words(of->words, of->count, words);
	if (fclose(words) == 0) {
		fprintf(out, " %s=", option);
		print_shell_word(text, out);
	}
	free(text);
}

static void print_comparison(struct attempt *run)
{
	const struct optimize_options *options = run->options;
	const struct workload *work = options->work;
	FILE *out = options->plan;
	const char *const words[] = {"batconv",
				     "compare",
				     run->program,
				     run->of->bolted,
				     "--json",
				     "-o",
				     in_folder(run, "compare.json"),
				     "--page",
				     in_folder(run, "compare.html")};

	heading(run, "is it faster, and does it print the same?");
	print_shell_words(words, BC_COUNT(words), out);
	fprintf(out, " --budget=%g --margin=%g", options->budget, options->margin * 100);
	if (options->counts_always)
		print_template("--counted", &options->counts->command, out);
	if (options->ignore_output)
		fputs(" --ignore-output", out);
	if (work->input) {
		fputs(" --stdin=", out);
		print_shell_word(work->input, out);
	}
	if (work->serve.count) {
		print_template("--serve", &work->serve, out);
		if (work->port)
			fprintf(out, " --ready=tcp:%u", work->port);
		else
			print_template("--ready", &work->ready, out);
		print_template("--load", &work->command, out);
	} else {
		fputs(" -- ", out);
		print_shell_words(work->command.words, work->command.count, out);
	}
	fputs("\n# if it is kept\ncp ", out);
	print_shell_word(run->of->bolted, out);
	putc(' ', out);
	print_shell_word(options->output, out);
	putc('\n', out);
}

static void show_round(void *ctx, size_t rounds)
{
	FILE *out = ctx;

	fprintf(out, "\r\033[Kbatconv: %-11s round %zu ...", "compare", rounds);
}

/* Would counting both exceed the budget? */
static bool takes_too_long(const struct attempt *run)
{
	const struct contest *contest = &run->of->contest;

	return contest->rounds && 2.0 * (double)counted_runs_of(run->options->counts) *
						  COUNTED_TIMES * contest->at[0].cpu >
					  run->options->budget;
}

/* All that the ratio of two counts can be. */
static struct ratio_estimate range_of(uint64_t least_before, uint64_t most_before,
				      uint64_t least_after, uint64_t most_after)
{
	double low = (double)least_after / (double)(most_before ? most_before : 1);
	double high = (double)most_after / (double)(least_before ? least_before : 1);

	return (struct ratio_estimate){sqrt(low * high), low, high};
}

static void take_counts(const struct counted_runs *before, const struct counted_runs *after,
			struct optimize_evidence *evidence)
{
	evidence->counted = true;
	evidence->before = before->median;
	evidence->after = after->median;
	evidence->taken = range_of(before->least.taken, before->most.taken, after->least.taken,
				   after->most.taken);
	evidence->line_misses = range_of(before->least.line_misses, before->most.line_misses,
					 after->least.line_misses, after->most.line_misses);
}

/* The counts of both, in `evidence`; where they cannot be had, why. */
static bool count(struct attempt *run, const char *const paths[2], struct bc_error *err)
{
	const struct optimize_options *options = run->options;
	struct optimize_evidence *evidence = &run->of->evidence;
	struct counted_runs counts[2];
	struct contest *contest = &run->of->contest;

	if (options->progress)
		say(options->progress, "%-11s what both do, by valgrind", "count");
	for (size_t i = 0; i < 2; i++)
		if (!counted_runs(options->counts, paths[i], &counts[i], &run->of->refused)) {
			*err = run->of->refused;
			run->of->uncounted = run->of->refused.text;
			return err->code != BC_NOMEM;
		}
	if (counts[0].median.code !=
	    counts[1].median.code) { /* valgrind cannot run it, or its work ended early */
		bc_fail(&run->of->refused, BC_UNSUPPORTED,
			"under valgrind it ends with exit code %d, the program with %d",
			counts[1].median.code, counts[0].median.code);
		run->of->uncounted = run->of->refused.text;
		return true;
	}
	for (size_t i = 0; i < contest->count; i++)
		contest->at[i].counted = counts[i];
	contest->counted_runs = counted_runs_of(options->counts);
	take_counts(&counts[0], &counts[1], evidence);
	evidence->varies = contest->counted_runs > 1;
	return true;
}

static struct run_counts median_events(const struct contender *of)
{
	return (struct run_counts){
		.instructions = (uint64_t)of->events[COUNTED_INSTRUCTIONS].count,
		.taken = (uint64_t)of->events[COUNTED_TAKEN].count,
		.line_misses = (uint64_t)of->events[COUNTED_LINE_MISSES].count,
	};
}

/* What the processor counted, if it counted all that decides. */
static void take_events(const struct contest *contest, struct optimize_evidence *evidence)
{
	if (!contest->has_event[COUNTED_INSTRUCTIONS] || !contest->has_event[COUNTED_TAKEN] ||
	    !contest->has_event[COUNTED_LINE_MISSES])
		return;
	evidence->counted = evidence->varies = true;
	evidence->before = median_events(&contest->at[0]);
	evidence->after = median_events(&contest->at[1]);
	evidence->taken = contest->at[1].events[COUNTED_TAKEN].is;
	evidence->line_misses = contest->at[1].events[COUNTED_LINE_MISSES].is;
}

static bool compare(struct attempt *run, struct bc_error *err)
{
	const struct optimize_options *options = run->options;
	const char *const paths[] = {run->program, run->of->bolted};
	bool shows = options->progress && isatty(fileno(options->progress));
	struct trial_options trial = {.budget = options->budget,
				      .margin = options->margin,
				      .warm_up = 1,
				      .ignore_output = options->ignore_output,
				      .each_round = shows ? show_round : NULL,
				      .ctx = options->progress};
	struct optimize_evidence *evidence = &run->of->evidence;
	struct contest *contest = &run->of->contest;

	evidence->margin = options->margin;
	if (options->work->command.count) {
		bool ok = trial_run(options->work, paths, 2, &trial, contest, err);
		if (shows)
			fputs("\r\033[K", options->progress);
		if (!ok)
			return false;
		if (options->progress)
			say(options->progress, "%-11s %zu round%s: %.1f s", "compare",
			    contest->rounds, plural(contest->rounds), contest->seconds);
		evidence->differs = contest->at[1].differs;
		evidence->timed = contest->rounds;
		evidence->cpu = contest->at[1].cpu_is;
		if (evidence->timed)
			take_events(contest, evidence);
	}
	bool decided = evidence->timed && (evidence->cpu.high < 1 || evidence->cpu.low > 1);
	if (evidence->differs || ((decided || evidence->varies) && !options->counts_always))
		return true;
	if (!options->counts)
		run->of->uncounted = "--counted=COMMAND names what to count";
	else if (!options->counts_always && takes_too_long(run))
		run->of->uncounted =
			"it would take longer than the budget: --counted=COMMAND names a shorter workload, and --counted takes this one";
	else
		return count(run, paths, err);
	return true;
}

/* ---- the output ---- */

static bool copy(int from, const char *name, FILE *to, struct bc_error *err)
{
	char buffer[16384];
	ssize_t size;

	while ((size = read(from, buffer, sizeof(buffer))) > 0)
		fwrite(buffer, 1, (size_t)size, to); /* output_commit() knows if that failed */
	return size == 0 || bc_fail_errno(err, "%s: cannot read", name);
}

static bool write_output(const char *bolted, const char *path, struct bc_error *err)
{
	struct output output;
	struct stat st;
	int fd = open(bolted, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) != 0) {
		bc_fail_errno(err, "%s: cannot read", bolted);
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (!output_open(path, &output, err)) {
		close(fd);
		return false;
	}
	bool ok = copy(fd, bolted, output.file, err);
	close(fd);
	if (ok)
		output_take_mode(&output, &st, false);
	return output_end(&output, ok, err);
}

/* Before an hour of work: can a file be made there? */
static bool can_be_written(const char *path, struct bc_error *err)
{
	char *target = output_target(path);

	if (!target)
		return bc_fail(err, BC_IO, "%s: there is no such directory", path);
	char *slash = strrchr(target, '/');
	slash[slash == target] = 0; /* the root is a directory, too */
	bool ok = access(target, W_OK) == 0 || bc_fail_errno(err, "%s: cannot write there", path);
	free(target);
	return ok;
}

/* ---- all of it ---- */

static bool go(struct attempt *run, struct bc_error *err)
{
	const struct optimize_options *options = run->options;
	struct optimization *of = run->of;

	if (options->work->command.count && !try_workload(run, err))
		return false;
	for (run->round = 1; run->round <= options->rounds; run->round++) {
		if (!sample_anyhow(run, err) || !bolt(run, err))
			return false;
		if (run->round == options->rounds)
			break;
		run->sampled = of->bolted;
	}
	heading(run, "is it sound?");
	if (!verify(run, err) || !page(run, err))
		return false;
	if (options->plan) {
		print_comparison(run);
		return true;
	}
	if (!of->evidence.damaged && !compare(run, err))
		return false;
	of->verdict = optimize_judge(&of->evidence);
	of->kept = options->keep || of->verdict == VERDICT_TIME || of->verdict == VERDICT_COUNTS;
	return !of->kept || write_output(of->bolted, options->output, err);
}

bool optimize(const struct optimize_options *options, struct optimization *out,
	      struct bc_error *err)
{
	struct attempt run = {.options = options, .of = out, .job = &out->job};

	*out = (struct optimization){.job = {.plan = options->plan, .progress = options->progress}};
	out->job.folder = job_path(&out->job, options->folder);
	run.program = run.sampled = job_path(&out->job, options->program);
	const char *slash = strrchr(run.program, '/');
	run.name = slash ? slash + 1 : run.program;
	return (options->plan || can_be_written(options->output, err)) &&
	       job_open(&out->job, err) && go(&run, err);
}

void optimize_free(struct optimization *of)
{
	trial_free(&of->contest);
	job_close(&of->job);
}
