/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/perf2bolt_table.h"

#include <string.h>

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
	{"heatmap", ID_HEATMAP, "value", FILE_WRITTEN, "also write a heat map to this file and others beside it, as llvm-bolt-heatmap does"},
	{"block-size", ID_BLOCK_SIZE, "value", NO_FILE, "of a heat map: sizes of buckets, each a multiple of the one before (default: 64,4K,256K)"},
	{"line-size", ID_LINE_SIZE, "value", NO_FILE, "of a heat map: buckets of a line (default: 256)"},
	{"min-address", ID_MIN_ADDRESS, "value", NO_FILE, "of a heat map: leave out what begins below (default: 0)"},
	{"max-address", ID_MAX_ADDRESS, "value", NO_FILE, "of a heat map: ... above (default: 0xffffffff)"},
	{"print-mappings", ID_MAPPINGS, NULL, NO_FILE, "of a heat map: sections in the legend"},
	{"perf-script-events", ID_EVENTS, "value", NO_FILE, "ignored with -pa, else refused"},
	{"h", ID_HELP, NULL, NO_FILE, "show these options"},
	{"help", ID_HELP, NULL, NO_FILE, "the same"},
	{"help-hidden", ID_HELP_HIDDEN, NULL, NO_FILE, "also show options of llvm-bolt that are ignored"},
	{"help-list", ID_HELP, NULL, NO_FILE, "as --help"},
	{"help-list-hidden", ID_HELP_HIDDEN, NULL, NO_FILE, "as --help-hidden"},
	{"version", ID_VERSION, NULL, NO_FILE, "print the version"},
};

const struct perf2bolt_option *perf2bolt_option(const char *name, size_t len)
{
	for (size_t i = 0; i < BC_COUNT(table); i++)
		if (strlen(table[i].name) == len && !memcmp(table[i].name, name, len))
			return &table[i];
	return NULL;
}

void perf2bolt_option_label(const struct perf2bolt_option *option, char label[OPTION_NAME])
{
	snprintf(label, OPTION_NAME, "-%s", option->name);
}

void perf2bolt_roles(FILE *out)
{
	char label[OPTION_NAME];

	fprintf(out, "perf2bolt operands - %s\n", role_name(FILE_READ));
	for (size_t i = 0; i < BC_COUNT(table); i++) {
		perf2bolt_option_label(&table[i], label);
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
