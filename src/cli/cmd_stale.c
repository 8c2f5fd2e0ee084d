/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/json.h"
#include "src/base/output.h"
#include "src/base/share.h"
#include "src/cli/commands.h"
#include "src/cli/operands.h"
#include "src/base/say.h"
#include "src/figures/figure_table.h"
#include "src/figures/staleness.h"

#define STALE_LOST 10 /* functions that are shown */

struct stale_report {
	const char *profile;             /* its path */
	const struct staleness *builds;
	size_t count;
	struct percent min;
	bool wanting; /* one of the builds is below it */
};

/* ---- text ---- */

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
				percent_of(share->count, all), share->samples, percent_of(share->samples, s->samples));
	}
}

static void print_blocks(const struct staleness *s, FILE *out)
{
	struct fitting_share all = all_blocks(s);

	if (!s->has_blocks)
		return;
	fprintf(out, "%" PRIu64 " block%s of stale functions, at which these were entered %" PRIu64 " time%s; llvm-bolt -infer-stale-profile finds again:\n",
		all.count, plural(all.count), all.samples, plural(all.samples));
	for (int i = 0; i < BLOCK_FATES; i++) {
		const struct fitting_share *share = &s->blocks[i];
		if (i == BLOCK_CALL && !s->has_calls)
			fprintf(out, "%-9s %10s          a table alone does not tell what blocks call; some of the others are found by that\n", block_keys[i], "not known");
		else
			fprintf(out, "%-9s %10" PRIu64 " %6.1f %% %20" PRIu64 " %6.1f %%\n", block_keys[i], share->count,
				percent_of(share->count, all.count), share->samples, percent_of(share->samples, all.samples));
	}
}

static void print_lost(const struct staleness *s, FILE *out)
{
	if (s->lost.len)
		fprintf(out, "most samples that are not exact:\n");
	for (size_t i = 0; i < s->lost.len && i < STALE_LOST; i++) {
		const struct lost_function *lost = &s->lost.at[i];
		fprintf(out, "  %6.2f %% %20" PRIu64 "  %-7s ", percent_of(lost->samples, s->samples), lost->samples, fate_keys[lost->fate]);
		if (s->has_blocks && lost->fate == FUNCTION_STALE)
			fprintf(out, "%5.1f %% can be placed  ", percent_of(lost->placed, lost->samples));
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
		fprintf(out, "next      llvm-bolt -infer-stale-profile places at most %.1f %% of the samples, without it %.1f %%\n", placed, exact);
		break;
	case VERDICT_RECORD:
		if (s->functions[FUNCTION_MISSING].count > all_functions(s) / 10 * 9)
			fprintf(out, "next      most of the profile's functions are not in the build: give a build of the program that the profile is of\n");
		else if (s->has_blocks && placed >= STALE_PLACED_PERCENT)
			fprintf(out, "next      collect a new profile: only %.1f %% of the samples are in exact functions, as where the compiler had other options or "
				     "another profile; that llvm-bolt -infer-stale-profile can place %.1f %% of them gains little then\n", exact, placed);
		else if (s->has_blocks)
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
			percent_of(s->lost_branches, s->branches));
	print_blocks(s, out);
	print_lost(s, out);
	print_verdict(s, out);
}

static void stale_text(const struct stale_report *report, FILE *out)
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
		json_real(json, "percent", percent_of(lost->samples, s->samples));
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

static void stale_json(const struct stale_report *report, FILE *out)
{
	struct json json = {.out = out};

	json_open_document(&json, "batconv-stale");
	json_string(&json, "profile", report->profile);
	json_open(&json, "binaries", '[');
	for (size_t i = 0; i < report->count; i++)
		write_build(&json, &report->builds[i]);
	json_close(&json, ']');
	if (report->min.given)
		json_real(&json, "min_exact", report->min.is);
	json_bool(&json, "wanting", report->wanting);
	json_close(&json, '}');
	putc('\n', out);
}

/* ---- the command ---- */

struct arguments {
	const char *output, *hashes;
	bool json;
	struct percent min;
};

