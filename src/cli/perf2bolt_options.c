/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The command lines of perf2bolt and llvm-bolt-heatmap. */
#include "src/cli/perf2bolt.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/file.h"
#include "src/cli/llvm_options.h"

/* Fewer branches than this were made up by hand, as in the tests of scripts, or prove little. */
#define LEAST_CHECKED 1000

/* ---- values ---- */

/* Splits a list at its commas. */
static const char *read_samples(struct command_line *line, const struct option_row *row,
				const char *value)
{
	struct perf2bolt_arguments *args = line->arguments;
	char *list = strdup(value);

	(void)row;
	if (!list || !words_push(&args->copies, list)) {
		free(list);
		return OPTION_NOMEM;
	}
	for (char *rest = NULL, *file = strtok_r(list, ",", &rest); file;
	     file = strtok_r(NULL, ",", &rest))
		if (!words_push(&args->files, file))
			return OPTION_NOMEM;
	return NULL;
}

static const char *read_format(struct command_line *line, const struct option_row *row,
			       const char *value)
{
	if (!strcmp(value, "perfscript"))
		return "keep what 'perf script --show-mmap-events --show-task-events -F pid,ip,brstack' prints, batconv reads it; not";
	return option_word(line, row, value);
}

/* The last list counts. */
static const char *read_pids(struct command_line *line, const struct option_row *row,
			     const char *value)
{
	struct pid_vec *pids = option_field(line, row);

	pids->len = 0;
	return option_pids(line, row, value);
}

/* Names of functions, and how they are meant. */
enum { NAMES_SKIPPED = 1, NAMES_OF_FILE = 2, NAMES_PLAIN = 4 };

static const char *read_names(struct command_line *line, const struct option_row *row,
			      const char *value)
{
	return given_option_vec_push(option_field(line, row), (struct given_option){row, value}) ?
		       NULL :
		       OPTION_NOMEM;
}

static const char *read_action(struct command_line *line, const struct option_row *row,
			       const char *value)
{
	line->help = true;
	return option_set(line, row, value);
}

/* ---- the table ---- */

#define PUT(field)               INTO_OF(struct perf2bolt_arguments, field)
#define PUT_BY(field, reader)    .at = offsetof(struct perf2bolt_arguments, field), .read = (reader)
#define PUT_NAMES(how)           PUT_BY(name_options, read_names), .value = (how)
#define PUT_SET(field, constant) PUT_BY(field, option_set), .value = (constant)

/* The programs that have an option. */
enum program { OF_BOTH, OF_PERF2BOLT, OF_HEATMAP };

struct perf2bolt_row {
	struct option_row row;
	enum program of;
};

