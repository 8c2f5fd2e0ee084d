/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <string.h>

#include "src/cli/summary.h"

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print_binary(const struct summary *summary, FILE *out)
{
	const struct binary *binary = &summary->conversion->binary;
	const struct bat_table *bat = &binary->bat;
	const struct bat_parents *parents = &binary->parents;
	char id[2 * BUILD_ID_MAX + 1];

	build_id_format(&binary->image.build_id, id);
	fprintf(out, "batconv: %s: %s, ", summary->options->binary,
		machine_name(binary->image.machine));
	if (binary->plain)
		fputs("not BOLTed: a profile of this very binary", out);
	else
		fprintf(out, "BAT layout %s, %u fragments (%u cold)", bat_layout_name(bat->layout),
			bat->fragment_count, parents->cold);
	fprintf(out, "%s%s\n", *id ? ", build-id " : "", id);
	if (parents->repaired || parents->unknown)
		fprintf(out, "batconv: %s: parents of cold fragments: %u taken from the symbols, %u unknown\n",
			summary->options->binary, parents->repaired, parents->unknown);
	if (binary->functions.stripped)
		fprintf(out,
			"batconv: %s: warning: stripped: functions are named by address, which "
			"llvm-bolt will not match\n",
			summary->options->binary);
}

static uint64_t record_count(const struct perf_data_report *perf)
{
	uint64_t count = perf->other_records;

	for (size_t i = 0; i < PERF_COUNTED_TYPES; i++)
		count += perf->records[i];
	return count;
}

static void print_perf_data(const char *path, const struct reader_report *report, bool verbose,
			    FILE *out)
{
	const struct perf_data_report *perf = &report->perf;

	fprintf(out, "batconv: %s: perf.data%s, %" PRIu64 " records%s\n", path,
		perf->pipe ? " from a pipe" : "", record_count(perf),
		report->timeless ? "; no time stamps: mappings are taken in stream order" : "");
	if (verbose && *perf->info.cmdline)
		fprintf(out, "batconv: %s: recorded on %s by: %s\n", path, perf->info.hostname,
			perf->info.cmdline);
	if (perf->lost_events || perf->lost_samples)
		fprintf(out,
			"batconv: %s: the recorder lost %" PRIu64 " records and %" PRIu64 " samples\n",
			path, perf->lost_events, perf->lost_samples);
	if (perf->late_events)
		fprintf(out,
			"batconv: %s: %" PRIu64 " process events came after later samples, which "
			"could not know of them\n",
			path, perf->late_events);
}

static void print_text(const char *path, const struct reader_report *report, bool samples,
		       FILE *out)
{
	fprintf(out, "batconv: %s: %s, %" PRIu64 " lines%s\n", path,
		input_format_name(report->format), report->lines,
		report->timeless && samples ? "; no time stamps: mappings are taken in stream order"
					    : "");
}

static void print_inputs(const struct summary *summary, bool verbose, FILE *out)
{
	const struct report_vec *inputs = &summary->conversion->inputs;

	for (size_t i = 0; i < inputs->len; i++) {
		const char *path = summary->options->samples[i];
		if (inputs->at[i].format == INPUT_PERF_DATA)
			print_perf_data(path, &inputs->at[i], verbose, out);
		else
			print_text(path, &inputs->at[i],
				   summary->conversion->ledgers.samples.read, out);
	}
}

/* A recording of something else shows in what was mapped, or in nothing kept. */
static void warn_of_little(const struct summary *summary, FILE *out)
{
	const struct conversion *c = summary->conversion;
	uint64_t misfits = c->aggregate.maps.report.misfits;

	if (c->no_disassembler)
		fputs("batconv: warning: libLLVM is missing, which a few functions without a BAT map "
		      "need: their fall-throughs were dropped\n", out);
	const struct image_match *match = &c->aggregate.maps.match;
	if (match->also_found)
		fprintf(out, "batconv: warning: mapped as %s and as %s: taken for one file; --image=PATH "
			     "chooses\n", match->found, match->also_found);
	if (misfits)
		fprintf(out, "batconv: warning: %" PRIu64 " mappings of %s fit none of its executable "
			     "segments and were not used: what ran was another build of it\n",
			misfits, summary->options->binary);
	bool none = !c->ledgers.samples.kept && !c->ledgers.branches.kept && !c->ledgers.traces.kept;
	if (none && !summary->refused)
		fputs("batconv: warning: no sample could be used: the result is empty\n", out);
}

