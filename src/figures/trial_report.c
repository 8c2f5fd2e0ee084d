/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/trial_report.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

#include "src/base/say.h"
#include "src/base/text.h"
#include "src/figures/figure_table.h"
#include "src/figures/page.h"

/* ---- the verdicts ---- */

void trial_judge(struct trial_report *report)
{
	const struct contest *trial = report->trial;

	for (size_t i = 1; i < trial->count; i++) {
		const struct contender *of = &trial->at[i];
		report->differ |= of->differs;
		report->worse |= trial->rounds && report->has_most &&
				 of->cpu_is.low > 1 + report->most / 100;
		report->undecided |= trial->rounds && of->verdict == TRIAL_UNDECIDED;
	}
	report->failed = report->differ || report->worse || (report->decide && report->undecided);
}

void trial_tell_failure(const struct trial_report *report, FILE *out)
{
	const struct contest *trial = report->trial;
	const char *remedy = NULL;

	for (size_t i = 1; i < trial->count; i++) {
		const struct contender *of = &trial->at[i];
		bool undecided = report->decide && of->verdict == TRIAL_UNDECIDED;
		if (of->differs)
			remedy = "--ignore-output compares times all the same";
		else if (undecided && !remedy)
			remedy = "give a longer --budget";
		if (of->differs)
			say_error(out,
				  trial->at[0].unsteady ?
					  "%s: its output differs from run to run" :
					  "%s: its output or exit code differs from that of %s",
				  of->path, trial->at[0].path);
		else if (report->has_most && of->cpu_is.low > 1 + report->most / 100)
			say_error(out,
				  "%s: slower by at least %.1f %%, and --max-loss=%g was asked for",
				  of->path, (of->cpu_is.low - 1) * 100, report->most);
		else if (undecided)
			say_error(out, "%s: undecided after %zu rounds", of->path, trial->rounds);
	}
	if (remedy)
		say_hint(out, "%s", remedy);
}

/* ---- counts ---- */

static const struct counted_row {
	const char *key, *text;
	size_t at;
} counts[] = {
	{"instructions", "instructions", offsetof(struct run_counts, instructions)},
	{"taken_branches", "taken branches", offsetof(struct run_counts, taken)},
	{"line_misses", "I-cache misses", offsetof(struct run_counts, line_misses)},
	{"lines", "lines of code", offsetof(struct run_counts, lines)},
	{"pages", "pages of code", offsetof(struct run_counts, pages)},
};

static uint64_t count_of(const struct run_counts *counted, const struct counted_row *row)
{
	return *(const uint64_t *)(const void *)((const char *)counted + row->at);
}

/* ---- for people ---- */

static void print_ratio(const struct ratio_estimate *is, FILE *out)
{
	if (is->low <= 0 || isinf(is->high))
		fprintf(out, "%.3f", is->ratio);
	else
		fprintf(out, "%.3f (%.3f to %.3f)", is->ratio, is->low, is->high);
}

/* A table: a row for each binary would be too wide. */
static void print_counts(const struct contest *trial, const char *before, const char *between,
			 const char *after, FILE *out)
{
	for (size_t i = 0; i < BC_COUNT(counts); i++) {
		uint64_t first = count_of(&trial->at[0].counted.median, &counts[i]);
		fprintf(out, "%s%-14s", before, counts[i].text);
		for (size_t k = 0; k < trial->count; k++) {
			uint64_t count = count_of(&trial->at[k].counted.median, &counts[i]);
			fprintf(out, "%s%12" PRIu64, between, count);
			if (k && first)
				fprintf(out, " (%.3f)", (double)count / (double)first);
		}
		fprintf(out, "%s\n", after);
	}
}

/* The smallest difference, in percent, that the interval leaves no room for. */
static double shown_percent(const struct ratio_estimate *is)
{
	double low = 1 / is->low - 1, high = is->high - 1;

	return 100 * (low > high ? low : high);
}

static void print_undecided(const struct contest *trial, const struct contender *of, FILE *out)
{
	if (of->cpu_is.low <= 0 || isinf(of->cpu_is.high)) {
		fputs("undecided: too few rounds", out);
		return;
	}
	fprintf(out, "no difference above %.1f %% could be shown", shown_percent(&of->cpu_is));
	if (of->rounds_for_margin > trial->rounds)
		fprintf(out, "; about %zu more rounds would show %g %%",
			of->rounds_for_margin - trial->rounds, trial->margin * 100);
}

static void print_verdict(const struct contest *trial, const struct contender *of, FILE *out)
{
	switch (of->verdict) {
	case TRIAL_FASTER: fputs("faster", out); break;
	case TRIAL_SLOWER: fputs("slower", out); break;
	case TRIAL_SAME: fprintf(out, "the same within %.1f %%", shown_percent(&of->cpu_is)); break;
	case TRIAL_UNDECIDED: print_undecided(trial, of, out); break;
	}
}

static void print_seconds(const struct contender *of, FILE *out)
{
	fprintf(out, "%.3f s CPU time, %.3f s wall time", of->cpu, of->wall);
}