static const struct perf2bolt_row table[] = {
	{{0, "perfdata", "value", FILES_READ,
	  "samples: perf.data or text of perf script; separate several by commas",
	  PUT_BY(files, read_samples)},
	 OF_BOTH},
	{{'p', NULL, "value", FILES_READ, "the same", PUT_BY(files, read_samples)}, OF_BOTH},
	{{'o', NULL, "value", FILE_WRITTEN, "write the profile to this file", PUT(output.path)},
	 OF_PERF2BOLT},
	{{'o', NULL, "value", FILE_WRITTEN,
	  "write the heat map to this file and others next to it (default: all of it to stdout)",
	  PUT(heat.path)},
	 OF_HEATMAP},
	{{'w', NULL, "value", FILE_WRITTEN, "also write the profile as YAML to this file",
	  PUT(output.yaml)},
	 OF_PERF2BOLT},
	{{0, "profile-format", "value:fdata,yaml,preagg", NO_FILE,
	  "fdata (default), yaml or preagg", PUT_BY(output.format, read_format)},
	 OF_PERF2BOLT},
	{{0, "pa", NULL, NO_FILE, "the samples are pre-aggregated text",
	  PUT_SET(conversion.format, INPUT_PREAGG)},
	 OF_BOTH},
	{{0, "ps", NULL, NO_FILE,
	  "the samples are perf2bolt 23's perfscript text (recognized by content)",
	  .read = option_nothing},
	 OF_BOTH},
	{{0, "basic-events", NULL, NO_FILE, "use sampled addresses, not branch stacks",
	  PUT_SET(conversion.aggregate.mode, MODE_BASIC)},
	 OF_BOTH},
	{{0, "ba", NULL, NO_FILE, "the same", PUT_SET(conversion.aggregate.mode, MODE_BASIC)},
	 OF_BOTH},
	{{0, "nl", NULL, NO_FILE, "the same", PUT_SET(conversion.aggregate.mode, MODE_BASIC)},
	 OF_BOTH},
	{{0, "pid", "value", NO_FILE, "use only samples of these processes, separated by commas",
	  PUT_BY(pids, read_pids), .takes = PIDS_TAKES},
	 OF_BOTH},
	{{0, "ignore-build-id", NULL, NO_FILE,
	  "match mappings to the binary by name, too, whatever their build-id",
	  PUT(conversion.ignore_build_id)},
	 OF_BOTH},
	{{0, "max-samples", "value", NO_FILE, "use only the first N samples of each file",
	  PUT(conversion.aggregate.filter.most), .takes = "a number"},
	 OF_BOTH},
	{{0, "itrace", "value", NO_FILE, "have perf script convert a trace to branch stacks",
	  PUT(itrace)},
	 OF_BOTH},
	{{0, "spe", NULL, NO_FILE,
	  "read a trace of Arm SPE (AArch64 only), which is done without it, too", PUT(spe)},
	 OF_BOTH},
	{{0, "ignore-interrupt-lbr", NULL, NO_FILE,
	  "drop branches from and to the kernel (always on)", PUT_BY(with_kernel, option_unset)},
	 OF_BOTH},
	{{0, "impute-trace-fall-through", NULL, NO_FILE, "estimate missing fall-throughs of traces",
	  PUT(conversion.aggregate.impute)},
	 OF_PERF2BOLT},
	{{0, "parse-mem-profile", NULL, NO_FILE,
	  "always on: memory events are written if there are any", .read = option_nothing},
	 OF_PERF2BOLT},
	{{0, "filter-mem-profile", NULL, NO_FILE, "always on: only loads of data with a symbol",
	  .read = option_nothing},
	 OF_PERF2BOLT},
	{{0, "perfdata-jobs", "value", NO_FILE, "ignored: each file is read by all processors",
	  .read = option_nothing},
	 OF_BOTH},
	{{0, "pj", "value", NO_FILE, "the same", .read = option_nothing}, OF_BOTH},
	{{0, "force", NULL, NO_FILE,
	  "batconv only: convert even if the samples are of another build", PUT(conversion.force)},
	 OF_BOTH},
	{{0, "debug-dir", "value", NO_FILE,
	  "batconv only: look below this directory for the files that a hardware trace ran through, and for debug files; repeatable",
	  PUT(debug_dirs)},
	 OF_BOTH},
	{{0, "hashes", "value", FILE_READ,
	  "batconv only, of YAML: take BOLT's hashes from this file, as 'batconv convert --hashes'",
	  PUT(conversion.hash_file)},
	 OF_PERF2BOLT},
	{{0, "llvm-bolt", "value", FILE_READ,
	  "batconv only, of YAML: the llvm-bolt that computes the hashes", PUT(llvm_bolt)},
	 OF_PERF2BOLT},
	{{0, "without-hashes", NULL, NO_FILE,
	  "batconv only: do not run llvm-bolt for the hashes of YAML", PUT(no_hashes)},
	 OF_PERF2BOLT},
	{{0, "aggregate-only", NULL, NO_FILE, "always on", .read = option_nothing}, OF_PERF2BOLT},
	{{0, "show-density", NULL, NO_FILE, "always on", .read = option_nothing}, OF_PERF2BOLT},
	{{0, "profile-density-cutoff-hot", "value", NO_FILE,
	  "print the density of this share of the samples, in parts per million",
	  PUT(density_cutoff), .takes = "a number up to 1000000", .most = 1000000},
	 OF_PERF2BOLT},
	{{0, "profile-density-threshold", "value", NO_FILE,
	  "warn if the density is below this (default: 60)", PUT(density_threshold),
	  .takes = "a number", .most = UINT32_MAX},
	 OF_PERF2BOLT},
	{{0, "funcs", "value", NO_FILE,
	  "of functions that BOLT ignored, use only these functions (regular expressions, comma-separated)",
	  PUT_NAMES(0)},
	 OF_PERF2BOLT},
	{{0, "funcs-file", "value", FILE_READ, "the same, one on each line of this file",
	  PUT_NAMES(NAMES_OF_FILE)},
	 OF_PERF2BOLT},
	{{0, "funcs-no-regex", "value", NO_FILE, "the same, by plain names",
	  PUT_NAMES(NAMES_PLAIN)},
	 OF_PERF2BOLT},
	{{0, "funcs-file-no-regex", "value", FILE_READ, "the same, one on each line of this file",
	  PUT_NAMES(NAMES_OF_FILE | NAMES_PLAIN)},
	 OF_PERF2BOLT},
	{{0, "skip-funcs", "value", NO_FILE,
	  "of functions that BOLT ignored, skip these functions (regular expressions, comma-separated)",
	  PUT_NAMES(NAMES_SKIPPED)},
	 OF_PERF2BOLT},
	{{0, "skip-funcs-file", "value", FILE_READ, "the same, one on each line of this file",
	  PUT_NAMES(NAMES_SKIPPED | NAMES_OF_FILE)},
	 OF_PERF2BOLT},
	{{0, "max-funcs", "value", NO_FILE,
	  "of functions that BOLT ignored, use at most this many functions with samples, by address",
	  PUT(most_functions), .takes = "a number"},
	 OF_PERF2BOLT},
	{{0, "time-aggr", NULL, NO_FILE, "ignored: no times are shown", .read = option_nothing},
	 OF_BOTH},
	{{0, "bolt-info", NULL, NO_FILE, "ignored: no binary is written", .read = option_nothing},
	 OF_BOTH},
	{{0, "print-options", NULL, NO_FILE, "ignored: no options are printed",
	  .read = option_nothing},
	 OF_BOTH},
	{{0, "print-all-options", NULL, NO_FILE, "ignored: no options are printed",
	  .read = option_nothing},
	 OF_BOTH},
	{{'v', NULL, "value", NO_FILE, "ignored: batconv's own summary has -v",
	  .read = option_nothing},
	 OF_BOTH},
	{{0, "strict", NULL, NO_FILE, "affects only the reported figures and -max-funcs",
	  PUT_BY(strict, option_switch)},
	 OF_PERF2BOLT},
	{{0, "lite", NULL, NO_FILE, "affects only the reported figures and -max-funcs",
	  PUT_BY(lite, option_switch)},
	 OF_PERF2BOLT},
	{{0, "allow-stripped", NULL, NO_FILE, "always on", .read = option_nothing}, OF_BOTH},
	{{0, "profile-use-dfs", NULL, NO_FILE, "ignored: blocks are in the order of the input",
	  .read = option_nothing},
	 OF_PERF2BOLT},
	{{0, "profile-write-pseudo-probes", NULL, NO_FILE, "of YAML: write pseudo-probes, too",
	  PUT(output.probes)},
	 OF_PERF2BOLT},
	{{0, "heatmap", "value", FILE_WRITTEN,
	  "also write a heat map to this file and others next to it, as llvm-bolt-heatmap does",
	  PUT(heat.path)},
	 OF_PERF2BOLT},
	{{0, "heatmap", "value", NO_FILE, "ignored: -o names the heat map", .read = option_nothing},
	 OF_HEATMAP},
	{{'w', NULL, "value", NO_FILE, "ignored: no profile is written", .read = option_nothing},
	 OF_HEATMAP},
	{{0, "heatmap-cdf-pct", "value", NO_FILE,
	  "of a heat map, release 24: print how many buckets hold this share of the samples, in parts per million",
	  PUT(heat_share), .takes = "a number up to 1000000", .most = 1000000},
	 OF_BOTH},
	{{0, "block-size", "value", NO_FILE,
	  "of a heat map: sizes of buckets, each a multiple of the one before (default: 64,4K,256K; release 24: 64,4K,16K,64K,2M)",
	  PUT_BY(heat, option_heat_sizes), .takes = HEAT_SIZES_TAKE},
	 OF_BOTH},
	{{0, "line-size", "value", NO_FILE, "of a heat map: buckets of a line (default: 256)",
	  PUT(heat.line), .takes = "a number from 1 to 65536", .least = 1, .most = HEAT_LINE_MOST},
	 OF_BOTH},
	{{0, "min-address", "value", NO_FILE,
	  "of a heat map: leave out what begins below (default: 0)",
	  PUT_BY(heat.min, option_heat_address), .takes = "an address"},
	 OF_BOTH},
	{{0, "max-address", "value", NO_FILE, "of a heat map: ... above (default: 0xffffffff)",
	  PUT_BY(heat.max, option_heat_address), .takes = "an address"},
	 OF_BOTH},
	{{0, "print-mappings", NULL, NO_FILE, "of a heat map: sections in the legend",
	  PUT(heat.mappings)},
	 OF_BOTH},
	{{0, "perf-script-events", "value", NO_FILE, "ignored with -pa, else refused", PUT(events)},
	 OF_BOTH},
	{{'h', NULL, NULL, NO_FILE, "show these options", PUT_BY(action, read_action),
	  .value = PERF2BOLT_HELP},
	 OF_BOTH},
	{{0, "help", NULL, NO_FILE, "the same", PUT_BY(action, read_action),
	  .value = PERF2BOLT_HELP},
	 OF_BOTH},
	{{0, "help-hidden", NULL, NO_FILE, "also show options of llvm-bolt that are ignored",
	  PUT_BY(action, read_action), .value = PERF2BOLT_HELP_ALL},
	 OF_BOTH},
	{{0, "help-list", NULL, NO_FILE, "as --help", PUT_BY(action, read_action),
	  .value = PERF2BOLT_HELP},
	 OF_BOTH},
	{{0, "help-list-hidden", NULL, NO_FILE, "as --help-hidden", PUT_BY(action, read_action),
	  .value = PERF2BOLT_HELP_ALL},
	 OF_BOTH},
	{{0, "version", NULL, NO_FILE, "print the version", PUT_BY(action, read_action),
	  .value = PERF2BOLT_VERSION},
	 OF_BOTH},
};

