/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "src/cli/perf2bolt.h"
#include "src/cli/say.h"

enum option_id {
	ID_NOTHING, /* accepted: batconv does so anyway, or has nothing to do */
	ID_SAMPLES,
	ID_OUTPUT,
	ID_YAML,
	ID_FORMAT,
	ID_PREAGG,
	ID_BASIC,
	ID_PID,
	ID_BUILD_ID,
	ID_MAX_SAMPLES,
	ID_ITRACE,
	ID_SPE,
	ID_KERNEL,
	ID_IMPUTE,
	ID_FORCE,
	ID_PROBES,
	ID_LITE,
	ID_STRICT,
	ID_HEATMAP,
	ID_EVENTS,
	ID_FUNCS,
	ID_DENSITY_CUTOFF,
	ID_DENSITY_THRESHOLD,
	ID_HELP,
	ID_HELP_HIDDEN,
	ID_VERSION,
};

struct perf2bolt_option {
	const char *name;
	enum option_id id;
	const char *value; /* as in option_row; NULL: a flag, which can be =0 or =false */
	enum file_role role;
	const char *help;
};

static const struct perf2bolt_option table[] = {
	{"perfdata", ID_SAMPLES, "value", FILES_READ, "samples: perf.data or text of perf script; separate several by commas"},
	{"p", ID_SAMPLES, "value", FILES_READ, "the same"},
	{"o", ID_OUTPUT, "value", FILE_WRITTEN, "write the profile to this file"},
	{"w", ID_YAML, "value", FILE_WRITTEN, "also write the profile as YAML to this file"},
	{"profile-format", ID_FORMAT, "value:fdata,yaml,preagg", NO_FILE, "fdata (default), yaml or preagg"},
	{"pa", ID_PREAGG, NULL, NO_FILE, "the samples are pre-aggregated text"},
	{"ps", ID_NOTHING, NULL, NO_FILE, "the samples are perf2bolt 23's perfscript text (recognised by content)"},
	{"basic-events", ID_BASIC, NULL, NO_FILE, "use sampled addresses, not branch stacks"},
	{"ba", ID_BASIC, NULL, NO_FILE, "the same"},
	{"nl", ID_BASIC, NULL, NO_FILE, "the same"},
	{"pid", ID_PID, "value", NO_FILE, "use only samples of this process"},
	{"ignore-build-id", ID_BUILD_ID, NULL, NO_FILE, "match mappings to the binary by name alone"},
	{"max-samples", ID_MAX_SAMPLES, "value", NO_FILE, "use only the first N samples of each file"},
	{"itrace", ID_ITRACE, "value", NO_FILE, "have perf script convert a trace to branch stacks"},
	{"spe", ID_SPE, NULL, NO_FILE, "the same for Arm SPE (AArch64 only)"},
	{"ignore-interrupt-lbr", ID_KERNEL, NULL, NO_FILE, "drop branches from and to the kernel (always on)"},
	{"impute-trace-fall-through", ID_IMPUTE, NULL, NO_FILE, "estimate missing fall-throughs of traces"},
	{"parse-mem-profile", ID_NOTHING, NULL, NO_FILE, "always on: memory events are written if there are any"},
	{"filter-mem-profile", ID_NOTHING, NULL, NO_FILE, "always on: only loads of data with a symbol"},
	{"perfdata-jobs", ID_NOTHING, "value", NO_FILE, "ignored: each file is read by all processors"},
	{"pj", ID_NOTHING, "value", NO_FILE, "the same"},
	{"force", ID_FORCE, NULL, NO_FILE, "batconv only: convert even if the samples are of another build"},
	{"aggregate-only", ID_NOTHING, NULL, NO_FILE, "always on"},
	{"show-density", ID_NOTHING, NULL, NO_FILE, "always on"},
	{"profile-density-cutoff-hot", ID_DENSITY_CUTOFF, "value", NO_FILE, "report the density of this share of the samples, in parts per million"},
	{"profile-density-threshold", ID_DENSITY_THRESHOLD, "value", NO_FILE, "warn if the density is below this (default: 60)"},
	{"funcs", ID_FUNCS, "value", NO_FILE, "of code that BOLT left alone, use only these functions (regular expressions, comma-separated)"},
	{"funcs-file", ID_FUNCS, "value", FILE_READ, "the same, one on each line of this file"},
	{"funcs-no-regex", ID_FUNCS, "value", NO_FILE, "the same, by plain names"},
	{"funcs-file-no-regex", ID_FUNCS, "value", FILE_READ, "the same, one on each line of this file"},
	{"skip-funcs", ID_FUNCS, "value", NO_FILE, "of code that BOLT left alone, skip these functions (regular expressions, comma-separated)"},
	{"skip-funcs-file", ID_FUNCS, "value", FILE_READ, "the same, one on each line of this file"},
	{"max-funcs", ID_FUNCS, "value", NO_FILE, "of code that BOLT left alone, use at most this many functions with samples, by address"},
	{"time-aggr", ID_NOTHING, NULL, NO_FILE, "ignored: no times are shown"},
	{"bolt-info", ID_NOTHING, NULL, NO_FILE, "ignored: no binary is written"},
	{"print-options", ID_NOTHING, NULL, NO_FILE, "ignored: no options are printed"},
	{"print-all-options", ID_NOTHING, NULL, NO_FILE, "ignored: no options are printed"},
	{"v", ID_NOTHING, "value", NO_FILE, "ignored: batconv's own report has -v"},
	{"strict", ID_STRICT, NULL, NO_FILE, "affects only the reported figures and -max-funcs"},
	{"lite", ID_LITE, NULL, NO_FILE, "affects only the reported figures and -max-funcs"},
	{"allow-stripped", ID_NOTHING, NULL, NO_FILE, "always on"},
	{"profile-use-dfs", ID_NOTHING, NULL, NO_FILE, "ignored: blocks are in the order of the input"},
	{"profile-write-pseudo-probes", ID_PROBES, NULL, NO_FILE, "not supported: refused with YAML, ignored with fdata"},
	{"heatmap", ID_HEATMAP, "value", NO_FILE, "not supported: use llvm-bolt-heatmap"},
	{"perf-script-events", ID_EVENTS, "value", NO_FILE, "ignored with -pa, else refused"},
	{"h", ID_HELP, NULL, NO_FILE, "show these options"},
	{"help", ID_HELP, NULL, NO_FILE, "the same"},
	{"help-hidden", ID_HELP_HIDDEN, NULL, NO_FILE, "also show options of llvm-bolt that are ignored"},
	{"help-list", ID_HELP, NULL, NO_FILE, "as --help"},
	{"help-list-hidden", ID_HELP_HIDDEN, NULL, NO_FILE, "as --help-hidden"},
	{"version", ID_VERSION, NULL, NO_FILE, "print the version"},
};

