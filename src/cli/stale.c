/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>

#include "src/cli/print.h"
#include "src/cli/say.h"
#include "src/cli/stale.h"
#include "src/output/figure_table.h"

static const char *const fate_keys[FUNCTION_FATES] = {
	[FUNCTION_EXACT] = "exact", [FUNCTION_STALE] = "stale", [FUNCTION_MISSING] = "missing", [FUNCTION_UNKNOWN] = "unknown"};
static const char *const block_keys[BLOCK_FATES] = {
	[BLOCK_EXACT] = "exact", [BLOCK_CALL] = "call", [BLOCK_LOOSE] = "loose", [BLOCK_LOST] = "none"};
static const char *const means_keys[] = {
	[STALE_BY_HASHES] = "hashes", [STALE_BY_BLOCK_COUNTS] = "block-counts", [STALE_BY_PLACES] = "places"};
static const char *const verdict_keys[] = {[VERDICT_FITS] = "fits", [VERDICT_INFER] = "infer", [VERDICT_RECORD] = "record"};

static uint64_t all_functions(const struct staleness *s)
{
	uint64_t all = 0;

	for (int i = 0; i < FUNCTION_FATES; i++)
		all += s->functions[i].count;
	return all;
}

static struct fitting_share all_blocks(const struct staleness *s)
{
	struct fitting_share all = {0};

	for (int i = 0; i < BLOCK_FATES; i++) {
		all.count += s->blocks[i].count;
		all.samples += s->blocks[i].samples;
	}
	return all;
}

/* What the figures rest on, and what they cannot tell. */
static const char *means_words(const struct staleness *s)
{
	if (s->means == STALE_BY_PLACES)
		return "fdata has no hashes: a function is exact if the new code can make all of its branches";
	if (s->means == STALE_BY_HASHES)
		return "by llvm-bolt's hashes";
	if (s->document->hashed)
		return "the build has no hashes (extract --hashes makes some, for --hashes): a function is exact if it has as many blocks, "
		       "which a changed one can have, too";
	return "the profile has no hashes: a function is exact if it has as many blocks, which a changed one can have, too";
}

static void print_functions(const struct staleness *s, FILE *out)
{
	uint64_t all = all_functions(s);

	fprintf(out, "%-9s %10s %8s %20s %8s\n", "", "functions", "", "samples", "");
	for (int i = 0; i < FUNCTION_FATES; i++) {
		const struct fitting_share *share = &s->functions[i];
		if (i != FUNCTION_UNKNOWN || share->count)
			fprintf(out, "%-9s %10" PRIu64 " %6.1f %% %20" PRIu64 " %6.1f %%\n", fate_keys[i], share->count,
				stale_percent(share->count, all), share->samples, stale_percent(share->samples, s->samples));
	}
}

static void print_blocks(const struct staleness *s, FILE *out)
{
	struct fitting_share all = all_blocks(s);

	if (!s->has_blocks)
		return;
	fprintf(out, "%" PRIu64 " blocks of stale functions, at which these were entered %" PRIu64 " times; llvm-bolt -infer-stale-profile finds again:\n",
		all.count, all.samples);
	for (int i = 0; i < BLOCK_FATES; i++) {
		const struct fitting_share *share = &s->blocks[i];
		if (i == BLOCK_CALL && !s->has_calls)
			fprintf(out, "%-9s %10s          a table alone does not tell what blocks call; some of the others are found by that\n", block_keys[i], "not known");
		else
			fprintf(out, "%-9s %10" PRIu64 " %6.1f %% %20" PRIu64 " %6.1f %%\n", block_keys[i], share->count,
				stale_percent(share->count, all.count), share->samples, stale_percent(share->samples, all.samples));
	}
}

static void print_lost(const struct staleness *s, FILE *out)
{
	if (s->lost.len)
		fprintf(out, "most samples that are not exact:\n");
	for (size_t i = 0; i < s->lost.len && i < STALE_LOST; i++) {
		const struct lost_function *lost = &s->lost.at[i];
		fprintf(out, "  %6.2f %% %20" PRIu64 "  %-7s ", stale_percent(lost->samples, s->samples), lost->samples, fate_keys[lost->fate]);
		if (s->has_blocks && lost->fate == FUNCTION_STALE)
			fprintf(out, "%5.1f %% can be placed  ", stale_percent(lost->placed, lost->samples));
		print_name(lost->name, out);
		putc('\n', out);
	}
}

