/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/error.h"
#include "src/base/output.h"
#include "src/base/parallel.h"
#include "src/base/vec.h"
#include "src/carry/carry.h"
#include "src/cli/operands.h"
#include "src/cli/perf2bolt.h"
#include "src/flow/profile_output.h"
#include "src/cli/progress.h"
#include "src/cli/sample_options.h"
#include "src/cli/options.h"
#include "src/base/say.h"
#include "src/figures/summary.h"
#include "src/profile/fdata.h"
#include "src/flow/conversion.h"
#include "src/elf/binary.h"

struct arguments {
	struct conversion_options conversion;
	struct profile_output output;
	const char *stats_file;
	enum stats_form stats;
	const char *compiled;   /* of --from-compiler */
	const char *next_build; /* of --for */
	bool verbose, quiet, sandbox, no_input;
	struct number restore; /* as in struct profile_rules */
	struct pid_vec pids;
	struct words debug_dirs;
	struct map_file_vec maps;
	struct binary_vec binaries; /* of --bin; empty: the first operand */
	struct words inputs;        /* of --input: with --bin as BIN=INPUT */
	struct words hashes;        /* of --hashes, likewise */
	struct bc_error wrong;      /* with --bin */
	enum progress_mode progress;
};

/* ---- the command line ---- */

static bool restore_rule_parse(struct text word, unsigned *bits)
{
#define X(name, key, text) key,
	static const char *const words[] = {RESTORE_RULES(X)};
#undef X

	if (text_is(word, "all")) {
		*bits |= RESTORE_ALL;
		return true;
	}
	for (unsigned i = 0; i < BC_COUNT(words); i++)
		if (text_is(word, words[i])) {
			*bits |= RESTORE_BIT(i);
			return true;
		}
	return false;
}

static const char *read_restore(struct command_line *line, const struct option_row *row,
				const char *value)
{
	struct number *restore = option_field(line, row);
	unsigned bits = 0;

	for (struct text rest = text_of(value); strcmp(value, "none") != 0;) {
		size_t comma = text_find(rest, ',');
		if (!restore_rule_parse(text_first(rest, comma), &bits))
			return OPTION_WRONG;
		if (comma == rest.len)
			break;
		rest = text_from(rest, comma + 1);
	}
	*restore = (struct number){true, bits};
	return NULL;
}

static bool parse_time(struct text value, uint64_t *out)
{
	return !value.len || time_parse(value, out);
}

static const char *read_interval(struct command_line *line, const struct option_row *row,
				 const char *value)
{
	struct filter *out = option_field(line, row);
	struct text text = text_of(value);
	size_t comma = text_find(text, ',');
	bool ok = comma < text.len && parse_time(text_first(text, comma), &out->from_ns) &&
		  parse_time(text_from(text, comma + 1), &out->to_ns) &&
		  (!out->to_ns || out->from_ns < out->to_ns);

	return ok ? NULL : OPTION_WRONG;
}

static const char *read_binary(struct command_line *line, const struct option_row *row,
			       const char *value)
{
	struct arguments *args = line->arguments;

	(void)row;
	if (!args->wrong.code)
		(void)!binaries_add(&args->binaries, value, &args->wrong);
	return NULL;
}

