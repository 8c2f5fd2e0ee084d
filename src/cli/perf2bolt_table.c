/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/perf2bolt_table.h"

#include <string.h>

static const struct perf2bolt_option table[] = {
	{"perfdata", ID_SAMPLES, "value", FILES_READ, "samples: perf.data or text of perf script; separate several by commas", OF_BOTH},
	{"p", ID_SAMPLES, "value", FILES_READ, "the same", OF_BOTH},
	{"o", ID_OUTPUT, "value", FILE_WRITTEN, "write the profile to this file", OF_PERF2BOLT},
	{"o", ID_HEATMAP, "value", FILE_WRITTEN, "write the heat map to this file and others beside it (default: all of it to stdout)", OF_HEATMAP},
	{"w", ID_YAML, "value", FILE_WRITTEN, "also write the profile as YAML to this file", OF_PERF2BOLT},
	{"profile-format", ID_FORMAT, "value:fdata,yaml,preagg", NO_FILE, "fdata (default), yaml or preagg", OF_PERF2BOLT},
	{"pa", ID_PREAGG, NULL, NO_FILE, "the samples are pre-aggregated text", OF_BOTH},
	{"ps", ID_NOTHING, NULL, NO_FILE, "the samples are perf2bolt 23's perfscript text (recognised by content)", OF_BOTH},
	{"basic-events", ID_BASIC, NULL, NO_FILE, "use sampled addresses, not branch stacks", OF_BOTH},
	{"ba", ID_BASIC, NULL, NO_FILE, "the same", OF_BOTH},
	{"nl", ID_BASIC, NULL, NO_FILE, "the same", OF_BOTH},
	{"pid", ID_PID, "value", NO_FILE, "use only samples of these processes, separated by commas", OF_BOTH},
	{"ignore-build-id", ID_BUILD_ID, NULL, NO_FILE, "match mappings to the binary by name, too, whatever their build-id", OF_BOTH},
	{"max-samples", ID_MAX_SAMPLES, "value", NO_FILE, "use only the first N samples of each file", OF_BOTH},
	{"itrace", ID_ITRACE, "value", NO_FILE, "have perf script convert a trace to branch stacks", OF_BOTH},
	{"spe", ID_SPE, NULL, NO_FILE, "the same for Arm SPE (AArch64 only)", OF_BOTH},
	{"ignore-interrupt-lbr", ID_KERNEL, NULL, NO_FILE, "drop branches from and to the kernel (always on)", OF_BOTH},
	{"impute-trace-fall-through", ID_IMPUTE, NULL, NO_FILE, "estimate missing fall-throughs of traces", OF_PERF2BOLT},
	{"parse-mem-profile", ID_NOTHING, NULL, NO_FILE, "always on: memory events are written if there are any", OF_PERF2BOLT},
	{"filter-mem-profile", ID_NOTHING, NULL, NO_FILE, "always on: only loads of data with a symbol", OF_PERF2BOLT},
	{"perfdata-jobs", ID_NOTHING, "value", NO_FILE, "ignored: each file is read by all processors", OF_BOTH},
	{"pj", ID_NOTHING, "value", NO_FILE, "the same", OF_BOTH},
	{"force", ID_FORCE, NULL, NO_FILE, "batconv only: convert even if the samples are of another build", OF_BOTH},
	{"hashes", ID_HASHES, "value", FILE_READ, "batconv only, of YAML: take BOLT's hashes from this file, as 'batconv convert --hashes'", OF_PERF2BOLT},
	{"llvm-bolt", ID_LLVM_BOLT, "value", FILE_READ, "batconv only, of YAML: the llvm-bolt that computes the hashes", OF_PERF2BOLT},
	{"without-hashes", ID_WITHOUT_HASHES, NULL, NO_FILE, "batconv only: do not run llvm-bolt for the hashes of YAML", OF_PERF2BOLT},
	{"aggregate-only", ID_NOTHING, NULL, NO_FILE, "always on", OF_PERF2BOLT},
	{"show-density", ID_NOTHING, NULL, NO_FILE, "always on", OF_PERF2BOLT},
	{"profile-density-cutoff-hot", ID_DENSITY_CUTOFF, "value", NO_FILE, "print the density of this share of the samples, in parts per million", OF_PERF2BOLT},
	{"profile-density-threshold", ID_DENSITY_THRESHOLD, "value", NO_FILE, "warn if the density is below this (default: 60)", OF_PERF2BOLT},
	{"funcs", ID_FUNCS, "value", NO_FILE, "of code that BOLT left alone, use only these functions (regular expressions, comma-separated)", OF_PERF2BOLT},
	{"funcs-file", ID_FUNCS, "value", FILE_READ, "the same, one on each line of this file", OF_PERF2BOLT},
	{"funcs-no-regex", ID_FUNCS, "value", NO_FILE, "the same, by plain names", OF_PERF2BOLT},
	{"funcs-file-no-regex", ID_FUNCS, "value", FILE_READ, "the same, one on each line of this file", OF_PERF2BOLT},
	{"skip-funcs", ID_FUNCS, "value", NO_FILE, "of code that BOLT left alone, skip these functions (regular expressions, comma-separated)", OF_PERF2BOLT},
	{"skip-funcs-file", ID_FUNCS, "value", FILE_READ, "the same, one on each line of this file", OF_PERF2BOLT},
	{"max-funcs", ID_FUNCS, "value", NO_FILE, "of code that BOLT left alone, use at most this many functions with samples, by address", OF_PERF2BOLT},
	{"time-aggr", ID_NOTHING, NULL, NO_FILE, "ignored: no times are shown", OF_BOTH},
	{"bolt-info", ID_NOTHING, NULL, NO_FILE, "ignored: no binary is written", OF_BOTH},
	{"print-options", ID_NOTHING, NULL, NO_FILE, "ignored: no options are printed", OF_BOTH},
	{"print-all-options", ID_NOTHING, NULL, NO_FILE, "ignored: no options are printed", OF_BOTH},
	{"v", ID_NOTHING, "value", NO_FILE, "ignored: batconv's own summary has -v", OF_BOTH},
	{"strict", ID_STRICT, NULL, NO_FILE, "affects only the reported figures and -max-funcs", OF_PERF2BOLT},
	{"lite", ID_LITE, NULL, NO_FILE, "affects only the reported figures and -max-funcs", OF_PERF2BOLT},
	{"allow-stripped", ID_NOTHING, NULL, NO_FILE, "always on", OF_BOTH},
	{"profile-use-dfs", ID_NOTHING, NULL, NO_FILE, "ignored: blocks are in the order of the input", OF_PERF2BOLT},
	{"profile-write-pseudo-probes", ID_PROBES, NULL, NO_FILE, "of YAML: write pseudo-probes, too", OF_PERF2BOLT},
	{"heatmap", ID_HEATMAP, "value", FILE_WRITTEN, "also write a heat map to this file and others beside it, as llvm-bolt-heatmap does", OF_PERF2BOLT},
	{"heatmap", ID_NOTHING, "value", NO_FILE, "ignored: -o names the heat map", OF_HEATMAP},
	{"w", ID_NOTHING, "value", NO_FILE, "ignored: no profile is written", OF_HEATMAP},
	{"heatmap-cdf-pct", ID_HEAT_SHARE, "value", NO_FILE, "of a heat map, release 24: print how many buckets hold this share of the samples, in parts per million", OF_BOTH},
	{"block-size", ID_BLOCK_SIZE, "value", NO_FILE, "of a heat map: sizes of buckets, each a multiple of the one before (default: 64,4K,256K; release 24: 64,4K,16K,64K,2M)", OF_BOTH},
	{"line-size", ID_LINE_SIZE, "value", NO_FILE, "of a heat map: buckets of a line (default: 256)", OF_BOTH},
	{"min-address", ID_MIN_ADDRESS, "value", NO_FILE, "of a heat map: leave out what begins below (default: 0)", OF_BOTH},
	{"max-address", ID_MAX_ADDRESS, "value", NO_FILE, "of a heat map: ... above (default: 0xffffffff)", OF_BOTH},
	{"print-mappings", ID_MAPPINGS, NULL, NO_FILE, "of a heat map: sections in the legend", OF_BOTH},
	{"perf-script-events", ID_EVENTS, "value", NO_FILE, "ignored with -pa, else refused", OF_BOTH},
	{"h", ID_HELP, NULL, NO_FILE, "show these options", OF_BOTH},
	{"help", ID_HELP, NULL, NO_FILE, "the same", OF_BOTH},
	{"help-hidden", ID_HELP_HIDDEN, NULL, NO_FILE, "also show options of llvm-bolt that are ignored", OF_BOTH},
	{"help-list", ID_HELP, NULL, NO_FILE, "as --help", OF_BOTH},
	{"help-list-hidden", ID_HELP_HIDDEN, NULL, NO_FILE, "as --help-hidden", OF_BOTH},
	{"version", ID_VERSION, NULL, NO_FILE, "print the version", OF_BOTH},
};

