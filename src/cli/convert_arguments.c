/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/convert_arguments.h"

#include <getopt.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "src/cli/file_conflicts.h"
#include "src/cli/commands.h"
#include "src/cli/perf2bolt.h"
#include "src/cli/sample_options.h"
#include "src/cli/time_option.h"

enum {
	OPT_INPUT = 256,
	OPT_BIN,
	OPT_FORCE,
	OPT_KEEP_NEWEST,
	OPT_IMPUTE,
	OPT_NO_INFER,
	OPT_COMPAT,
	OPT_RESTORE,
	OPT_PID,
	OPT_EVENT,
	OPT_TIME,
	OPT_MAX_SAMPLES,
	OPT_MAPS,
	OPT_IGNORE_BUILD_ID,
	OPT_FORMAT,
	OPT_SHARD,
	OPT_PROFGEN,
	OPT_PROBES,
	OPT_HASHES,
	OPT_WITHOUT_HASHES,
	OPT_STATS,
	OPT_STATS_FILE,
	OPT_PROGRESS,
	OPT_NO_PROGRESS,
	OPT_SANDBOX,
};

#define X(name, key, text) "," key
static const struct option_row rows[] = {
	{'o', "output", "FILE", FILE_WRITTEN, "write the profile to FILE (default: stdout)"},
	{OPT_INPUT, "input", "INPUT", FILE_READ,
	 "the binary that llvm-bolt read; makes the profile that of\nan unoptimised run. With --bin: BIN=INPUT"},
	INPUT_FORMAT_ROW,
	{OPT_FORMAT, "format", "FORMAT:fdata,yaml,preagg,profgen", NO_FILE,
	 "output format: fdata (default), yaml (with block hashes),\npreagg (raw counts, to convert or merge later), or profgen\n"
	 "(for llvm-profgen --unsymbolized-profile: a compiler profile)"},
	{OPT_SHARD, "shard", NULL, NO_FILE,
	 "write raw counts as a shard for 'batconv merge':\ncompressed, with checksum, build identity and totals"},
	{'w', "yaml", "FILE", FILE_WRITTEN, "also write the profile as YAML to FILE"},
	{OPT_PROFGEN, "profgen", "FILE", FILE_WRITTEN,
	 "also write a profile for llvm-profgen to FILE; for a BOLTed\nbinary this needs --input"},
	{OPT_PROBES, "profile-write-pseudo-probes", NULL, NO_FILE,
	 "write pseudo-probes into YAML (clang\n-fpseudo-probe-for-profiling), with --input the input's"},
	{OPT_HASHES, "hashes", "FILE", FILE_READ,
	 "for YAML: take BOLT's hashes from FILE, which 'extract\n--hashes' or 'llvm-bolt -enable-bat' made of the same\n"
	 "input. With --bin: BIN=FILE"},
	{OPT_WITHOUT_HASHES, "without-hashes", NULL, NO_FILE,
	 "write YAML also of a binary that is not BOLTed without\nhashes: llvm-bolt does not optimise by it"},
	{OPT_BIN, "bin", "FILE", FILE_READ,
	 "convert for this binary. Repeatable; every operand is\nthen a sample file and -o a directory. If FILE is a\n"
	 "directory: every binary below it that has a BAT section"},
	{OPT_PID, "pid", "PID,...", NO_FILE, "use only samples of these processes"},
	{OPT_EVENT, "event", "NAME", NO_FILE, "use only samples of this event, named as in perf; cycles\nalso matches cycles:u if it is the only such event"},
	{OPT_TIME, "time", "FROM,TO", NO_FILE, "use only samples in this interval; FROM or TO may be empty;\n" TIME_HELP},
	NEW_RECORDING_ROW,
	{OPT_MAPS, "maps", "FILE", FILE_READ,
	 "memory maps of processes for which the samples have none:\n.bcmaps, text of /proc/PID/maps, or a recording; repeatable"},
	{OPT_MAX_SAMPLES, "max-samples", "N", NO_FILE, "use only the first N samples of each input"},
	BASIC_ROW,
	IMAGE_ROW,
	DEBUG_DIR_ROW,
	{OPT_IGNORE_BUILD_ID, "ignore-build-id", NULL, NO_FILE,
	 "match mappings to the binary by name alone"},
	{OPT_FORCE, "force", NULL, NO_FILE, "convert even if the samples are of another build"},
	{OPT_KEEP_NEWEST, "keep-newest", NULL, NO_FILE,
	 "x86-64: keep the two newest entries of 32-deep stacks,\n"
	 "which an Intel Skylake erratum makes unreliable"},
	{OPT_IMPUTE, "impute-fall-throughs", NULL, NO_FILE,
	 "estimate the fall-through after the newest branch of each\nstack from other stacks with the same branch"},
	{OPT_NO_INFER, "no-infer", NULL, NO_FILE,
	 "do not infer branches from plain samples; write addresses\n(docs/inference.md)"},
	{OPT_COMPAT, "compat", "PROGRAM:perf2bolt", NO_FILE,
	 "perf2bolt: match perf2bolt 22 line for line, except where\nperf2bolt is wrong"},
	{OPT_RESTORE, "restore", "RULE,...:none,all" RESTORE_RULES(X), NO_FILE,
	 "undo effects of llvm-bolt on the profile: none, all\n(default), or a list: names, entries, made, plt, sites;\nwith --input also old, left, folded, deleted, tails, inlined"},
	THREADS_ROW,
	{OPT_SANDBOX, "sandbox", NULL, NO_FILE,
	 "before reading any input, drop the rights to run programs,\nuse the network, and write outside the output directories,\n"
	 "as far as the kernel supports it"},
	{OPT_STATS, "stats", "FORM:text,json,none", NO_FILE, "summary on stderr: text (default), json or none"},
	{OPT_STATS_FILE, "stats-file", "FILE", FILE_WRITTEN, "also write the summary as JSON to FILE"},
	{OPT_PROGRESS, "progress", NULL, NO_FILE, "show progress (default: on a terminal, for long runs)"},
	{OPT_NO_PROGRESS, "no-progress", NULL, NO_FILE, "never show progress"},
	{'q', "quiet", NULL, NO_FILE, "print only errors, no summary"},
	{'v', "verbose", NULL, NO_FILE, "print a longer summary"},
	{'h', "help", NULL, NO_FILE, "show this help"},
};
#undef X