static const struct option_row rows[] = {
	{0, "hashes", "FILE", FILE_READ,
	 "llvm-bolt's hashes of BINARY, which has none of its own: the\noutput of 'extract --hashes', or what llvm-bolt -enable-bat\nwrote of it",
	 INTO(hashes)},
	{0, "min-exact", "PERCENT", NO_FILE, "exit code 3 if less than PERCENT of the samples are in exact\nfunctions", INTO(min),
	 .takes = "a number from 0 to 100"},
	{0, "json", NULL, NO_FILE, "as JSON", INTO(json)},
	{'o', "output", "FILE", FILE_WRITTEN, "write to FILE (default: stdout)", INTO(output)},
	SANDBOX_ROW,
	HELP_ROW,
};

static int take_build(const struct arguments *args, const struct old_profile *profile, const char *path, struct staleness *out)
{
	BC_AUTO(new_build_close) struct new_build build = {0};
	struct bc_error err = {0};

	return new_build_open(path, args->hashes, &build, &err) && staleness_take(profile, &build, out, &err) ? EXIT_DONE : fail(&err);
}

static int write_report(const struct arguments *args, struct stale_report *report)
{
	struct output output;
	struct bc_error err;

	for (size_t i = 0; args->min.given && i < report->count; i++)
		report->wanting |= staleness_exact_percent(&report->builds[i]) < args->min.is;
	if (!output_open(args->output, &output, &err))
		return fail(&err);
	(args->json ? stale_json : stale_text)(report, output.file);
	if (!output_commit(&output, &err))
		return fail(&err);
	for (size_t i = 0; args->min.given && i < report->count; i++) {
		double exact = staleness_exact_percent(&report->builds[i]);
		if (exact < args->min.is)
			say(stderr, "%s: %.4f %% of the samples are in exact functions, and --min-exact=%g was asked for", report->builds[i].path,
			    exact, args->min.is);
	}
	return report->wanting ? EXIT_WANTING : EXIT_DONE;
}

static int compare_all(const struct arguments *args, const struct words *paths, const struct old_profile *profile)
{
	struct staleness *builds = calloc(paths->len, sizeof(*builds));
	struct stale_report report = {.profile = paths->at[0], .builds = builds, .count = paths->len - 1, .min = args->min};
	struct bc_error err;
	int code = builds ? EXIT_DONE : (bc_fail_nomem(&err), fail(&err));

	for (size_t i = 1; code == EXIT_DONE && i < paths->len; i++)
		code = take_build(args, profile, paths->at[i], &builds[i - 1]);
	if (code == EXIT_DONE)
		code = write_report(args, &report);
	for (size_t i = 0; builds && i < report.count; i++)
		staleness_free(&builds[i]);
	free(builds);
	return code;
}

static int run_stale(struct command_line *line)
{
	const struct arguments *args = line->arguments;
	BC_AUTO(old_profile_free) struct old_profile profile = {0};
	struct bc_error err = {0};

	operands_profile_first(line);
	return old_profile_read(line->operands.at[0], &profile, &err) ? compare_all(args, &line->operands, &profile) : fail(&err);
}

static int check(struct command_line *line)
{
	const struct arguments *args = line->arguments;

	if (args->hashes && line->operands.len > 2)
		return usage_error(line->command, "--hashes is of one binary, and there is another one,", line->operands.at[2]);
	return EXIT_DONE;
}

const struct command stale_command = {
	.name = "stale", .args = "[OPTION]... PROFILE BINARY...",
	.help = "say how much of a profile fits a new build\n\n"
	"PROFILE is of an earlier build: BOLT's YAML, or fdata; '-' is stdin.  BINARY is the\n"
	"new build, with its hashes (--hashes), or alone, which tells less; or what\n"
	"llvm-bolt -enable-bat wrote of it.  Functions are exact, stale or missing; of stale\n"
	"ones it says how many blocks llvm-bolt -infer-stale-profile finds again.  Of a file\n"
	"with profiles of several programs, each BINARY gets its own.\n"
	"Exit code 3: less is exact than --min-exact asks for, or FILE has hashes of another\nbinary.",
	COMMAND_OPTIONS(rows), .operands = FILE_READ, .places = {PLACE_PROFILE, PLACE_IMAGE}, .count = {2, 0, "a profile and a binary are needed", NULL},
	.size = sizeof(struct arguments), .check = check, .run = run_stale,
};
