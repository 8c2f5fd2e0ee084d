/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>

#include "src/quality/heat_write.h"

void heat_write_buckets(const struct heat *heat, const struct heat_run_vec *hottest, FILE *out)
{
	double kilobytes = (double)heat->bucket / 1024, percent = heat->hits ? 100.0 / (double)heat->hits : 0;
	uint64_t buckets = 0, hits = 0;

	fputs("Bucket counts, Size (KB), CDF (%)\n", out);
	for (size_t i = 0; i < hottest->len; i++)
		for (uint64_t k = 0; k < hottest->at[i].count; k++) {
			hits += hottest->at[i].hits;
			buckets++;
			fprintf(out, "%" PRIu64 ", %.4f, %.4f\n", buckets, kilobytes * (double)buckets, percent * (double)hits);
		}
}

/* A share as llvm-bolt-heatmap has it, in a float, so that the last digit is the same. */
static float share(double part, double whole)
{
	return whole > 0 ? (float)(part / whole) : 0;
}

static void write_section(const struct heat *heat, const struct heat_section *s, uint64_t unmapped, FILE *out)
{
	float hotness = share((double)s->hits, (double)heat->hits);
	float mapped = share((double)s->hits, (double)(heat->hits - unmapped));
	float used = share((double)s->touched, (double)heat_section_buckets(heat, s));
	float score = mapped * used;

	fwrite(s->name.at, 1, s->name.len, out);
	fprintf(out, ", 0x%" PRIx64 ", 0x%" PRIx64 ", %.4f, %.4f, %.4f\n", s->begin, s->end, 100. * (double)hotness,
		100. * (double)used, (double)score);
}

void heat_write_sections(const struct heat *heat, const struct heat_sections *sections, FILE *out)
{
	fputs("Section Name, Begin Address, End Address, Percentage Hotness, Utilization Pct, Partition Score\n", out);
	for (size_t i = 0; i < sections->at.len; i++)
		write_section(heat, &sections->at.at[i], sections->unmapped, out);
	if (sections->hot.end)
		write_section(heat, &sections->hot, sections->unmapped, out);
	if (sections->unmapped)
		fprintf(out, "[unmapped], 0x0, 0x0, %.4f, 0, 0\n", 100.0 * (double)sections->unmapped / (double)heat->hits);
}
