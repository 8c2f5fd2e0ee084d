/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/optimize_report.h"

#include <inttypes.h>
#include <math.h>

#include "src/base/say.h"
#include "src/figures/figure_table.h"

static const char *const how_words[] = {
	[HOW_AUTO] = "auto",   [HOW_LBR] = "lbr",         [HOW_INSTRUMENT] = "instrument",
	[HOW_BASIC] = "basic", [HOW_PROFILE] = "profile",
};

static const char *const verdict_words[] = {
	[VERDICT_TIME] = "time",           [VERDICT_COUNTS] = "counts",
	[VERDICT_DAMAGED] = "damaged",     [VERDICT_DIFFERS] = "differs",
	[VERDICT_SLOWER] = "slower",       [VERDICT_NO_GAIN] = "no_gain",
	[VERDICT_UNDECIDED] = "undecided",
};

/* ---- for people ---- */

static void print_range(const struct ratio_estimate *is, FILE *out)
{
	if (is->low <= 0 || isinf(is->high))
		fputs("too few rounds", out);
	else
		fprintf(out, "%.3f to %.3f", is->low, is->high);
}

/* ", taken branches -41.0 %, I-cache misses +0.2 %" */
static void print_changes(const struct optimize_evidence *of, const char *before, FILE *out)
{
	const struct {
		const char *name;
		uint64_t before, after;
	} changes[] = {
		{"taken branches", of->before.taken, of->after.taken},
		{"I-cache misses", of->before.line_misses, of->after.line_misses},
		{"instructions", of->before.instructions, of->after.instructions},
	};

	for (size_t i = 0; of->counted && i < BC_COUNT(changes); i++)
		if (changes[i].before) {
			fprintf(out, "%s%s %+.1f %%", before, changes[i].name,
				100 * ((double)changes[i].after / (double)changes[i].before - 1));
			before = ", ";
		}
}

static void print_time(const struct optimize_evidence *of, FILE *out)
{
	if (!of->timed) {
		fputs("no time was measured", out);
		return;
	}
	fputs("time undecided (", out);
	print_range(&of->cpu, out);
	putc(')', out);
}

static void print_measured(const struct optimize_report *report, FILE *out)
{
	const struct optimize_evidence *of = &report->of->evidence;

	fprintf(out, "%.3f (", of->cpu.ratio);
	print_range(&of->cpu, out);
	fputs(") of ", out);
	print_name(text_of(report->options->program), out);
	fputs("'s CPU time", out);
	print_changes(of, "; ", out);
}

/* Why it is better, or not. */
static void print_reason(const struct optimize_report *report, FILE *out)
{
	const struct optimization *of = report->of;

	switch (of->verdict) {
	case VERDICT_TIME: print_measured(report, out); break;
	case VERDICT_SLOWER:
		fputs("it is slower: ", out);
		print_measured(report, out);
		break;
	case VERDICT_COUNTS:
		fputs("by counts", out);
		print_changes(&of->evidence, ": ", out);
		fputs("; ", out);
		print_time(&of->evidence, out);
		break;
	case VERDICT_DAMAGED:
		fprintf(out, "'batconv verify' finds errors in it: %s/verify.json", of->job.folder);
		break;
	case VERDICT_DIFFERS:
		fputs(of->contest.at[0].unsteady ?
			      "the output of the program differs from run to run: give --ignore-output to compare times all the same" :
			      "its output or exit code differs from that of the program",
		      out);
		break;
	case VERDICT_NO_GAIN:
		print_time(&of->evidence, out);
		fputs(", and counts are not better", out);
		print_changes(&of->evidence, ": ", out);
		break;
	case VERDICT_UNDECIDED:
		print_time(&of->evidence, out);
		if (of->uncounted)
			fprintf(out, ", and nothing was counted: %s", of->uncounted);
		break;
	}
}