/* ---- names of functions ---- */

/* Adds the names that one option gives. */
static bool take_names(const struct given_option *given, struct words *texts,
		       struct function_choice *out, struct bc_error *err)
{
	unsigned how = given->row->value;
	const char *between = how & NAMES_OF_FILE ? "\n" : ",";
	struct choice_name_vec *names = how & NAMES_SKIPPED ? &out->skip : &out->names;
	struct choice_name name = {.exact = how & NAMES_PLAIN};
	size_t size;
	char *text = how & NAMES_OF_FILE ? file_read_text(given->value, SIZE_MAX, &size, err) :
					   strdup(given->value);

	if (!text)
		return how & NAMES_OF_FILE ? false : bc_fail_nomem(err);
	if (!words_push(texts, text)) {
		free(text);
		return bc_fail_nomem(err);
	}
	char *rest = NULL;
	for (char *word = strtok_r(text, between, &rest); word;
	     word = strtok_r(NULL, between, &rest)) {
		name.text = word;
		if (!choice_name_vec_push(names, name))
			return bc_fail_nomem(err);
	}
	return true;
}

bool perf2bolt_names(const struct perf2bolt_arguments *arguments, struct words *texts,
		     struct function_choice *out, struct bc_error *err)
{
	const struct given_option_vec *options = &arguments->name_options;