static bool parse_stats(const char *value, enum stats_form *out)
{
	static const char *const words[] = {"text", "json", "none"};

	for (size_t i = 0; i < BC_COUNT(words); i++) {
		if (!strcmp(value, words[i])) {
			*out = (enum stats_form)i;
			return true;
		}
	}
	return false;
}

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

static bool parse_restore(const char *value, unsigned *out)
{
	unsigned bits = 0;

	for (struct text rest = text_of(value); strcmp(value, "none") != 0;) {
		size_t comma = text_find(rest, ',');
		if (!restore_rule_parse(text_first(rest, comma), &bits))
			return false;
		if (comma == rest.len)
			break;
		rest = text_from(rest, comma + 1);
	}
	*out = bits;
	return true;
}

static bool parse_time(struct text value, uint64_t *out)
{
	return !value.len || time_parse(value, out);
}

static bool parse_times(struct text value, struct filter *out)
{
	size_t comma = text_find(value, ',');

	return comma < value.len && parse_time(text_first(value, comma), &out->from_ns) &&
	       parse_time(text_from(value, comma + 1), &out->to_ns) &&
	       (!out->to_ns || out->from_ns < out->to_ns);
}

/* Returns what is wrong with the value, or NULL. */
static const char *apply_option(void *arguments, int id, const char *value)
{
	struct convert_arguments *args = arguments;
	struct conversion_options *c = &args->conversion;
	struct filter *filter = &c->aggregate.filter;

	switch (id) {
	case 'o': args->output.path = value; break;
	case 'w': args->output.yaml = value; break;
	case 'q': args->stats = STATS_NONE; break;
	case 'v': args->verbose = true; break;
	case 'h': args->help = true; break;
	case OPT_INPUT:
		c->input = value;
		if (!input_vec_push(&args->inputs, value))
			return "out of memory at";
		break;
	case OPT_FORMAT:
		if (!profile_format_parse(value, &args->output.format))
			return "--format takes fdata, yaml, preagg or profgen, not";
		break;
	case OPT_PROFGEN: args->output.profgen = value; break;
	case OPT_PROBES: args->output.probes = true; break;
	case OPT_HASHES:
		c->hash_file = value;
		if (!input_vec_push(&args->hashes, value))
			return "out of memory at";
		break;
	case OPT_WITHOUT_HASHES: args->output.without_hashes = true; break;
	case OPT_SHARD: args->output.shard = true; break;
	case OPT_BIN:
		if (!args->wrong.code)
			(void)!binaries_add(&args->binaries, value, &args->wrong);
		break;
	case OPT_PID:
		if (!sample_parse_pids(value, &args->pids))
			return "--pid takes process ids with commas, not";
		break;
	case OPT_EVENT: filter->event = text_of(value); break;
	case OPT_TIME:
		if (!parse_times(text_of(value), filter))
			return "--time takes two times, such as 12.5,20.25 or 12500ms,21s, not";
		break;
	case OPT_MAX_SAMPLES:
		if (!text_dec(text_of(value), &filter->most) || !filter->most)
			return "--max-samples takes a number from 1 on, not";
		break;
	case OPT_MAPS:
		if (!map_file_vec_push(&args->maps, (struct map_file){.path = value}))
			return "out of memory at";
		break;
	case OPT_IGNORE_BUILD_ID: c->ignore_build_id = true; break;
	case OPT_FORCE: c->force = true; break;
	case OPT_KEEP_NEWEST: c->aggregate.erratum = false; break;
	case OPT_IMPUTE: c->aggregate.impute = true; break;
	case OPT_NO_INFER: c->aggregate.rules.infer = false; break;
	case OPT_COMPAT:
		if (strcmp(value, "perf2bolt") != 0)
			return "--compat takes perf2bolt, not";
		c->as_perf2bolt = true;
		break;
	case OPT_RESTORE:
		if (!parse_restore(value, &args->restore))
			return "--restore takes none, all, or names of rules with commas, not";
		args->restore_given = true;
		break;
	case OPT_STATS:
		if (!parse_stats(value, &args->stats))
			return "--stats takes text, json or none, not";
		break;
	case OPT_STATS_FILE: args->stats_file = value; break;
	case OPT_PROGRESS: args->progress = PROGRESS_ALWAYS; break;
	case OPT_SANDBOX: args->sandbox = true; break;
	case OPTION_NEW_RECORDING: recording_marks_add(&args->marks); break;
	case OPT_NO_PROGRESS: args->progress = PROGRESS_NEVER; break;
	default: return sample_option(c, &args->debug_dirs, id, value);
	}
	return NULL;
}

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
static const char *value_of(const struct input_vec *values, const struct named_binary *binary)
{
	const char *found = NULL;

	for (size_t i = 0; i < values->len; i++) {
		const char *value = value_behind(values->at[i], binary);
		found = value ? value : found;
	}
	return found;
}