static bool wrong(const char *option, const char *why, const char *what)
{
	say(stderr, "%s%s%s%s", option, *option ? ": " : "", why, what ? what : "");
	return false;
}

static const struct perf2bolt_option *find(const char *name, size_t len)
{
	for (size_t i = 0; i < BC_COUNT(table); i++)
		if (strlen(table[i].name) == len && !memcmp(table[i].name, name, len))
			return &table[i];
	return NULL;
}

static bool parse_flag(const char *value, bool *out)
{
	static const char *const words[] = {"true", "TRUE", "True", "1", "false", "FALSE", "False", "0"};

	*out = true;
	if (!value)
		return true;
	for (size_t i = 0; i < BC_COUNT(words); i++) {
		if (!strcmp(value, words[i])) {
			*out = i < BC_COUNT(words) / 2;
			return true;
		}
	}
	return false;
}

static void warn_ignored(const char *word, const char *why)
{
	say(stderr, "%s: ignored: %s", word, why);
}

static bool add_samples(struct perf2bolt_arguments *out, const char *value)
{
	char *list = strdup(value);

	if (!list || !word_vec_push(&out->copies, list)) {
		free(list);
		return false;
	}
	for (char *rest = NULL, *file = strtok_r(list, ",", &rest); file; file = strtok_r(NULL, ",", &rest))
		if (!word_vec_push(&out->files, file))
			return false;
	return true;
}

static bool parse_number(const char *value, uint64_t most, uint64_t *out)
{
	return text_dec(text_of(value), out) && *out <= most;
}

/* Sets a flag. */
static void set(struct perf2bolt_arguments *out, const struct perf2bolt_option *option, bool on)
{
	struct conversion_options *c = &out->conversion;

	switch (option->id) {
	case ID_PREAGG: c->format = on ? INPUT_PREAGG : INPUT_AUTO; break;
	case ID_BASIC: c->aggregate.mode = on ? MODE_BASIC : MODE_AUTO; break;
	case ID_BUILD_ID: c->ignore_build_id = on; break;
	case ID_SPE: out->spe = on; break;
	case ID_IMPUTE: c->aggregate.impute = on; break;
	case ID_FORCE: c->force = on; break;
	case ID_PROBES: out->probes = on; break;
	case ID_LITE: out->lite_given = true; out->no_lite = !on; break;
	case ID_STRICT: out->strict_given = true; out->no_strict = !on; break;
	case ID_KERNEL: out->with_kernel = !on; break;
	case ID_HELP: out->action = PERF2BOLT_HELP; break;
	case ID_HELP_HIDDEN: out->action = PERF2BOLT_HELP_ALL; break;
	case ID_VERSION: out->action = PERF2BOLT_VERSION; break;
	default: break;
	}
}