static void print_verdict(const struct staleness *s, FILE *out)
{
	double exact = staleness_exact_percent(s), placed = staleness_placed_percent(s);

	switch (staleness_verdict(s)) {
	case VERDICT_FITS:
		fprintf(out, "next      the profile fits: %.1f %% of its samples are in exact functions\n", exact);
		break;
	case VERDICT_INFER:
		fprintf(out, "next      llvm-bolt -infer-stale-profile will place %.1f %% of the samples, without it %.1f %%\n", placed, exact);
		break;
	case VERDICT_RECORD:
		if (s->has_blocks)
			fprintf(out, "next      collect a new profile: even llvm-bolt -infer-stale-profile can place only %.1f %% of the samples\n", placed);
		else
			fprintf(out, "next      collect a new profile: only %.1f %% of the samples are in exact functions\n", exact);
		break;
	}
}

static void print_build(const struct stale_report *report, const struct staleness *s, FILE *out)
{
	print_name(text_of(report->profile), out);
	fputs(" on ", out);
	print_name(text_of(s->path), out);
	fprintf(out, ": %s\n", means_words(s));
	print_functions(s, out);
	if (s->means == STALE_BY_PLACES)
		fprintf(out, "%" PRIu64 " branches, of which the new code cannot make %" PRIu64 " (%.1f %%)\n", s->branches, s->lost_branches,
			stale_percent(s->lost_branches, s->branches));
	print_blocks(s, out);
	print_lost(s, out);
	print_verdict(s, out);
}

void stale_text(const struct stale_report *report, FILE *out)
{
	for (size_t i = 0; i < report->count; i++) {
		if (i)
			putc('\n', out);
		print_build(report, &report->builds[i], out);
	}
}

/* ---- JSON ---- */

static const struct figure_row share_rows[] = {FIGURES(struct fitting_share, , count, samples), {0}};

static void write_share(struct json *json, const char *key, const struct fitting_share *share)
{
	figures_json_object(share_rows, share, json, key);
}

static void write_blocks(struct json *json, const struct staleness *s)
{
	struct fitting_share all = all_blocks(s);

	if (!s->has_blocks) {
		json_null(json, "blocks");
		return;
	}
	json_open(json, "blocks", '{');
	write_share(json, "all", &all);
	for (int i = 0; i < BLOCK_FATES; i++) {
		if (i == BLOCK_CALL && !s->has_calls)
			json_null(json, block_keys[i]);
		else
			write_share(json, block_keys[i], &s->blocks[i]);
	}
	json_close(json, '}');
}

static void write_lost(struct json *json, const struct staleness *s)
{
	json_open(json, "lost", '[');
	for (size_t i = 0; i < s->lost.len && i < STALE_LOST; i++) {
		const struct lost_function *lost = &s->lost.at[i];
		json_open(json, NULL, '{');
		json_text(json, "function", lost->name);
		json_string(json, "is", fate_keys[lost->fate]);
		json_number(json, "samples", lost->samples);
		json_real(json, "percent", stale_percent(lost->samples, s->samples));
		if (s->has_blocks)
			json_number(json, "placed", lost->placed);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_build(struct json *json, const struct staleness *s)
{
	struct text program = old_document_program(s->document);

	json_open(json, NULL, '{');
	json_string(json, "binary", s->path);
	if (program.len)
		json_text(json, "program", program);
	json_string(json, "by", means_keys[s->means]);
	json_number(json, "samples", s->samples);
	json_open(json, "functions", '{');
	for (int i = 0; i < FUNCTION_FATES; i++)
		write_share(json, fate_keys[i], &s->functions[i]);
	json_close(json, '}');
	write_blocks(json, s);
	if (s->means == STALE_BY_PLACES) {
		json_open(json, "branches", '{');
		json_number(json, "all", s->branches);
		json_number(json, "lost", s->lost_branches);
		json_close(json, '}');
	}
	json_real(json, "exact_percent", staleness_exact_percent(s));
	if (s->has_blocks)
		json_real(json, "placed_percent", staleness_placed_percent(s));
	else
		json_null(json, "placed_percent");
	write_lost(json, s);
	json_string(json, "verdict", verdict_keys[staleness_verdict(s)]);
	json_close(json, '}');
}

void stale_json(const struct stale_report *report, FILE *out)
{
	struct json json = {.out = out};

	json_open(&json, NULL, '{');
	json_string(&json, "format", "batconv-stale");
	json_number(&json, "version", 1);
	json_string(&json, "profile", report->profile);
	json_open(&json, "binaries", '[');
	for (size_t i = 0; i < report->count; i++)
		write_build(&json, &report->builds[i]);
	json_close(&json, ']');
	if (report->has_min)
		json_real(&json, "min_exact", report->min);
	json_bool(&json, "wanting", report->wanting);
	json_close(&json, '}');
	putc('\n', out);
}