#define X(name, key, text)     "," key
#define SHOWN(name, key, text) " " key
static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write the profile to FILE (default: stdout)",
	 INTO(output.path)},
	{0, "format", "FORMAT:fdata,yaml,preagg,profgen", NO_FILE,
	 "output format: fdata (default), yaml (with block hashes),\npreagg (raw counts, to convert or merge later), or profgen\n"
	 "(for llvm-profgen --unsymbolized-profile: a compiler profile)",
	 INTO(output.format)},
	{0, "shard", NULL, NO_FILE,
	 "write raw counts as a shard for 'batconv merge':\ncompressed, with checksum, build identity and totals",
	 INTO(output.shard)},
	{'w', "yaml", "FILE", FILE_WRITTEN, "write the profile as YAML to FILE, in addition to -o",
	 INTO(output.yaml)},
	{0, "profgen", "FILE", FILE_WRITTEN,
	 "write a profile for llvm-profgen to FILE, in addition to\n-o; for a BOLTed binary this needs --input",
	 INTO(output.profgen), .of_samples = true},
	{0, "profile-write-pseudo-probes", NULL, NO_FILE,
	 "write pseudo-probes into YAML (clang\n-fpseudo-probe-for-profiling), with --input those of INPUT",
	 INTO(output.probes)},
	{0, "hashes", "FILE", FILE_READ,
	 "for YAML: take BOLT's hashes from FILE, which 'extract\n--hashes' or 'llvm-bolt -enable-bat' made of the same\n"
	 "input. With --bin: BIN=FILE",
	 INTO(hashes)},
	YAML_FOR_ROW(output.yaml_for),
	{0, "without-hashes", NULL, NO_FILE,
	 "allow YAML without hashes for a binary that is not\nBOLTed; llvm-bolt cannot match it",
	 INTO(output.without_hashes)},
	{0, "input", "INPUT", FILE_READ,
	 "the binary that llvm-bolt read, to undo llvm-bolt's changes\nand infer branches of basic samples. With --bin: BIN=INPUT",
	 INTO(inputs), .place = PLACE_INPUT, .of_samples = true},
	NO_INPUT_ROW,
	{0, "for", "NEW", FILE_READ,
	 "carry the profile on to NEW, the next build, as carry does\n(fdata only; with the input of a BOLTed binary)",
	 INTO(next_build), .of_samples = true},
	{0, "bin", "FILE", FILE_READ,
	 "convert for this binary. Repeatable; every operand is\nthen a sample file and -o a directory. If FILE is a\n"
	 "directory: every binary below it that has a BAT section",
	 INTO_BY(binaries, read_binary), .place = PLACE_BINARY, .of_samples = true},
	IMAGE_ROW,
	CODE_DIR_ROW,
	FROM_COMPILER_ROWS,
	INPUT_FORMAT_ROW,
	{0, "pid", "PID,...", NO_FILE, "use only samples and traces of these processes",
	 INTO_BY(pids, option_pids), .takes = PIDS_TAKES, .of_samples = true},
	{0, "event", "NAME:" EVENT_NAMES, NO_FILE,
	 "use only samples of this event, named as in perf; cycles\nalso matches cycles:u if it is the only such event",
	 INTO(conversion.aggregate.filter.event), .of_samples = true},
	{0, "time", "FROM,TO", NO_FILE,
	 "use only samples in this interval; FROM or TO may be empty;\n" TIME_HELP,
	 INTO_BY(conversion.aggregate.filter, read_interval),
	 .takes = "two times, such as 12.5,20.25 or 12500ms,21s", .of_samples = true},
	{0, "max-samples", "N", NO_FILE, "use only the first N samples of each input",
	 INTO(conversion.aggregate.filter.most), .takes = "a number from 1 on", .least = 1,
	 .of_samples = true},
	BASIC_ROW,
	{0, "maps", "FILE", FILE_READ,
	 "memory maps of processes for which the samples have none:\n.bcmaps, text of /proc/PID/maps, or a recording; repeatable",
	 INTO_BY(maps, option_maps), .place = PLACE_MAPS, .of_samples = true},
	NEW_RECORDING_ROW,
	{0, "ignore-build-id", NULL, NO_FILE, "match mappings to the binary by name alone",
	 INTO(conversion.ignore_build_id), .of_samples = true},
	{0, "force", NULL, NO_FILE, "convert even if the samples are of another build",
	 INTO(conversion.force), .of_samples = true},
	{0, "restore", "RULE,...:none,all" RESTORE_RULES(X), NO_FILE,
	 "undo effects of llvm-bolt on the profile: none, all\n(default), or of these, with commas (see batconv(1)):\n" RESTORE_RULES_OF_TABLE(
		 SHOWN) "\nand with --input:\n" RESTORE_RULES_OF_INPUT(SHOWN),
	 INTO_BY(restore, read_restore), .takes = "none, all, or names of rules with commas",
	 .of_samples = true},
	{0, "no-infer", NULL, NO_FILE,
	 "do not infer branches from basic samples; write addresses\n(docs/inference.md)",
	 INTO_BY(conversion.aggregate.rules.infer, option_unset), .of_samples = true},
	{0, "impute-fall-throughs", NULL, NO_FILE,
	 "estimate the fall-through after the newest branch of each\nstack from other stacks with the same branch",
	 INTO(conversion.aggregate.impute), .of_samples = true},
	{0, "keep-newest", NULL, NO_FILE,
	 "x86-64: keep the two newest entries of 32-deep stacks,\n"
	 "which an Intel Skylake erratum makes unreliable",
	 INTO_BY(conversion.aggregate.erratum, option_unset), .of_samples = true},
	{0, "compat", "PROGRAM:perf2bolt", NO_FILE,
	 "perf2bolt: match perf2bolt 22 line for line, except where\nperf2bolt is wrong",
	 INTO_BY(conversion.as_perf2bolt, option_keyword), .of_samples = true},
	STATS_ROW,
	STATS_FILE_ROW,
	PROGRESS_ROWS(", for long runs"),
	QUIET_ROW("print only errors, no summary"),
	VERBOSE_ROW,
	THREADS_ROW(conversion.threads),
	{0, "sandbox", NULL, NO_FILE,
	 "before reading any input, drop the rights to run programs,\nuse the network, and write outside the output directories,\n"
	 "as far as the kernel supports it",
	 .read = option_sandbox},
	COMMON_ROWS,
};
static const struct option_group groups[] = {
	{"output", "profile"},
	{"input", "binaries"},
	{"input-format", "samples"},
	{"restore", "what the profile says"},
	{"stats", "messages"},
	{"threads", "run"},
	{0},
};
#undef SHOWN
#undef X