static bool is_of(const struct perf2bolt_option *option, enum perf2bolt_option_of program)
{
	return option->of == OF_BOTH || option->of == program;
}

static enum perf2bolt_option_of program_of(bool only_heat)
{
	return only_heat ? OF_HEATMAP : OF_PERF2BOLT;
}

const struct perf2bolt_option *perf2bolt_option(const struct perf2bolt_arguments *arguments, const char *name,
						size_t len)
{
	for (size_t i = 0; i < BC_COUNT(table); i++)
		if (is_of(&table[i], program_of(arguments->only_heat)) && strlen(table[i].name) == len &&
		    !memcmp(table[i].name, name, len))
			return &table[i];
	return NULL;
}

void perf2bolt_option_label(const struct perf2bolt_option *option, char label[OPTION_NAME])
{
	snprintf(label, OPTION_NAME, "-%s", option->name);
}

static void put_roles(enum perf2bolt_option_of program, const char *name, FILE *out)
{
	char label[OPTION_NAME];

	fprintf(out, "%s operands - %s\n", name, role_name(FILE_READ));
	for (size_t i = 0; i < BC_COUNT(table); i++) {
		if (!is_of(&table[i], program))
			continue;
		perf2bolt_option_label(&table[i], label);
		fprintf(out, "%s %s %s %s\n", name, label, table[i].value ? "value" : "-", role_name(table[i].role));
	}
}

