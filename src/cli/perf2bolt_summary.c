/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The lines have perf2bolt's words and numbers: scripts look for them. */
#include <inttypes.h>

#include "src/base/share.h"
#include "src/base/text.h"
#include "src/cli/perf2bolt.h"

/* "LABEL: N (P%)", without the share if there is nothing to share. */
static void print_share(const char *label, uint64_t part, uint64_t whole, FILE *out)
{
	fprintf(out, "PERF2BOLT: %s: %" PRIu64, label, part);
	if (whole)
		fprintf(out, " (%.1f%%)", percent_of(part, whole));
	putc('\n', out);
}

void perf2bolt_summary_start(const struct perf2bolt_arguments *arguments, FILE *out)
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
	uint64_t entries = branches->read - branches->dropped[BRANCH_DROP_DROPPED_SAMPLE] - branches->dropped[BRANCH_DROP_NO_PROCESS] -
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
	uint64_t invalid = traces->dropped[TRACE_DROP_TWO_FRAGMENTS] + traces->dropped[TRACE_DROP_INVALID] +
			   traces->dropped[TRACE_DROP_NO_MAP];

	fputs("PERF2BOLT: processing branch events...\n", out);
	print_share("traces mismatching disassembled function contents", invalid, traces->read, out);
	if (percent_of(invalid, traces->read) > 10)
		fputs("\n !! WARNING !! This high mismatch ratio indicates the input binary is probably not the same "
		      "binary used during profiling collection. The generated data may be ineffective for improving "
		      "performance\n\n", out);
	print_share("out of range traces involving unknown regions", traces->dropped[TRACE_DROP_OUTSIDE],
		    traces->read, out);
}

static void print_basic(const struct ledger *samples, FILE *out)
{
	uint64_t taken = samples_taken(samples);

	fputs("PERF2BOLT: processing basic events (without brstack)...\n", out);
	print_share("out of range samples recorded in unknown regions",
		    taken - samples->kept - samples->dropped[SAMPLE_DROP_NO_PARENT] -
			    samples->dropped[SAMPLE_DROP_UNNAMEABLE], taken, out);
}

/* How many buckets hold most of the hits, and how many all. */
static bool print_working_set(const struct perf2bolt_arguments *arguments, const struct heat *heat, uint64_t size, FILE *out)
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
	uint64_t most = heat_working_set(of, &hottest, ((double)wanted - 0.5) * 100 / (double)of->hits);
	for (; unit < 3 && size % 1024 == 0; size /= 1024)
		unit++;
	fprintf(out, "HEATMAP: working set @ bucket size %" PRIu64 "%.*s p%g/total: %" PRIu64 "/%" PRIu64 "\n", size, unit > 0, &"\0KMG"[unit], percent,
		most ? most : 1, of->buckets);
	return true;
}

static bool print_heat(const struct perf2bolt_arguments *arguments, const struct heat *heat, FILE *out)
{
	const struct heat_output *output = &arguments->heat;

	fputs("HEATMAP: building heat map...\n", out);
	if (heat->invalid && heat->raw)
		fprintf(out, "HEATMAP: invalid traces: %" PRIu64 "\n", heat->invalid);
	for (size_t i = 0; i < output->size_count; i++) {
		fprintf(out, "HEATMAP: dumping heatmap with bucket size %" PRIu64 " to ", output->sizes[i]);
		print_name(text_of(output->path), out);
		if (i && !output_is_stdout(output->path))
			fprintf(out, "-%" PRIu64, output->sizes[i]);
		putc('\n', out);
		if (arguments->release->number >= 24 && !print_working_set(arguments, heat, output->sizes[i], out))
			return false;
	}
	return true;
}

bool perf2bolt_summary_read(const struct perf2bolt_arguments *arguments, const struct conversion *conversion,
			    const struct heat *heat, FILE *out, struct bc_error *err)
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
		fprintf(out, "PERF2BOLT: read %" PRIu64 " basic samples\n", samples_taken(&ledgers->samples));
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

void perf2bolt_summary_written(const struct perf2bolt_arguments *arguments,
			      const struct conversion *conversion, FILE *out)
{
	if (arguments->output.format == FORMAT_YAML)
		return;
	if (arguments->output.format == FORMAT_FDATA)
		fprintf(out, "PERF2BOLT: wrote %zu objects and %zu memory objects to ",
			conversion->profile.record_count, conversion->profile.accesses.len);
	else
		fprintf(out, "PERF2BOLT: wrote %zu pre-aggregated objects to ", conversion->preagg.count);
	print_name(text_of(arguments->output.path), out);
	putc('\n', out);
}