/* Returns what follows BIN=, where BIN is the path of a binary or the name of its profile; else
 * NULL. */
static const char *value_behind(const char *word, const struct named_binary *binary)
{
	const char *const names[] = {binary->path, binary->name};

	for (size_t i = 0; i < BC_COUNT(names); i++) {
		size_t length = strlen(names[i]);
		if (!strncmp(word, names[i], length) && word[length] == '=')
			return word + length + 1;
	}
	return NULL;
}

/* For one binary the last one counts. */
static const char *value_of(const struct words *values, const struct named_binary *binary)
{
	const char *found = NULL;

	for (size_t i = 0; i < values->len; i++) {
		const char *value = value_behind(values->at[i], binary);
		found = value ? value : found;
	}
	return found;
}

static const char *input_of(const struct arguments *args, const struct named_binary *binary)
{
	return value_of(&args->inputs, binary);
}

static const char *hashes_of(const struct arguments *args, const struct named_binary *binary)
{
	return value_of(&args->hashes, binary);
}

/* Returns a value that belongs to none of several binaries, or NULL. */
static const char *unused_value(const struct arguments *args, const struct words *values)
{
	for (size_t i = 0; i < values->len; i++) {
		bool used = false;
		for (size_t k = 0; k < args->binaries.len; k++)
			used |= value_behind(values->at[i], &args->binaries.at[k]) != NULL;
		if (!used)
			return values->at[i];
	}
	return NULL;
}

static int check_from_compiler(const struct command_line *line, struct arguments *args)
{
	if (args->compiled && args->output.format == FORMAT_PROFGEN)
		return usage_error(
			line->command,
			"--from-compiler makes a profile for llvm-bolt, not --format=profgen: the compiler has these counts already",
			NULL);
	return compiler_in_place_of_samples(line, args->compiled, &args->debug_dirs,
					    &args->conversion);
}