static void print_events(const struct contest *trial, const struct contender *of, FILE *out)
{
	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++)
		if (trial->has_event[i]) {
			fprintf(out, "  %s: ", counted_event_text(i));
			print_ratio(&of->events[i].is, out);
			fputs(" of the first binary's\n", out);
		}
}

static void print_times(const struct trial_report *report, size_t index, FILE *out)
{
	const struct contest *trial = report->trial;
	const struct contender *of = &trial->at[index];

	print_name(text_of(of->path), out);
	fputs(": ", out);
	if (!index) {
		print_seconds(of, out);
		fprintf(out, " (medians of %zu round%s%s)\n", trial->rounds, plural(trial->rounds),
			report->served ? ", of the server under load" : "");
		return;
	}
	print_verdict(trial, of, out);
	fputs("\n  CPU time:  ", out);
	print_ratio(&of->cpu_is, out);
	fputs(" of the first binary's\n  wall time: ", out);
	print_ratio(&of->wall_is, out);
	fputs(" of the first binary's\n", out);
	print_events(trial, of, out);
	fputs("  ", out);
	print_seconds(of, out);
	putc('\n', out);
}

void trial_text(const struct trial_report *report, FILE *out)
{
	const struct contest *trial = report->trial;

	if (report->differ) {
		for (size_t i = 0; i < trial->count; i++) {
			print_name(text_of(trial->at[i].path), out);
			fprintf(out, ": exit code %d, %" PRIu64 " bytes of output%s\n",
				trial->at[i].first.code, trial->at[i].first.written,
				trial->at[i].differs ? ", which differ" : "");
		}
		return;
	}
	for (size_t i = 0; i < trial->count && trial->rounds; i++)
		print_times(report, i, out);
	if (trial->counted_runs) {
		if (trial->counted_runs == 1)
			fputs("counted in one run of each:\n", out);
		else
			fprintf(out, "counted, medians of %zu runs of each:\n",
				trial->counted_runs);
		print_counts(trial, "  ", "  ", "", out);
	}
}

/* ---- a table for a page of markdown ---- */

static void markdown_name(const char *name, FILE *out)
{
	for (; *name; name++) {
		if (*name == '|' || *name == '`' || *name == '\\')
			putc('\\', out);
		putc((unsigned char)*name < ' ' ? '?' : *name, out);
	}
}

static void markdown_heading(const struct contest *trial, const char *of, FILE *out)
{
	fprintf(out, "\n| %s |", of);
	for (size_t i = 0; i < trial->count; i++) {
		putc(' ', out);
		markdown_name(trial->at[i].path, out);
		fputs(" |", out);
	}
	fputs("\n| ---", out);
	for (size_t i = 0; i < trial->count; i++)
		fputs(" | ---:", out);
	fputs(" |\n", out);
}

/* Medians, and the ratios to the first binary. */
static void markdown_events(const struct contest *trial, FILE *out)
{
	bool begun = false;

	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++) {
		if (!trial->rounds || !trial->has_event[i])
			continue;
		if (!begun)
			markdown_heading(trial, "counted in each round", out);
		begun = true;
		fprintf(out, "| %s", counted_event_text(i));
		for (size_t k = 0; k < trial->count; k++) {
			fprintf(out, " | %.0f", trial->at[k].events[i].count);
			if (!k)
				continue;
			fputs(", ", out);
			print_ratio(&trial->at[k].events[i].is, out);
		}
		fputs(" |\n", out);
	}
}

void trial_markdown(const struct trial_report *report, FILE *out)
{
	const struct contest *trial = report->trial;

	fputs("| binary | CPU time | of the first's (95 % interval) | wall time | verdict |\n"
	      "| --- | ---: | ---: | ---: | --- |\n",
	      out);
	for (size_t i = 0; i < trial->count && (trial->rounds || report->differ); i++) {
		const struct contender *of = &trial->at[i];
		fputs("| ", out);
		markdown_name(of->path, out);
		if (report->differ) {
			fprintf(out, " | | | | %s |\n",
				of->differs ? "its output differs" : "not timed");
			continue;
		}
		fprintf(out, " | %.3f s | ", of->cpu);
		if (i)
			print_ratio(&of->cpu_is, out);
		fprintf(out, " | %.3f s | ", of->wall);
		if (i)
			print_verdict(trial, of, out);
		fputs(" |\n", out);
	}
	fprintf(out, "\n%zu rounds in random order%s.\n", trial->rounds,
		report->served ? "; times are of the server while it had load" : "");
	markdown_events(trial, out);
	if (!trial->counted_runs)
		return;
	markdown_heading(
		trial, trial->counted_runs == 1 ? "counted in one run" : "counted (medians)", out);
	print_counts(trial, "| ", " | ", " |", out);
}

/* ---- JSON ---- */

static const char *const verdict_words[] = {
	[TRIAL_UNDECIDED] = "undecided",
	[TRIAL_FASTER] = "faster",
	[TRIAL_SLOWER] = "slower",
	[TRIAL_SAME] = "same",
};