	*out = (struct function_choice){.limited = arguments->most_functions.given,
					.most = arguments->most_functions.is};
	for (size_t i = 0; i < options->len; i++)
		if (!take_names(&options->at[i], texts, out, err))
			return false;
	if (out->names.len && out->skip.len)
		return bc_fail(err, BC_UNSUPPORTED,
			       "functions to take and functions to skip exclude each other");
	return true;
}

void perf2bolt_names_free(struct words *texts)
{
	for (size_t i = 0; i < texts->len; i++)
		free((char *)texts->at[i]);
	words_free(texts);
}

/* ---- all of it ---- */

FILE *perf2bolt_summary_to(const struct perf2bolt_arguments *arguments)
{
	const char *const written[] = {arguments->output.path, arguments->output.yaml,
				       arguments->heat.path};

	for (size_t i = 0; i < BC_COUNT(written); i++)
		if (written[i] && output_is_stdout(written[i]))
			return stderr;
	return stdout;
}

static bool add_files(struct command_line *line, struct bc_error *err)
{
	struct perf2bolt_arguments *a = line->arguments;
	bool to_stdout = a->only_heat && !a->heat.path;

	if (to_stdout)
		a->heat.path = "-";
	if (a->heat.path &&
	    !heat_output_name_others(&a->heat, a->only_heat ? "-o" : "-heatmap", &line->files, err))
		return false;
	return (!to_stdout && perf2bolt_summary_to(a) != stdout) ||
	       files_add_another(&line->files, OUTPUT, "-") || bc_fail_nomem(err);
}