/* Reads the operands.  With --bin, the first one is samples, too: the binary is no operand. */
static int read_operands(const struct command_line *line, struct arguments *args)
{
	const struct command *command = line->command;
	const struct words *operands = &line->operands;
	bool many = args->binaries.len || args->wrong.code;
	size_t first = !many;

	if (many && (args->output.yaml || args->output.profgen || args->stats_file ||
		     args->conversion.image_name))
		return usage_error(command,
				   "--bin excludes -w, --profgen, --stats-file and --image", NULL);
	bool named = many && !args->wrong.code;
	const char *input = named ? unused_value(args, &args->inputs) : NULL;
	const char *hashes = named ? unused_value(args, &args->hashes) : NULL;
	if (hashes)
		return usage_error(
			command,
			"with --bin, --hashes takes BIN=FILE, where BIN is one of them, not",
			hashes);
	if (input)
		return usage_error(
			command,
			"with --bin, --input takes BIN=INPUT, where BIN is one of them, not",
			input);
	if (many && !args->output.path)
		return usage_error(command, "--bin needs a directory for the profiles: -o DIR",
				   NULL);
	if (!many && !operands->len)
		return usage_error(command, "no binary given", NULL);
	if (!many && operands->len == 1 && strcmp(line->called, command->name) &&
	    access(operands->at[0], F_OK) != 0)
		return usage_error(NULL, "neither a command nor a file:", operands->at[0]);
	if (operands->len <= first)
		return usage_error(command, "no samples given for",
				   many ? "--bin" : operands->at[0]);
	args->conversion.binary = many ? NULL : operands->at[0];
	args->conversion.samples = operands->at + first;
	args->conversion.sample_count = operands->len - first;
	return EXIT_DONE;
}

static bool profile_path(const struct arguments *args, const struct named_binary *binary,
			 char *path, size_t size)
{
	int length = snprintf(path, size, "%s/%s.%s%s", args->output.path, binary->name,
			      profile_format_name(args->output.format),
			      args->output.shard ? ".zst" : "");

	return length >= 0 && (size_t)length < size;
}

/* Checks that no profile replaces an input.  With --bin, the check of the command line could not:
 * the profiles are named after the binaries, which are known only now. */
static bool profiles_are_apart(const struct arguments *args, struct bc_error *err)
{
	BC_AUTO(named_files_free) struct named_files files = {0};
	char path[PATH_MAX];
	bool ok = true;

	for (size_t i = 0; ok && i < args->binaries.len; i++) {
		const struct named_binary *binary = &args->binaries.at[i];
		const char *input = input_of(args, binary), *hashes = hashes_of(args, binary);
		ok = files_add(&files, "--bin", FILE_READ, binary->path) &&
		     (!input || files_add(&files, "--input", FILE_READ, input)) &&
		     (!hashes || files_add(&files, "--hashes", FILE_READ, hashes)) &&
		     (!profile_path(args, binary, path, sizeof(path)) ||
		      files_add_another(&files, "-o", path));
	}
	for (size_t i = 0; ok && i < args->maps.len; i++)
		ok = files_add(&files, "--maps", FILE_READ, args->maps.at[i].path);
	for (size_t i = 0; ok && i < args->conversion.sample_count; i++)
		ok = files_add(&files, OPERAND, FILE_READ, args->conversion.samples[i]);
	return ok ? files_are_apart(&files, err) : bc_fail_nomem(err);
}

/* What --for excludes. */
static int check_next_build(const struct command_line *line, const struct arguments *args)
{
	const struct profile_output *output = &args->output;

	if (!args->next_build)
		return EXIT_DONE;
	if (output->format != FORMAT_FDATA || output->yaml || output->profgen)
		return usage_error(
			line->command,
			"--for writes fdata, not YAML, raw counts or a profile for llvm-profgen",
			NULL);
	if (args->binaries.len || args->wrong.code)
		return usage_error(line->command, "--for and --bin exclude each other", NULL);
	if (!args->conversion.aggregate.rules.infer)
		return usage_error(
			line->command,
			"--for needs branches, which --no-infer and --compat=perf2bolt do not infer",
			NULL);
	return EXIT_DONE;
}

static void prepare(struct command_line *line)
{
	struct arguments *args = line->arguments;

	args->conversion.aggregate.erratum = true;
	args->conversion.aggregate.rules = best_rules;
}