void summary_warnings(const struct summary *summary, FILE *out)
{
	warn_of_little(summary, out);
	const struct report_vec *inputs = &summary->conversion->inputs;

	for (size_t i = 0; i < inputs->len; i++) {
		const struct perf_data_report *perf = &inputs->at[i].perf;
		const char *path = summary->options->samples[i];
		if (!strcmp(path, "-"))
			path = "<stdin>";
		if (perf->unfinished)
			fprintf(out, "batconv: %s: the recorder was stopped before it finished the file; "
				     "what is there was used\n", path);
		if (perf->truncated)
			fprintf(out, "batconv: %s: cut, byte %" PRIu64 ": the file ends within a record; "
				     "what is before it was used\n", path, perf->truncated_at);
		if (perf->has_partial_stacks)
			fprintf(out, "batconv: %s: warning: its branch stacks hold some kinds of branches "
				     "only: fall-throughs are not known (record with -j any,u)\n", path);
		if (perf->trace_records)
			fprintf(out, "batconv: %s: %s\n", path, PERF_TRACE_ADVICE);
	}
}

static void print_reasons(const struct ledger_words *words, const struct ledger *ledger, bool all,
			  FILE *out)
{
	for (size_t i = 0; i < words->reason_count; i++)
		if (all || ledger->dropped[i])
			fprintf(out, "batconv:   %12" PRIu64 " (%4.1f %%) %s\n", ledger->dropped[i],
				percent(ledger->dropped[i], ledger->read), words->reasons[i].text);
}

static void print_ledger(const struct ledger_words *words, const struct ledger *ledger, bool all,
			 FILE *out)
{
	if (!ledger->read && !all)
		return;
	fprintf(out,
		"batconv: %s: %" PRIu64 " read, %" PRIu64 " kept, %" PRIu64 " dropped (%.1f %%)\n",
		words->text, ledger->read, ledger->kept, ledger_dropped(ledger),
		percent(ledger_dropped(ledger), ledger->read));
	print_reasons(words, ledger, all, out);
}

static void print_check(const struct conversion *conversion, FILE *out)
{
	const struct build_check *check = &conversion->check;

	if (check->checked)
		fprintf(out,
			"batconv: build check: %.2f %% of %" PRIu64
			" %s disagree with the binary's code (limit %.0f %%)\n",
			build_check_rate(check), check->checked,
			conversion->basic ? "addresses" : "branches", BUILD_CHECK_LIMIT_PERCENT);
}

static void print_yaml(const struct yaml_report *yaml, FILE *out)
{
	fprintf(out, "batconv: YAML: %zu functions\n", yaml->functions);
	if (yaml->unhashed)
		fprintf(out,
			"batconv:   %zu of them BOLT left alone: without hashes, which llvm-bolt takes "
			"with -profile-ignore-hash only\n", yaml->unhashed);
	if (yaml->blockless)
		fprintf(out, "batconv:   %zu of those without blocks: their control flow is not known\n",
			yaml->blockless);
}

void summary_text(const struct summary *summary, bool verbose, FILE *out)
{
	const struct conversion *conversion = summary->conversion;

	print_binary(summary, out);
	print_inputs(summary, verbose, out);
	print_ledger(&sample_words, &conversion->ledgers.samples, verbose, out);
	print_ledger(&branch_words, &conversion->ledgers.branches, verbose, out);
	print_ledger(&trace_words, &conversion->ledgers.traces, verbose, out);
	print_ledger(&memory_words, &conversion->ledgers.memory, verbose, out);
	print_check(conversion, out);
	if (verbose)
		fprintf(out, "batconv: %zu distinct %s\n", conversion->distinct,
			conversion->basic ? "addresses" : "traces");
	if (summary->yaml)
		print_yaml(summary->yaml, out);
	if (summary->output)
		fprintf(out, "batconv: %zu records written to %s\n",
			summary->options->aggregate_only ? conversion->distinct
							 : conversion->profile.record_count,
			summary->output[0] == '-' && !summary->output[1] ? "<stdout>" : summary->output);
}