/* Refuses options that exclude each other, and options that would change the profile in a way that
 * batconv does not know. */
static int check_together(const struct command_line *line, const struct perf2bolt_arguments *a)
{
	bool preagg = a->conversion.format == INPUT_PREAGG;

	if (a->output.yaml && a->output.format == FORMAT_PREAGG)
		return usage_error(line->command,
				   "-w writes a profile, and -profile-format=preagg makes none",
				   NULL);
	if (preagg && a->itrace)
		return usage_error(line->command, "-itrace and -spe need perf.data, not -pa", NULL);
	if (a->with_kernel && !preagg)
		return usage_error(
			line->command,
			"-ignore-interrupt-lbr: branches from and to the kernel are always dropped",
			NULL);
	if (a->events && !preagg)
		return usage_error(line->command, "-perf-script-events: samples follow -p", NULL);
	return EXIT_DONE;
}

static int check(struct command_line *line)
{
	struct perf2bolt_arguments *a = line->arguments;

	a->conversion.binary = line->operands.at[0];
	a->conversion.any_code = a->conversion.force;
	if (!a->files.len)
		return usage_error(line->command, "no samples given: -p FILE", NULL);
	if (!a->output.path && !a->only_heat)
		return usage_error(line->command, "no output given: -o FILE", NULL);
	int code = check_together(line, a);
	if (code != EXIT_DONE)
		return code;
	a->conversion.samples = a->files.at;
	a->conversion.sample_count = a->files.len;
	a->conversion.debug = (struct debug_dirs){a->debug_dirs.at, a->debug_dirs.len};
	a->conversion.aggregate.filter.pids = a->pids.at;
	a->conversion.aggregate.filter.pid_count = a->pids.len;
	if (!a->only_heat)
		profile_output_prepare(&a->output, &a->conversion);
	return EXIT_DONE;
}

static void prepare(struct command_line *line)
{
	struct perf2bolt_arguments *a = line->arguments;

	a->only_heat = line->command == perf2bolt_heatmap_command();
	a->release = llvm_release_called(line->called);
	a->conversion.aggregate.erratum = true;
	a->conversion.empty_will_do = true;
	a->conversion.as_perf2bolt = true;
	a->conversion.least_checked = LEAST_CHECKED;
	a->conversion.wants = a->only_heat ? WANT_COUNTS : WANT_EXECUTED;
	a->conversion.aggregate.ends = a->only_heat;
	a->output.yaml_for =
		a->release->number >= 23 ?
			a->release->number :
			YAML_RELEASE_FIRST; /* earlier ones do not write what they read */
	a->output.without_hashes = true;    /* those that llvm-bolt computes come later */
	heat_output_init(&a->heat);
	if (a->release->number >= 24)
		(void)heat_parse_sizes("64,4K,16K,64K,2M", &a->heat);
	a->heat_share = 990000;
	a->density_cutoff = 990000;
	a->density_threshold = 60;
}