const char *convert_input_of(const struct convert_arguments *args, const struct named_binary *binary)
{
	return value_of(&args->inputs, binary);
}

const char *convert_hashes_of(const struct convert_arguments *args, const struct named_binary *binary)
{
	return value_of(&args->hashes, binary);
}

/* Returns a value that belongs to none of several binaries, or NULL. */
static const char *unused_value(const struct convert_arguments *args, const struct input_vec *values)
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

/* Reads the operands.  With --bin, the first one is samples, too: the binary is no operand. */
static int parse_operands(const struct command *command, int argc, char **argv,
			  struct convert_arguments *args)
{
	bool many = args->binaries.len || args->wrong.code;
	int first = optind + !many;

	if (many && (args->output.yaml || args->output.profgen || args->stats_file || args->conversion.image_name))
		return usage_error(command, "--bin excludes -w, --profgen, --stats-file and --image", NULL);
	bool named = many && !args->wrong.code;
	const char *input = named ? unused_value(args, &args->inputs) : NULL;
	const char *hashes = named ? unused_value(args, &args->hashes) : NULL;
	if (hashes)
		return usage_error(command, "with --bin, --hashes takes BIN=FILE, where BIN is one of them, not", hashes);
	if (input)
		return usage_error(command, "with --bin, --input takes BIN=INPUT, where BIN is one of them, not", input);
	if (many && !args->output.path)
		return usage_error(command, "--bin needs a directory for the profiles: -o DIR", NULL);
	if (!many && argc == optind)
		return usage_error(command, "no binary given", NULL);
	if (!many && argc == first && strcmp(argv[0], command->name) && access(argv[optind], F_OK) != 0)
		return usage_error(NULL, "neither a command nor a file:", argv[optind]);
	if (argc <= first)
		return usage_error(command, "no samples given for",
				   many ? "--bin" : argv[optind]);
	args->conversion.binary = many ? NULL : argv[optind];
	args->conversion.samples = (const char *const *)&argv[first];
	args->conversion.sample_count = (size_t)(argc - first);
	return EXIT_DONE;
}

bool convert_profile_path(const struct convert_arguments *args, const struct named_binary *binary,
			  char *path, size_t size)
{
	static const char *const suffixes[] = {".fdata", ".yaml", ".preagg", ".profgen"};
	int length = snprintf(path, size, "%s/%s%s%s", args->output.path, binary->name,
			      suffixes[args->output.format], args->output.shard ? ".zst" : "");

	return length >= 0 && (size_t)length < size;
}

/* Checks that no profile replaces an input.  With --bin, files_check() could not: the profiles are
 * named after the binaries, which are known only now. */