void perf2bolt_roles(FILE *out)
{
	put_roles(OF_PERF2BOLT, "perf2bolt", out);
	put_roles(OF_HEATMAP, HEATMAP_NAME, out);
}

static size_t make_rows(enum perf2bolt_option_of program, struct option_row *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < BC_COUNT(table); i++) {
		const struct perf2bolt_option *option = &table[i];
		bool letter = !option->name[1];
		if (is_of(option, program))
			rows[count++] = (struct option_row){.letter = letter ? option->name[0] : 0, .name = letter ? NULL : option->name,
							    .arg = option->value, .role = option->role, .help = option->help};
	}
	return count;
}

const struct command *perf2bolt_command(void)
{
	static struct option_row rows[BC_COUNT(table)];
	static struct command command = {.name = "perf2bolt", .args = "-p=SAMPLES EXECUTABLE -o PROFILE", .help = "", .options = rows, .operands = FILE_READ};

	command.option_count = make_rows(OF_PERF2BOLT, rows);
	return &command;
}

const struct command *perf2bolt_heatmap_command(void)
{
	static struct option_row rows[BC_COUNT(table)];
	static struct command command = {.name = HEATMAP_NAME, .args = "-p=SAMPLES EXECUTABLE -o FILE", .help = "", .options = rows, .operands = FILE_READ};

	command.option_count = make_rows(OF_HEATMAP, rows);
	return &command;
}

void perf2bolt_help(const struct perf2bolt_arguments *arguments, FILE *out)
{
	const char *name = perf2bolt_program(arguments);

	fprintf(out, "batconv, called as %s\n\nUSAGE: %s [options] <executable>\n\noptions:\n", name, name);
	for (size_t i = 0; i < BC_COUNT(table); i++)
		if (is_of(&table[i], program_of(arguments->only_heat)))
			fprintf(out, "  --%s%-*s - %s\n", table[i].name, 28 - (int)strlen(table[i].name),
				table[i].value ? "=<value>" : "", table[i].help);
	if (arguments->action == PERF2BOLT_HELP_ALL)
		perf2bolt_help_ignored(out);
	else
		fputs("\n--help-hidden also shows options of llvm-bolt, which are ignored with a warning\n", out);
}