static void finish(void *arguments)
{
	struct perf2bolt_arguments *a = arguments;

	perf2bolt_names_free(&a->copies);
	words_free(&a->files);
	given_option_vec_free(&a->name_options);
	pid_vec_free(&a->pids);
}

static void show_help(struct command_line *line, FILE *out)
{
	const struct perf2bolt_arguments *a = line->arguments;
	const struct command *command = line->command;

	if (a->action == PERF2BOLT_VERSION) {
		fprintf(out, "batconv " BATCONV_VERSION " (as %s)\n  LLVM version %s\n",
			command->name, a->release->version);
		return;
	}
	fprintf(out, "batconv, called as %s\n\nUSAGE: %s [options] <executable>\n\noptions:\n",
		command->name, command->name);
	for (size_t i = 0; i < command->option_count; i++) {
		const struct option_row *row = &command->options[i];
		const char letter[] = {(char)row->letter, '\0'},
			   *name = row->name ? row->name : letter;
		fprintf(out, "  --%s%-*s - %s\n", name, 28 - (int)strlen(name),
			row->arg ? "=<value>" : "", row->help);
	}
	if (a->action == PERF2BOLT_HELP_ALL)
		llvm_help_ignored(out);
	else
		fputs("\n--help-hidden also shows options of llvm-bolt, which are ignored with a warning\n",
		      out);
}

static size_t choose_rows(enum program program, struct option_row *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < BC_COUNT(table); i++)
		if (table[i].of == OF_BOTH || table[i].of == program)
			rows[count++] = table[i].row;
	return count;
}

/* As perf2bolt says of samples of another program, and warns of samples. */
#define AGGREGATOR_WORDS "PERF2BOLT-ERROR: ", "PERF2BOLT-WARNING: "

#define PROGRAM                                                                                    \
	.help = "", .options = rows, .operands = FILE_READ,                                        \
	.count = {1, 1, "no executable given", "one executable, and the samples after -p"},        \
	.size = sizeof(struct perf2bolt_arguments), .prepare = prepare, .add_files = add_files,    \
	.adds_stdout = true, .check = check, .run = perf2bolt_run, .finish = finish,               \
	.show_help = show_help

const struct command *perf2bolt_command(void)
{
	static const struct llvm_program llvm = {
		.unsupported = "unsupported perf2bolt option",
		.page = "docs/perf2bolt.md",
		.ignores = true,
		.words = {"perf2bolt: ", AGGREGATOR_WORDS, "perf2bolt: ", "PERF2BOLT: "}};
	static struct option_row rows[BC_COUNT(table)];
	static struct command command = {.name = "perf2bolt",
					 .advised_output = "prog.fdata",
					 .args = "-p=SAMPLES EXECUTABLE -o PROFILE",
					 .llvm = &llvm,
					 PROGRAM};

	command.option_count = choose_rows(OF_PERF2BOLT, rows);
	return &command;
}

const struct command *perf2bolt_heatmap_command(void)
{
	static const struct llvm_program llvm = {
		.unsupported = "unsupported " HEATMAP_NAME " option",
		.page = "docs/quality.md",
		.ignores = true,
		.words = {HEATMAP_NAME ": ", AGGREGATOR_WORDS, HEATMAP_NAME ": ", "PERF2BOLT: "}};
	static struct option_row rows[BC_COUNT(table)];
	static struct command command = {.name = HEATMAP_NAME,
					 .advised_output = "prog.heat",
					 .args = "-p=SAMPLES EXECUTABLE -o FILE",
					 .llvm = &llvm,
					 PROGRAM};

	command.option_count = choose_rows(OF_HEATMAP, rows);
	return &command;
}