static bool profiles_are_apart(const struct convert_arguments *args, struct bc_error *err)
{
	BC_AUTO(named_files_free) struct named_files files = {0};
	char path[PATH_MAX];
	bool ok = true;

	for (size_t i = 0; ok && i < args->binaries.len; i++) {
		const struct named_binary *binary = &args->binaries.at[i];
		const char *input = convert_input_of(args, binary), *hashes = convert_hashes_of(args, binary);
		ok = files_add(&files, "--bin", FILE_READ, binary->path) &&
		     (!input || files_add(&files, "--input", FILE_READ, input)) &&
		     (!hashes || files_add(&files, "--hashes", FILE_READ, hashes)) &&
		     (!convert_profile_path(args, binary, path, sizeof(path)) ||
		      files_add_another(&files, "-o", path));
	}
	for (size_t i = 0; ok && i < args->maps.len; i++)
		ok = files_add(&files, "--maps", FILE_READ, args->maps.at[i].path);
	for (size_t i = 0; ok && i < args->conversion.sample_count; i++)
		ok = files_add(&files, OPERAND, FILE_READ, args->conversion.samples[i]);
	return ok ? files_are_apart(&files, err) : bc_fail_nomem(err);
}

int convert_arguments_parse(const struct command *command, int argc, char **argv,
			    struct convert_arguments *args)
{
	struct filter *filter = &args->conversion.aggregate.filter;
	struct bc_error conflict;

	args->conversion.aggregate.erratum = true;
	args->conversion.aggregate.rules = best_rules;
	recording_marks_begin(&args->marks, argc, argv);
	int code = options_apply(command, argc, argv, apply_option, args);
	if (args->conversion.as_perf2bolt)
		args->conversion.aggregate.rules = (struct profile_rules){0};
	if (args->restore_given)
		args->conversion.aggregate.rules.restore = args->restore;
	if (code != EXIT_DONE || args->help)
		return code;
	if (args->output.shard && (args->output.format == FORMAT_YAML || args->output.format == FORMAT_PROFGEN))
		return usage_error(command, "--shard writes pre-aggregated records, not --format=yaml or profgen", NULL);
	if (args->output.shard)
		args->output.format = FORMAT_PREAGG;
	if (args->inputs.len && args->output.format == FORMAT_PREAGG)
		return usage_error(command, "raw counts (--shard, --format=preagg) are those of the binary that ran; --input is for their conversion to a profile", NULL);
	if (args->output.yaml && args->output.format == FORMAT_PREAGG)
		return usage_error(command, "-w writes a profile, and --format=preagg makes none", NULL);
	if (args->output.probes && !args->output.yaml && args->output.format != FORMAT_YAML)
		return usage_error(command, "--profile-write-pseudo-probes is for YAML: -w FILE or --format=yaml", NULL);
	if ((args->hashes.len || args->output.without_hashes) && !args->output.yaml && args->output.format != FORMAT_YAML)
		return usage_error(command, "--hashes and --without-hashes are for YAML: -w FILE or --format=yaml", NULL);
	if (args->hashes.len && args->output.without_hashes)
		return usage_error(command, "--hashes and --without-hashes exclude each other", NULL);
	code = parse_operands(command, argc, argv, args);
	if (code == EXIT_DONE)
		code = recording_marks_settle(&args->marks, command, argv + argc - args->conversion.sample_count,
					      args->conversion.sample_count);
	if (code != EXIT_DONE)
		return code;
	args->conversion.new_recording = args->marks.begins;
	if (!args->conversion.binary && !profiles_are_apart(args, &conflict))
		return files_refuse(command, &conflict);
	filter->pids = args->pids.at;
	filter->pid_count = args->pids.len;
	profile_output_prepare(&args->output, &args->conversion);
	return EXIT_DONE;
}

void convert_arguments_free(struct convert_arguments *arguments)
{
	pid_vec_free(&arguments->pids);
	recording_marks_free(&arguments->marks);
	map_file_vec_free(&arguments->maps);
	binaries_free(&arguments->binaries);
	debug_dir_vec_free(&arguments->debug_dirs);
	input_vec_free(&arguments->inputs);
	input_vec_free(&arguments->hashes);
}

const struct command convert_command = {
	"convert", "[OPTION]... OPTIMIZED SAMPLES...",
	"write the profile of the input binary from samples of the optimised one\n\n"
	"OPTIMIZED is the binary that was sampled: from 'llvm-bolt --enable-bat', or not yet\n"
	"BOLTed.  SAMPLES are perf.data, text of perf script (with --show-mmap-events\n"
	"--show-task-events -F pid,ip,brstack) or pre-aggregated records; '-' is stdin.\n"
	"The profile is BOLT's fdata or YAML, for: llvm-bolt INPUT -data PROFILE ...",
	rows, BC_COUNT(rows), FILE_READ, convert_run, perf2bolt_command,
};
