/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/record_metrics.h"

#include <inttypes.h>
#include <stdio.h>

#include "src/base/output.h"
#include "src/record/budget.h"

#define PREFIX "batconv_record_"
#define SECOND 1e9

static void head(const char *name, const char *type, const char *help, FILE *out)
{
	fprintf(out, "# TYPE " PREFIX "%s %s\n# HELP " PREFIX "%s %s\n", name, type, name, help);
}

static void counter(const char *name, const char *help, uint64_t value, FILE *out)
{
	head(name, "counter", help, out);
	fprintf(out, PREFIX "%s_total %" PRIu64 "\n", name, value);
}

static void gauge(const char *name, const char *help, uint64_t value, FILE *out)
{
	head(name, "gauge", help, out);
	fprintf(out, PREFIX "%s %" PRIu64 "\n", name, value);
}

static uint64_t shards_of(const struct record_shards *shards)
{
	uint64_t count = 0;

	for (size_t i = 0; i < shards->binaries.len; i++)
		count += shards->binaries.at[i].shards;
	return count;
}

static void print(const struct recorder_stats *stats, const struct record_shards *shards, FILE *out)
{
	counter("samples", "Samples that were read from the ring buffers.", stats->samples.read,
		out);
	counter("samples_kept", "Samples that were counted for a file.", stats->samples.kept, out);
	head("samples_dropped", "counter", "Samples that were dropped, by reason.", out);
	for (size_t i = 0; i < recorded_words.reason_count; i++)
		fprintf(out, PREFIX "samples_dropped_total{reason=\"%s\"} %" PRIu64 "\n",
			recorded_words.reasons[i].key, stats->samples.dropped[i]);
	counter("lost", "Records for which the kernel had no room.",
		stats->lost + stats->lost_samples, out);
	counter("throttled", "How often the kernel held sampling back.", stats->throttled, out);
	head("cpu_seconds", "counter", "Processor time of batconv.", out);
	fprintf(out, PREFIX "cpu_seconds_total %.6f\n", (double)budget_process_cpu() / SECOND);
	gauge("memory_bytes", "Memory of counts, processes and mappings.", stats->memory, out);
	counter("shards", "Shards that were written.", shards_of(shards), out);
	counter("shard_bytes", "Disk that they took.", shards->folder.written_bytes, out);
	counter("shards_deleted", "Older shards that --keep has deleted.", shards->folder.deleted,
		out);
	gauge("failing", "1 while shards cannot be written.", shards->failing, out);
	fputs("# EOF\n", out);
}

bool record_metrics_write(const char *path, const struct recorder_stats *stats,
			  const struct record_shards *shards, struct bc_error *err)
{
	struct output output;

	if (!output_open(path, &output, err))
		return false;
	print(stats, shards, output.file);
	return output_commit(&output, err);
}
