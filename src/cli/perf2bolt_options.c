/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdlib.h>
#include <string.h>

#include "src/cli/perf2bolt_table.h"
#include "src/cli/say.h"

/* Fewer branches than this were made up by hand, as in the tests of scripts, or prove little. */
#define LEAST_CHECKED 1000

static bool wrong(const char *option, const char *why, const char *what)
{
	say(stderr, "%s%s%s%s", option, *option ? ": " : "", why, what ? what : "");
	return false;
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
	case ID_PROBES: out->output.probes = on; break;
	case ID_WITHOUT_HASHES: out->no_hashes = on; break;
	case ID_MAPPINGS: out->heat.mappings = on; break;
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
	switch (option->id) {
	case ID_SAMPLES: return add_samples(out, value) ? NULL : "out of memory at ";
	case ID_OUTPUT: out->output.path = value; break;
	case ID_YAML: out->output.yaml = value; break;
	case ID_HASHES: out->conversion.hash_file = value; break;
	case ID_LLVM_BOLT: out->llvm_bolt = value; break;
	case ID_ITRACE: out->itrace = value; break;
	case ID_FORMAT:
		if (!strcmp(value, "perfscript"))
			return "keep what 'perf script --show-mmap-events --show-task-events -F "
			       "pid,ip,brstack' prints, batconv reads it; not ";
		return profile_format_parse(value, &out->output.format) && out->output.format != FORMAT_PROFGEN ? NULL : "takes fdata, yaml or preagg, not ";
	case ID_PID:
		out->pids.len = 0;
		if (!sample_parse_pids(value, &out->pids))
			return "takes process ids with commas, not ";
		filter->pids = out->pids.at;
		filter->pid_count = out->pids.len;
		break;
	case ID_HEAT_SHARE: return parse_number(value, 1000000, &out->heat_share) ? NULL : "takes a number up to 1000000, not ";
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
	case ID_HEATMAP: out->heat.path = value; break;
	case ID_BLOCK_SIZE:
		return heat_parse_sizes(value, &out->heat) ? NULL : "takes sizes from 1 to less than 4G such as 64,4K,2M, each a multiple of the one before, not ";
	case ID_LINE_SIZE: return parse_number(value, HEAT_LINE_MOST, &out->heat.line) && out->heat.line ? NULL : "takes a number from 1 to 65536, not ";
	case ID_MIN_ADDRESS: return heat_parse_address(value, &out->heat.min) ? NULL : "takes an address, not ";
	case ID_MAX_ADDRESS: return heat_parse_address(value, &out->heat.max) ? NULL : "takes an address, not ";
	case ID_EVENTS: out->events_given = true; break;
	case ID_MAX_SAMPLES: return parse_number(value, UINT64_MAX, &filter->most) ? NULL : "takes a number, not ";
	default: break;
	}
	return NULL;
}

/* Skips an option that is none of perf2bolt's own, and its value, which nobody looks at. */
static bool parse_ignored(const struct perf2bolt_arguments *arguments, char **argv, int *at, const char *name, const char *equals)
{
	const char *word = argv[*at];
	bool value;

	if (!perf2bolt_ignores(name, equals ? (size_t)(equals - name) : strlen(name), &value))
		return wrong(word, arguments->only_heat ? "unsupported " HEATMAP_NAME " option; see docs/quality.md"
							: "unsupported perf2bolt option; see docs/perf2bolt.md", NULL);
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
	const struct perf2bolt_option *option = perf2bolt_option(out, name, value ? (size_t)(value - name) : strlen(name));
	char label[OPTION_NAME];
	bool on;

	if (!option)
		return parse_ignored(out, argv, at, name, value);
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
	perf2bolt_option_label(option, label);
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

FILE *perf2bolt_summary_to(const struct perf2bolt_arguments *arguments)
{
	const char *const written[] = {arguments->output.path, arguments->output.yaml, arguments->heat.path};

	for (size_t i = 0; i < BC_COUNT(written); i++)
		if (written[i] && output_is_stdout(written[i]))
			return stderr;
	return stdout;
}

static bool check_files(struct perf2bolt_arguments *a)
{
	bool to_stdout = a->only_heat && !a->heat.path;
	struct bc_error err;

	if (to_stdout)
		a->heat.path = "-";
	if (a->heat.path && !heat_output_name_others(&a->heat, a->only_heat ? "-o" : "-heatmap", &a->named, &err))
		return wrong("", err.text, NULL);
	if ((to_stdout || perf2bolt_summary_to(a) == stdout) && !files_add_another(&a->named, OUTPUT, "-"))
		return wrong("", "out of memory", NULL);
	return files_are_apart(&a->named, &err) || wrong("", err.text, NULL);
}

/* Refuses options that exclude each other, and options that would change the profile in a way that
 * batconv does not know. */
static bool check_together(const struct perf2bolt_arguments *a)
{
	bool preagg = a->conversion.format == INPUT_PREAGG;

	if (a->output.yaml && a->output.format == FORMAT_PREAGG)
		return wrong("", "-w writes a profile, and -profile-format=preagg makes none", NULL);
	if (preagg && a->itrace)
		return wrong("", "-itrace and -spe need perf.data, not -pa", NULL);
	if (a->with_kernel && !preagg)
		return wrong("", "-ignore-interrupt-lbr: branches from and to the kernel are always dropped", NULL);
	if (a->events_given && !preagg)
		return wrong("", "-perf-script-events: samples stand behind -p", NULL);
	return true;
}

bool perf2bolt_parse(int argc, char **argv, struct perf2bolt_arguments *out)
{
	struct perf2bolt_arguments *a = out;

	a->release = llvm_release_called(argv[0]);
	a->conversion.aggregate.erratum = true;
	a->conversion.empty_will_do = true;
	a->conversion.as_perf2bolt = true;
	a->conversion.least_checked = LEAST_CHECKED;
	a->conversion.wants = a->only_heat ? WANT_COUNTS : WANT_EXECUTED;
	a->conversion.aggregate.ends = a->only_heat;
	a->output.without_hashes = true; /* those that llvm-bolt computes come later */
	heat_output_init(&a->heat);
	if (a->release->number >= 24)
		(void)heat_parse_sizes("64,4K,16K,64K,2M", &a->heat);
	a->heat_share = 990000;
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
	if (!a->output.path && !a->only_heat)
		return wrong("", "no output given: -o FILE", NULL);
	if (!check_together(a))
		return false;
	a->conversion.samples = a->files.at;
	a->conversion.sample_count = a->files.len;
	if (!a->only_heat)
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
	pid_vec_free(&arguments->pids);
	named_files_free(&arguments->named);
}