void optimize_text(const struct optimize_report *report, FILE *out)
{
	const struct optimization *of = report->of;
	bool better = of->verdict == VERDICT_TIME || of->verdict == VERDICT_COUNTS;

	fputs(of->kept ? (better ? "kept" : "kept, as --keep=always asks") : "not kept", out);
	fputs(better && of->verdict == VERDICT_COUNTS ? " " : ": ", out);
	print_reason(report, out);
	putc('\n', out);
	if (of->thin && of->how != HOW_PROFILE) {
		fputs("the samples were not enough for all that llvm-bolt can gain: ", out);
		print_name(text_of(of->job.folder), out);
		fprintf(out, "/quality%s.txt says what would be\n",
			report->options->rounds > 1 ? "2" : "");
	}
	if (of->kept) {
		print_name(text_of(report->options->output), out);
		fputs(" is the optimized program\n", out);
	}
	print_name(text_of(of->job.folder), out);
	fputs("/ has the profile, the logs and the reports\n", out);
}

/* ---- JSON ---- */

static void json_change(struct json *json, const char *key, uint64_t before, uint64_t after)
{
	json_open(json, key, '{');
	json_number(json, "before", before);
	json_number(json, "after", after);
	json_close(json, '}');
}

static void write_counts(struct json *json, const struct figure_row *row, const void *at)
{
	const struct optimize_evidence *of = &((const struct optimize_report *)at)->of->evidence;

	if (!of->counted) {
		json_null(json, row->key);
		return;
	}
	json_open(json, row->key, '{');
	json_change(json, "instructions", of->before.instructions, of->after.instructions);
	json_change(json, "taken_branches", of->before.taken, of->after.taken);
	json_change(json, "line_misses", of->before.line_misses, of->after.line_misses);
	json_close(json, '}');
}

static void json_real_or_null(struct json *json, const char *key, double value)
{
	if (isfinite(value))
		json_real(json, key, value);
	else
		json_null(json, key);
}

static void write_time(struct json *json, const struct figure_row *row, const void *at)
{
	const struct optimization *of = ((const struct optimize_report *)at)->of;

	if (!of->evidence.timed) {
		json_null(json, row->key);
		return;
	}
	json_open(json, row->key, '{');
	json_number(json, "rounds", of->contest.rounds);
	json_real(json, "ratio", of->evidence.cpu.ratio);
	json_real(json, "low", of->evidence.cpu.low);
	json_real_or_null(json, "high", of->evidence.cpu.high);
	json_close(json, '}');
}

static void write_steps(struct json *json, const struct figure_row *row, const void *at)
{
	const struct step_done_vec *done = &((const struct optimize_report *)at)->of->job.done;

	json_open(json, row->key, '[');
	for (size_t i = 0; i < done->len; i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", done->at[i].name);
		json_whole_string(json, "command", done->at[i].command);
		json_real(json, "seconds", done->at[i].seconds);
		json_bool(json, "done_before", done->at[i].before);
		json_close(json, '}');
	}
	json_close(json, ']');
}

FIGURE_READER(program, struct optimize_report, figure_string(it->options->program))
FIGURE_READER(output, struct optimize_report,
	      it->of->kept ? figure_string(it->options->output) : figure_null())
FIGURE_READER(bolted, struct optimize_report, figure_string(it->of->bolted))
FIGURE_READER(folder, struct optimize_report, figure_string(it->of->job.folder))
FIGURE_READER(how, struct optimize_report, figure_string(how_words[it->of->how]))
FIGURE_READER(rounds, struct optimize_report, figure_number(it->options->rounds))
FIGURE_READER(few, struct optimize_report, figure_flag(it->of->thin))
FIGURE_READER(kept, struct optimize_report, figure_flag(it->of->kept))
FIGURE_READER(verdict, struct optimize_report, figure_string(verdict_words[it->of->verdict]))

static const struct figure_row rows[] = {
	FORMAT_ROWS("batconv-optimize"),
	{"program", .read = program},
	{"output", .read = output},
	{"bolted", .read = bolted},
	{"folder", .read = folder},
	{"how", .read = how},
	{"rounds", .read = rounds},
	{"few_samples", .read = few},
	{"steps", .write = write_steps},
	{"time", .write = write_time},
	{"counts", .write = write_counts},
	{"verdict", .read = verdict},
	{"kept", .read = kept},
	{0},
};

void optimize_json(const struct optimize_report *report, FILE *out)
{
	figures_json_document(rows, report, out);
}