/* Which options exclude each other, or need another one. */
static int check_output(const struct command_line *line, struct arguments *args)
{
	if (args->inputs.len && args->no_input)
		return usage_error(line->command, BOTH_INPUTS, NULL);
	if (args->output.shard &&
	    (args->output.format == FORMAT_YAML || args->output.format == FORMAT_PROFGEN))
		return usage_error(
			line->command,
			"--shard writes pre-aggregated records, not --format=yaml or profgen",
			NULL);
	if (args->output.shard)
		args->output.format = FORMAT_PREAGG;
	if (args->inputs.len && args->output.format == FORMAT_PREAGG)
		return usage_error(
			line->command,
			"raw counts (--shard, --format=preagg) are those of the binary that ran; --input is for their conversion to a profile",
			NULL);
	if (args->output.yaml && args->output.format == FORMAT_PREAGG)
		return usage_error(line->command,
				   "-w writes a profile, and --format=preagg makes none", NULL);
	if (args->output.probes && !args->output.yaml && args->output.format != FORMAT_YAML)
		return usage_error(
			line->command,
			"--profile-write-pseudo-probes is for YAML: -w FILE or --format=yaml",
			NULL);
	if ((args->hashes.len || args->output.without_hashes) && !args->output.yaml &&
	    args->output.format != FORMAT_YAML)
		return usage_error(
			line->command,
			"--hashes and --without-hashes are for YAML: -w FILE or --format=yaml",
			NULL);
	if (args->output.yaml_for && !args->output.yaml && args->output.format != FORMAT_YAML)
		return usage_error(line->command,
				   "--yaml-for is for YAML: -w FILE or --format=yaml", NULL);
	if (args->hashes.len && args->output.without_hashes)
		return usage_error(line->command,
				   "--hashes and --without-hashes exclude each other", NULL);
	return EXIT_DONE;
}

/* With -w or --profgen and without -o nothing goes to stdout: the file that was named is the
 * profile. */
static void write_named_files_only(struct profile_output *output)
{
	const char **named = output->yaml ? &output->yaml : &output->profgen;

	if (output->path || output->format != FORMAT_FDATA || !*named)
		return;
	output->format = output->yaml ? FORMAT_YAML : FORMAT_PROFGEN;
	output->path = *named;
	*named = NULL;
}

static int check(struct command_line *line)
{
	struct arguments *args = line->arguments;
	struct conversion_options *conversion = &args->conversion;
	struct filter *filter = &conversion->aggregate.filter;
	struct bc_error conflict;

	args->stats = stats_if_quiet(args->stats, args->quiet);
	conversion->any_code = conversion->force;
	if (conversion->as_perf2bolt)
		conversion->aggregate.rules = (struct profile_rules){0};
	if (args->restore.given)
		conversion->aggregate.rules.restore = (unsigned)args->restore.is;
	conversion->find_input = input_is_sought(args->no_input) && !conversion->as_perf2bolt;
	if (args->inputs.len)
		conversion->input = args->inputs.at[args->inputs.len - 1];
	if (args->hashes.len)
		conversion->hash_file = args->hashes.at[args->hashes.len - 1];
	conversion->debug = (struct debug_dirs){args->debug_dirs.at, args->debug_dirs.len};
	int code = check_output(line, args);
	if (code == EXIT_DONE)
		code = check_next_build(line, args);
	if (code == EXIT_DONE)
		code = check_from_compiler(line, args);
	if (code == EXIT_DONE && !args->compiled)
		code = read_operands(line, args);
	if (code == EXIT_DONE)
		code = new_recordings(line, conversion->binary && !args->compiled);
	if (code != EXIT_DONE)
		return code;
	conversion->new_recording = line->begins;
	if (!conversion->binary && !profiles_are_apart(args, &conflict))
		return files_refuse(line->command, &conflict);
	filter->pids = args->pids.at;
	filter->pid_count = args->pids.len;
	assert(conversion->threads <= PARALLEL_MOST &&
	       (!filter->to_ns || filter->from_ns < filter->to_ns));
	assert(args->binaries.len || args->wrong.code || conversion->binary);
	write_named_files_only(&args->output);
	profile_output_prepare(&args->output, conversion);
	if ((args->stats != STATS_NONE || args->stats_file) && !args->next_build)
		conversion->wants |= WANT_DOUBTS;
	return EXIT_DONE;
}

static void free_arguments(void *arguments)
{
	struct arguments *args = arguments;

	pid_vec_free(&args->pids);
	map_file_vec_free(&args->maps);
	binaries_free(&args->binaries);
}

/* ---- the next build ---- */

/* The profile of --for. */
struct next_build {
	struct carry_build old_build, new_build;
	struct carried_counts carried;
	struct profile profile;
	struct carry_report report;
};