/* Applies an option that takes a value.  Returns what is wrong with the value, or NULL. */
static const char *apply(struct perf2bolt_arguments *out, const struct perf2bolt_option *option,
			 const char *value)
{
	struct filter *filter = &out->conversion.aggregate.filter;
	uint64_t number;

	switch (option->id) {
	case ID_SAMPLES: return add_samples(out, value) ? NULL : "out of memory at ";
	case ID_OUTPUT: out->output.path = value; break;
	case ID_YAML: out->output.yaml = value; break;
	case ID_ITRACE: out->itrace = value; break;
	case ID_FORMAT:
		if (!strcmp(value, "perfscript"))
			return "keep what 'perf script --show-mmap-events --show-task-events -F "
			       "pid,ip,brstack' prints, batconv reads it; not ";
		return profile_format_parse(value, &out->output.format) && out->output.format != FORMAT_PROFGEN ? NULL : "takes fdata, yaml or preagg, not ";
	case ID_PID:
		if (!parse_number(value, NO_PID - 1, &number))
			return "takes a process id, not ";
		out->pid = (uint32_t)number;
		filter->pids = &out->pid;
		filter->pid_count = 1;
		break;
	case ID_FUNCS:
		if (!strcmp(option->name, "max-funcs")) {
			out->limited = true;
			return parse_number(value, UINT64_MAX, &out->most_functions) ? NULL : "takes a number, not ";
		}
		return word_vec_push(&out->name_options, option->name) && word_vec_push(&out->name_options, value)
			       ? NULL : "out of memory at ";
	case ID_DENSITY_CUTOFF:
		return parse_number(value, 1000000, &out->density_cutoff) ? NULL : "takes a number up to 1000000, not ";
	case ID_DENSITY_THRESHOLD:
		return parse_number(value, UINT32_MAX, &out->density_threshold) ? NULL : "takes a number, not ";
	case ID_HEATMAP: warn_ignored("-heatmap", option->help); break;
	case ID_EVENTS: out->events_given = true; break;
	case ID_MAX_SAMPLES: return parse_number(value, UINT64_MAX, &filter->most) ? NULL : "takes a number, not ";
	default: break;
	}
	return NULL;
}

static void option_label(const struct perf2bolt_option *option, char label[OPTION_NAME])
{
	snprintf(label, OPTION_NAME, "-%s", option->name);
}

/* Skips an option that is none of perf2bolt's own, and its value, which nobody looks at. */
static bool parse_ignored(char **argv, int *at, const char *name, const char *equals)
{
	const char *word = argv[*at];
	bool value;

	if (!perf2bolt_ignores(name, equals ? (size_t)(equals - name) : strlen(name), &value))
		return wrong(word, "unsupported perf2bolt option; see docs/perf2bolt.md", NULL);
	if (value && !equals && !argv[++*at])
		return wrong(word, "a value is missing", NULL);
	warn_ignored(word, "an option of llvm-bolt, which does nothing to a profile");
	return true;
}

/* Reads one option, and its value if that is a word of its own. */
static bool parse_option(char **argv, int *at, struct perf2bolt_arguments *out)
{
	const char *word = argv[*at], *name = word + 1 + (word[1] == '-');
	const char *value = strchr(name, '=');
	const struct perf2bolt_option *option = find(name, value ? (size_t)(value - name) : strlen(name));
	char label[OPTION_NAME];
	bool on;

	if (!option)
		return parse_ignored(argv, at, name, value);
	if (value)
		value++;
	if (!option->value) {
		if (!parse_flag(value, &on))
			return wrong(word, "true or false, not ", value);
		set(out, option, on);
		return true;
	}
	if (!value)
		value = argv[++*at];
	if (!value)
		return wrong(word, "a value is missing", NULL);
	option_label(option, label);
	if (!files_add(&out->named, label, option->role, value))
		return wrong(word, "out of memory", NULL);
	const char *why = apply(out, option, value);
	return !why || wrong(word, why, value);
}

static bool parse_words(int argc, char **argv, struct perf2bolt_arguments *out)
{
	bool options = true;

	for (int i = 1; i < argc; i++) {
		if (options && !strcmp(argv[i], "--")) {
			options = false;
		} else if (options && argv[i][0] == '-' && argv[i][1]) {
			if (!parse_option(argv, &i, out))
				return false;
		} else if (out->conversion.binary) {
			return wrong(argv[i], "one executable, and the samples behind -p", NULL);
		} else {
			out->conversion.binary = argv[i];
			if (!files_add(&out->named, OPERAND, FILE_READ, argv[i]))
				return wrong(argv[i], "out of memory", NULL);
		}
	}
	return true;
}