static struct figure_value real_or_null(double value)
{
	return isfinite(value) ? figure_real(value) : figure_null();
}

FIGURE_READER(ratio_high, struct ratio_estimate, real_or_null(it->high))

static const struct figure_row ratio_rows[] = {
	FIGURES(struct ratio_estimate, , ratio, low),
	{"high", .read = ratio_high},
	{0},
};

/* To a microsecond: runs can be short. */
static void json_seconds(struct json *json, const char *key, double value)
{
	char digits[64];

	snprintf(digits, sizeof(digits), "%.6f", value);
	json_raw(json, key, text_of(digits));
}

/* A median of each event that was counted and, against the first binary, a ratio. */
static void write_events(struct json *json, const struct contest *trial, size_t index)
{
	json_open(json, "events", '{');
	for (unsigned i = 0; i < COUNTED_EVENT_COUNT; i++) {
		const struct contender_event *event = &trial->at[index].events[i];
		if (!trial->has_event[i])
			continue;
		json_open(json, counted_event_key(i), '{');
		json_number(json, "median", (uint64_t)event->count);
		if (index)
			figures_json_object(ratio_rows, &event->is, json, "ratio");
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void write_contender(struct json *json, const struct trial_report *report, size_t index)
{
	const struct contender *of = &report->trial->at[index];

	json_open(json, NULL, '{');
	json_string(json, "binary", of->path);
	json_number(json, "exit_code", (uint64_t)of->first.code);
	json_number(json, "output_bytes", of->first.written);
	if (index)
		json_bool(json, "output_differs", of->differs);
	if (report->trial->rounds) {
		json_seconds(json, "cpu_seconds", of->cpu);
		json_seconds(json, "wall_seconds", of->wall);
	}
	if (index && report->trial->rounds) {
		figures_json_object(ratio_rows, &of->cpu_is, json, "cpu_ratio");
		figures_json_object(ratio_rows, &of->wall_is, json, "wall_ratio");
		json_string(json, "verdict", verdict_words[of->verdict]);
		json_number(json, "rounds_for_margin", of->rounds_for_margin);
	}
	if (report->trial->rounds)
		write_events(json, report->trial, index);
	if (report->trial->counted_runs) {
		json_open(json, "counts", '{');
		for (size_t i = 0; i < BC_COUNT(counts); i++)
			json_number(json, counts[i].key, count_of(&of->counted.median, &counts[i]));
		json_number(json, "unknown_instructions", of->counted.median.unknown);
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void write_contenders(struct json *json, const struct figure_row *row, const void *of)
{
	const struct trial_report *report = of;

	json_open(json, row->key, '[');
	for (size_t i = 0; i < report->trial->count; i++)
		write_contender(json, report, i);
	json_close(json, ']');
}

FIGURE_READER(rounds, struct trial_report, figure_number(it->trial->rounds))
FIGURE_READER(seconds, struct trial_report, figure_real(it->trial->seconds))
FIGURE_READER(margin, struct trial_report, figure_real(it->trial->margin * 100))

static const struct figure_row report_rows[] = {
	FORMAT_ROWS("batconv-compare"),
	FIGURE(struct trial_report, , served),
	{"rounds", .read = rounds},
	{"seconds", .read = seconds},
	{"margin_percent", .read = margin},
	{"binaries", .write = write_contenders},
	{"max_loss", NULL, VALUE(struct trial_report, most), IF(struct trial_report, has_most)},
	FIGURES(struct trial_report, , differ, worse, undecided, failed),
	{0},
};

void trial_json(const struct trial_report *report, FILE *out)
{
	figures_json_document(report_rows, report, out);
}

/* ---- a page for a browser ---- */

/* A look at the interval of CPU time is the number of rounds, the ratio of the last one, the
 * median of all, and the ends of the interval. */
static void write_looks(struct json *json, const struct contender *of)
{
	json_open(json, NULL, '[');
	for (size_t i = 0; i < of->looks.len; i++) {
		const struct trial_look *look = &of->looks.at[i];
		json_open(json, NULL, '[');
		json_number(json, NULL, look->rounds);
		json_real(json, NULL, exp(of->cpu_ratio.logs.at[look->rounds - 1]));
		json_real(json, NULL, look->is.ratio);
		json_real(json, NULL, look->is.low);
		if (isinf(look->is.high))
			json_null(json, NULL);
		else
			json_real(json, NULL, look->is.high);
		json_close(json, ']');
	}
	json_close(json, ']');
}

void trial_page(const struct trial_report *report, FILE *out)
{
	const struct contest *trial = report->trial;
	struct json json = {.out = out, .page = true};

	page_begin(out);
	json_open(&json, NULL, '{');
	json_string(&json, "format", "batconv-compare-page");
	json_string(&json, "batconv", report->version);
	figures_json_object(report_rows, report, &json, "compare");
	json_number(&json, "counted_runs", trial->counted_runs);
	json_open(&json, "looks", '[');
	for (size_t i = 0; i < trial->count; i++)
		write_looks(&json, &trial->at[i]);
	json_close(&json, ']');
	json_close(&json, '}');
	page_end(out);
}