static bool carry_on(const struct arguments *args, const struct conversion *c,
		     struct next_build *next, struct bc_error *err)
{
	BC_AUTO(flat_free) struct flat_profile profile = {0};
	const char *old_path = c->options.input ? c->options.input : c->options.binary;
	const struct carry_job job = {&next->old_build, &next->new_build, &profile, false,
				      c->threads};

	if (!flat_take(&c->profile, &profile, err))
		return false;
	if (!carry_build_open(old_path, &next->old_build, err))
		return err->code == BC_UNSUPPORTED && !c->options.input ?
			       bc_hint(err, "name it: --input=INPUT") :
			       false;
	if (!carry_build_open(args->next_build, &next->new_build, err) ||
	    !carry(&job, &next->profile, &next->carried, err))
		return false;
	next->report = (struct carry_report){&next->carried, old_path, args->next_build,
					     args->output.path, &next->profile};
	return true;
}

static void next_build_close(struct next_build *next)
{
	profile_free(&next->profile);
	carry_build_close(&next->old_build);
	carry_build_close(&next->new_build);
}

/* ---- the files ---- */

/* The summary's file gets its name before the profile does. */
enum { FILE_STATS, FILE_PROFILE, FILE_COUNT = FILE_PROFILE + PROFILE_FILES };

static bool open_files(const struct arguments *args, bool refused, struct output *files,
		       struct bc_error *err)
{
	return (!args->stats_file || output_open(args->stats_file, &files[FILE_STATS], err)) &&
	       (refused || profile_output_open(&args->output, &files[FILE_PROFILE], err));
}

static bool fill_profile(const struct arguments *args, const struct summary *summary,
			 const struct output *files, struct yaml_report *yaml, struct bc_error *err)
{
	const struct conversion *c = summary->conversion;

	return summary->next ?
		       fdata_write_profile(summary->next->profile, &(struct fdata_header){0},
					   c->threads, files[PROFILE_ITSELF].file, err) :
		       profile_output_fill(&args->output, files, c, c->options.binary, yaml, err);
}

static bool fill_files(const struct arguments *args, struct summary *summary,
		       const struct output *files, struct yaml_report *yaml, struct bc_error *err)
{
	if (!summary->refusal) {
		if (!fill_profile(args, summary, &files[FILE_PROFILE], yaml, err))
			return false;
		summary->output = args->output.path ? args->output.path : "-";
		summary->format =
			args->output.shard ? NULL : profile_format_name(args->output.format);
		summary->yaml = conversion_wants(summary->conversion, WANT_YAML) ? yaml : NULL;
	}
	if (files[FILE_STATS].file)
		summary_json(summary, files[FILE_STATS].file);
	return true;
}

/* Writes all files or none: each is opened and written before the first one gets its name.  If the
 * samples are refused, only the summary is written. */
static bool write_files(const struct arguments *args, struct summary *summary,
			struct yaml_report *yaml, struct bc_error *err)
{
	struct output files[FILE_COUNT] = {0};

	bool ok = open_files(args, summary->refusal, files, err) &&
		  fill_files(args, summary, files, yaml, err);
	return output_end_all(files, FILE_COUNT, ok, err);
}

/* The summary as JSON contains the warnings and the error: stderr has nothing else then.  As text,
 * an error comes alone: what was read before it is for --verbose. */
static void tell(const struct arguments *args, const struct summary *summary)
{
	bool nothing_read = summary->refusal && !summary->conversion->inputs.len;
	bool text = args->stats == STATS_TEXT;

	if (args->stats == STATS_JSON) {
		summary_json(summary, stderr);
		return;
	}
	if (!summary->refusal || args->verbose) {
		if (text && !nothing_read)
			summary_text(summary, args->verbose, stderr);
		summary_warnings(summary, stderr);
	}
	if (summary->refusal) {
		say_failure(stderr, summary->refusal);
	} else if (text) {
		summary_doubts(summary, stderr);
		summary_next(summary, stderr);
	}
}