FILE *perf2bolt_report_to(const struct perf2bolt_arguments *arguments)
{
	const struct profile_output *o = &arguments->output;

	return (o->path && output_is_stdout(o->path)) || (o->yaml && output_is_stdout(o->yaml)) ? stderr : stdout;
}

static bool check_files(struct perf2bolt_arguments *a)
{
	struct bc_error err;

	if (perf2bolt_report_to(a) == stdout && !files_add_another(&a->named, OUTPUT, "-"))
		return wrong("", "out of memory", NULL);
	return files_are_apart(&a->named, &err) || wrong("", err.text, NULL);
}

/* Refuses options that exclude each other, and options that would change the profile in a way that
 * batconv does not know. */
static bool check_together(const struct perf2bolt_arguments *a)
{
	bool preagg = a->conversion.format == INPUT_PREAGG;
	bool yaml = a->output.yaml || a->output.format == FORMAT_YAML;

	if (a->output.yaml && a->output.format == FORMAT_PREAGG)
		return wrong("", "-w writes a profile, and -profile-format=preagg makes none", NULL);
	if (preagg && (a->itrace || a->spe))
		return wrong("", "-itrace and -spe need perf.data, not -pa", NULL);
	if (a->probes && yaml)
		return wrong("", "-profile-write-pseudo-probes: batconv writes no pseudo probes into YAML", NULL);
	if (a->with_kernel && !preagg)
		return wrong("", "-ignore-interrupt-lbr: branches from and to the kernel are always dropped", NULL);
	if (a->events_given && !preagg)
		return wrong("", "-perf-script-events: samples stand behind -p", NULL);
	return true;
}

bool perf2bolt_parse(int argc, char **argv, struct perf2bolt_arguments *out)
{
	struct perf2bolt_arguments *a = out;

	a->conversion.aggregate.erratum = true;
	a->conversion.empty_will_do = true;
	a->conversion.recordings_apart = true; /* perf records each by itself */
	a->conversion.executed = true;
	a->density_cutoff = 990000;
	a->density_threshold = 60;
	if (!parse_words(argc, argv, a))
		return false;
	if (a->action != PERF2BOLT_CONVERT)
		return true;
	if (!check_files(a))
		return false;
	if (!a->conversion.binary)
		return wrong("", "no executable given", NULL);
	if (!a->files.len)
		return wrong("", "no samples given: -p FILE", NULL);
	if (!a->output.path)
		return wrong("", "no output given: -o FILE", NULL);
	if (!check_together(a))
		return false;
	a->conversion.samples = a->files.at;
	a->conversion.sample_count = a->files.len;
	profile_output_prepare(&a->output, &a->conversion);
	return true;
}

void perf2bolt_arguments_free(struct perf2bolt_arguments *arguments)
{
	for (size_t i = 0; i < arguments->copies.len; i++)
		free((char *)arguments->copies.at[i]);
	word_vec_free(&arguments->copies);
	word_vec_free(&arguments->files);
	word_vec_free(&arguments->name_options);
	named_files_free(&arguments->named);
}

void perf2bolt_roles(FILE *out)
{
	char label[OPTION_NAME];

	fprintf(out, "perf2bolt operands - %s\n", role_name(FILE_READ));
	for (size_t i = 0; i < BC_COUNT(table); i++) {
		option_label(&table[i], label);
		fprintf(out, "perf2bolt %s %s %s\n", label, table[i].value ? "value" : "-", role_name(table[i].role));
	}
}

const struct command *perf2bolt_command(void)
{
	static struct option_row rows[BC_COUNT(table)];
	static const struct command command = {"perf2bolt", "-p=SAMPLES EXECUTABLE -o PROFILE", "", rows, BC_COUNT(rows), FILE_READ, NULL};

	for (size_t i = 0; i < BC_COUNT(table); i++) {
		const struct perf2bolt_option *option = &table[i];
		bool letter = !option->name[1];
		rows[i] = (struct option_row){letter ? option->name[0] : 256, letter ? NULL : option->name, option->value,
					      option->role, option->help};
	}
	return &command;
}

void perf2bolt_help(bool all, FILE *out)
{
	fputs("batconv, called as perf2bolt\n\n"
	      "usage: perf2bolt -p=SAMPLES EXECUTABLE -o PROFILE\n\noptions:\n", out);
	for (size_t i = 0; i < BC_COUNT(table); i++)
		fprintf(out, "  --%s%-*s - %s\n", table[i].name, 28 - (int)strlen(table[i].name),
			table[i].value ? "=<value>" : "", table[i].help);
	if (all)
		perf2bolt_help_ignored(out);
	else
		fputs("\n--help-hidden also shows options of llvm-bolt, which are ignored with a warning\n", out);
}