/* next: NULL where the profile is not carried. */
static int finish(const struct arguments *args, const struct conversion *conversion,
		  const struct carry_report *next, bool converted, const struct bc_error *why)
{
	bool refused = !converted && why->code == BC_MISMATCH;
	struct yaml_report yaml = {0};
	struct stability stability;
	struct bc_error err, refusal = *why;
	struct summary summary = {.conversion = conversion,
				  .refusal = refused ? &refusal : NULL,
				  .maps = &args->maps,
				  .next = converted ? next : NULL};

	if (!converted && !refused)
		return fail(why);
	if (converted && !gain_of_halves(conversion, NULL, &stability, &summary.gain, &err))
		return fail(&err);
	if (refused && !args->verbose)
		summary_add_cause(&summary, &refusal);
	if (!write_files(args, &summary, &yaml, &err))
		return fail(&err);
	tell(args, &summary);
	if (refused)
		return EXIT_CHECK_FAILED;
	return conversion->partial ? EXIT_PARTIAL : EXIT_DONE;
}

/* Is called before the first input is opened. */
static void enter_sandbox(const struct arguments *args)
{
	const char *const outputs[] = {args->output.path, args->output.yaml, args->output.profgen,
				       args->stats_file};

	if (!args->sandbox)
		return;
	struct sandbox sandbox = sandbox_enter(outputs, BC_COUNT(outputs));
	if (args->stats == STATS_JSON)
		return; /* nothing may be on stderr except the summary as JSON */
	sandbox_tell(&sandbox, sandbox_writes(outputs, BC_COUNT(outputs)));
	if (args->verbose)
		say(stderr, "sandbox: Landlock %s, seccomp %s", sandbox.landlock ? "yes" : "no",
		    sandbox.calls == CALLS_LISTED ? "yes" : "no");
}

/* Reads the files of --maps, which must be known before the first sample. */
static bool read_maps(struct arguments *args, struct snapshots *maps, struct bc_error *err)
{
	if (!args->maps.len)
		return true;
	args->conversion.maps = maps;
	return maps_option_read(&args->maps, maps, err);
}

static int run_one(struct arguments *args, struct progress *progress)
{
	BC_AUTO(snapshots_free) struct snapshots maps = {0};
	BC_AUTO(conversion_free) struct conversion conversion = {0};
	BC_AUTO(next_build_close) struct next_build next = {0};
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
	else if (args->next_build)
		converted = carry_on(args, &conversion, &next, &err);
	int code =
		finish(args, &conversion, args->next_build ? &next.report : NULL, converted, &err);
	if (!converted && conversion.unread && err.code != BC_NOMEM && args->verbose)
		operands_tell_bad(&conversion.options, conversion.unread, stderr);
	return code;
}

/* Writes the profile of one binary into the directory, under the name of the binary.  A binary that
 * was found in a directory and did not run is no failure: the user did not name it. */
static int finish_one(const struct arguments *all, const struct named_binary *binary,
		      struct conversion_one *one)
{
	char path[PATH_MAX];
	struct arguments args = *all;

	const struct image_report *seen = &one->conversion.aggregate.space.report;
	if (one->failed && binary->found && one->err.code == BC_MISMATCH &&
	    seen->processes == seen->mistaken) {
		if (args.verbose && args.stats != STATS_JSON)
			say(stderr, "%s: did not run", binary->path);
		return EXIT_DONE;
	}
	if (!profile_path(all, binary, path, sizeof(path))) {
		say_error(stderr, "%s: too long a path for a profile", binary->name);
		return EXIT_FAILED;
	}
	args.output.path = path;
	return finish(&args, &one->conversion, NULL, !one->failed, &one->err);
}

/* The samples could not be read, which one message shows for all binaries. */
static bool is_told_once(const struct conversion_one *one)
{
	return one->unread && one->err.code != BC_MISMATCH;
}

/* Returns the worse one of two exit codes. */
static int worse(int a, int b)
{
	static const int order[] = {EXIT_FAILED, EXIT_CHECK_FAILED, EXIT_PARTIAL};

	for (size_t i = 0; i < BC_COUNT(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return EXIT_DONE;
}

static bool any_converted(const struct conversion_one *ones, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!ones[i].failed)
			return true;
	return false;
}

static int run_many(struct arguments *args, struct progress *progress)
{
	BC_AUTO(snapshots_free) struct snapshots maps = {0};
	size_t count = args->binaries.len;
	unsigned threads = args->conversion.threads ? args->conversion.threads : parallel_threads();
	struct conversion_one *ones = calloc(count + 1, sizeof(*ones));
	struct bc_error err = {0};
	int code = EXIT_DONE;
	bool made;

	if (!ones || !output_folder_make(args->output.path, &made, &err)) {
		if (!ones)
			bc_fail_nomem(&err);
		say_failure(stderr, &err);
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
		options->one_of_many = count > 1;
		options->input = input_of(args, &args->binaries.at[i]);
		options->hash_file = hashes_of(args, &args->binaries.at[i]);
		options->threads = threads > count ? threads / (unsigned)count : 1;
		ones[i].conversion.partial = maps_option_partial(&args->maps);
	}
	size_t unread = conversion_run_many(ones, count);
	progress_clear(progress);
	for (size_t i = 0; i < count; i++) {
		bool told = i && is_told_once(&ones[i]) && is_told_once(&ones[i - 1]);
		code = worse(code, told ? EXIT_FAILED :
					  finish_one(args, &args->binaries.at[i], &ones[i]));
		conversion_free(&ones[i].conversion);
	}
	if (unread && args->verbose)
		operands_tell_bad(&args->conversion, unread, stderr);
	if (code == EXIT_DONE && !any_converted(ones, count)) {
		say_error(stderr, "none of the binaries ran");
		say_hint(stderr, "run: batconv inspect %s", args->conversion.samples[0]);
		code = EXIT_CHECK_FAILED;
	}
	/* If no profile was written, the directory that was made for them goes, too.  rmdir()
	 * leaves a directory alone that contains a profile. */
	if (made && (code == EXIT_FAILED || code == EXIT_CHECK_FAILED))
		(void)rmdir(args->output.path);
	free(ones);
	return code;
}

static int run_convert(struct command_line *line)
{
	struct arguments *args = line->arguments;
	struct progress progress;

	args->sandbox = line->sandbox;
	if (args->wrong.code) {
		say_failure(stderr, &args->wrong);
		return EXIT_FAILED;
	}
	args->conversion.progress = progress_begin(
		&progress, args->stats == STATS_NONE ? PROGRESS_NEVER : args->progress,
		args->conversion.samples, args->conversion.sample_count);
	return args->conversion.binary ? run_one(args, &progress) : run_many(args, &progress);
}

const struct command convert_command = {
	.name = "convert",
	.args = "[OPTION]... OPTIMIZED SAMPLES...",
	.help = "write the profile of the input binary from samples of the optimized one\n\n"
		"OPTIMIZED is the binary that was sampled: from 'llvm-bolt --enable-bat', or not yet\n"
		"BOLTed.  SAMPLES are perf.data, text of perf script (with --show-mmap-events\n"
		"--show-task-events -F pid,ip,brstack) or pre-aggregated records; '-' is stdin.\n"
		"They have LBR (branch stacks) or addresses only (basic samples).\n"
		"A directory means the shards in it that are of OPTIMIZED's code.\n"
		"Traces of Intel PT, Arm ETM, ETE or SPE in perf.data are decoded without perf.\n"
		"The profile is BOLT's fdata or YAML, for: llvm-bolt INPUT -data PROFILE ...\n"
		"Exit code 3: the samples are of another binary or build, or none can be used; 4: an\n"
		"input was cut short.",
	.groups = groups,
	.examples =
		"batconv prog.bolt perf.data -o prog.fdata                 # for: llvm-bolt prog -data prog.fdata\n"
		"batconv prog.bolt perf.data -o prog.yaml --format=yaml   # with block hashes, for the next build\n"
		"batconv prog.bolt counts/ -o prog.fdata                  # of shards that record wrote",
	COMMAND_OPTIONS(rows),
	.operands = FILE_READ,
	.places = {PLACE_BINARY, PLACE_SAMPLES},
	.advised_output = "prog.fdata",
	.size = sizeof(struct arguments),
	.enters_sandbox = true,
	.prepare = prepare,
	.check = check,
	.finish = free_arguments,
	.run = run_convert,
	.program = perf2bolt_command,
};
