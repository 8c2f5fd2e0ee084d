/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/quality_report.h"

#include <inttypes.h>
#include <stdarg.h>

#include "src/base/file.h"
#include "src/base/say.h"
#include "src/base/counts.h"
#include "src/base/text.h"
#include "src/figures/figure_table.h"
#include "src/figures/summary.h"

/* ---- verdicts ---- */

/* The limits between the verdicts, as in docs/quality.md. */
#define KEPT_ENOUGH      95.0 /* percent */
#define STABLE_ENOUGH    93.0 /* percent; docs/quality.md, "Stability" */
#define MORE_HELPS       1.0  /* point of the taken branches */
#define COLD_MUCH        10.0 /* percent of the hottest samples */
#define INFERRED_ENOUGH  90.0 /* percent of the samples */
#define MOVED_MUCH       20.0 /* percent of those that are inferred from */
#define BIAS_MUCH        10.0 /* percent */
#define UNREACHABLE_MUCH 10.0 /* percent */

static const char *verdict_key(enum verdict_about about)
{
#define X(name, key) key,
	static const char *const keys[] = {VERDICTS(X)};
#undef X

	return keys[about];
}

static const char *verdict_word(enum verdict_kind kind)
{
	static const char *const words[] = {"none", "good", "warning", "bad"};

	return words[kind];
}

BC_PRINTF(3, 4)
static void say_so(struct verdict *out, enum verdict_kind kind, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(out->text, sizeof(out->text), fmt, args);
	va_end(args);
	out->kind = kind;
}

static void judge_build(const struct conversion *c, struct verdict *out)
{
	double rate = build_check_rate(&c->check);
	const char *what = build_check_words(&c->check, c->basic);
	enum belonging belonging = conversion_belonging(c);

	if (!c->check.checked)
		say_so(out, VERDICT_WARNING,
		       "nothing could be checked: whether the samples are of this build is not known");
	else if (belonging == BELONGS_PERHAPS)
		say_so(out, VERDICT_WARNING,
		       "the samples may be of another build: %.1f %% of their %s do not match the code, but these are few",
		       rate, what);
	else if (belonging == BELONGS_BY_ID)
		say_so(out, VERDICT_WARNING,
		       "the samples have the build-id of this build, but %.1f %% of their %s do not match its code",
		       rate, what);
	else if (belonging == BELONGS_NOT)
		say_so(out, VERDICT_BAD,
		       "the samples are of another build: %.1f %% of their %s do not match the code",
		       rate, what);
	else if (rate > 0)
		say_so(out, VERDICT_WARNING,
		       "the samples are of this build, but %.2g %% of their %s do not match its code",
		       rate, what);
	else
		say_so(out, VERDICT_GOOD,
		       "the samples are of this build: all %s agree with its code", what);
	out->harmless = belonging == BELONGS && out->kind == VERDICT_WARNING && c->check.checked;
}

static void judge_compiler(const struct compiler_counts *f, struct verdict *out)
{
	double counted = compiler_counted_percent(f);

	if (f->forced)
		say_so(out, VERDICT_WARNING,
		       "no function has a count: these are the compiler's guesses");
	else if (compiler_counts_few(f))
		say_so(out, VERDICT_WARNING,
		       "only %.1f %% of the functions of the compiler's map have a count: its profile was of other code, or of too little",
		       counted);
	else if (compiler_counts_older(f))
		say_so(out, VERDICT_WARNING,
		       "the compiler's profile was of older code: %.1f %% of the functions with a count are called more often than they were entered",
		       compiler_undercounted_percent(f));
	else
		say_so(out, VERDICT_GOOD,
		       "the counts are the compiler's, of this very build: %.1f %% of the functions of its map have one, and %.1f %% of these are "
		       "called more often than they were entered",
		       counted, compiler_undercounted_percent(f));
}

static void judge_kept(const struct quality *q, struct verdict *out)
{
	if (!q->kept_of)
		say_so(out, VERDICT_BAD, "no sample is of this binary");
	else if (q->kept < KEPT_ENOUGH)
		say_so(out, VERDICT_WARNING,
		       "only %.1f %% of the usable data is in the profile: see what was dropped",
		       q->kept);
	else
		say_so(out, VERDICT_GOOD, "%.1f %% of the usable data is in the profile", q->kept);
}

static void judge_gain(const struct quality *q, struct verdict *out)
{
	const struct gain *gain = &q->gain;
	char text[GAIN_SENTENCE];

	if (!gain->known)
		return;
	gain_sentence(gain, text);
	say_so(out, gain->verdict == GAIN_ENOUGH ? VERDICT_GOOD : VERDICT_WARNING, "%s", text);
	out->few = gain->verdict != GAIN_ENOUGH && gain->more >= MORE_HELPS;
}

static void judge_stability(const struct quality *q, struct verdict *out)
{
	const struct stability *s = &q->stability;
	double more = s->layout > 0 ? 100 * (100 / s->layout - 1) : 0;

	if (q->gain.known)
		return;
	if (!q->has_stability)
		say_so(out, VERDICT_WARNING,
		       "whether more samples would change the layout is not known: no branches are");
	else if (!(s->layout > 0))
		say_so(out, VERDICT_WARNING,
		       "more samples would change the layout: a half of these has no branch");
	else if (s->layout < STABLE_ENOUGH)
		say_so(out, VERDICT_WARNING,
		       "more samples would change the layout: in the one that a half of these makes, the other half takes %.1f %% more branches "
		       "than in its own",
		       more);
	else if (s->percent < STABLE_ENOUGH)
		say_so(out, VERDICT_WARNING,
		       "the layout is uncertain: the halves of the samples agree on it, but %.1f %% of the samples were reassigned to other blocks",
		       inferred_moved_percent(&q->inferred));
	else
		say_so(out, VERDICT_GOOD,
		       "enough samples: in the layout that a half of these makes, the other half takes only %.1f %% more branches than in its own",
		       more);
	out->few = q->has_stability && s->layout < STABLE_ENOUGH;
}

static void judge_coverage(const struct quality *q, struct verdict *out)
{
	const struct coverage *c = &q->coverage;
	uint64_t held = c->held_functions[HELD_LEVELS - 1];

	if (!c->samples)
		say_so(out, VERDICT_BAD, "no function has a sample");
	else if (c->has_bytes)
		say_so(out, VERDICT_GOOD,
		       "%.0f %% of the %s are in %" PRIu64 " function%s, and in %.1f KiB of code",
		       held_levels[HELD_LEVELS - 1], quality_counted(q), held, plural(held),
		       (double)c->held_bytes[HELD_LEVELS - 1] / 1024);
	else
		say_so(out, VERDICT_GOOD, "%.0f %% of the %s are in %" PRIu64 " function%s",
		       held_levels[HELD_LEVELS - 1], quality_counted(q), held, plural(held));
}

static void judge_places(const struct quality *q, const struct conversion *c, struct verdict *out)
{
	const struct code_places *p = &q->places;
	double cold =
		percent_of(p->hottest[PLACE_COLD] + p->hottest[PLACE_ORIGINAL], p->hottest_sum);

	if (conversion_binary(c)->kind != BINARY_BOLTED || !p->hottest_sum)
		return;
	if (cold > COLD_MUCH)
		say_so(out, VERDICT_WARNING,
		       "the workload is not the one that the binary was built for: %.1f %% of its hottest "
		       "samples are in cold code or original bodies; optimize it again",
		       cold);
	else
		say_so(out, VERDICT_GOOD,
		       "the binary fits its workload: %.1f %% of the hottest samples are in cold code or original bodies",
		       cold);
}

/* For basic samples: are their branches known, and how well? */
static void judge_inferred(const struct quality *q, const struct conversion *c, struct verdict *out)
{
	double share = inferred_percent(&q->inferred), moved = inferred_moved_percent(&q->inferred);

	if (!inferred_of(&q->inferred) && q->has_inferred)
		return;
	if (c->not_inferred.code)
		say_so(out, VERDICT_WARNING, "no branches are inferred: %s", c->not_inferred.text);
	else if (!q->has_inferred)
		say_so(out, VERDICT_WARNING,
		       "no branches are inferred, and llvm-bolt lays out poorly from addresses: give --input=INPUT, the binary that it read");
	else if (share < INFERRED_ENOUGH)
		say_so(out, VERDICT_WARNING,
		       "branches are inferred from only %.1f %% of the samples", share);
	else if (moved > MOVED_MUCH && !q->gain.known)
		say_so(out, VERDICT_WARNING,
		       "branches are inferred from %.1f %% of the samples, but %.1f %% of these are reassigned to other blocks: the flow is uncertain",
		       share, moved);
	else
		say_so(out, VERDICT_GOOD,
		       "branches are inferred from %.1f %% of the samples, and %s%.1f %% of these are reassigned to other blocks",
		       share, moved > MOVED_MUCH ? "" : "only ", moved);
}

static void judge_flow(const struct quality *q, struct verdict *out)
{
	const struct flow_figures *f = &q->flow;
	char biased[96] = "", unreached[112] = "";

	out->harmless = q->gain.known && q->gain.verdict == GAIN_ENOUGH;
	if (f->bias > BIAS_MUCH)
		snprintf(biased, sizeof(biased),
			 "inflow and outflow of a block differ by %.1f %% (limit %.0f %%)", f->bias,
			 BIAS_MUCH);
	if (f->unreachable > UNREACHABLE_MUCH)
		snprintf(
			unreached, sizeof(unreached),
			"%.1f %% of them are in blocks that no counted branch reaches (limit %.0f %%)",
			f->unreachable, UNREACHABLE_MUCH);
	if (!f->functions)
		say_so(out, VERDICT_WARNING, "no function has a flow");
	else if (*biased || *unreached)
		say_so(out, VERDICT_WARNING, "counts do not add up: %s%s%s%s", unreached,
		       *biased && *unreached ? ", and " : "", biased,
		       out->harmless ? "; the expected gain is good all the same" :
		       q->of_samples ? "; record more samples" :
				       "");
	else if (q->says_inferred)
		say_so(out, VERDICT_GOOD,
		       "branches were inferred so that counts add up: bias %.1f %%, and %.1f %% of the counts are in blocks that no counted branch "
		       "reaches",
		       f->bias, f->unreachable);
	else
		say_so(out, VERDICT_GOOD,
		       "counts add up as a whole: inflow and outflow of a block differ by %.1f %% (bias), and %.1f %% of the counts are "
		       "in blocks that no counted branch reaches",
		       f->bias, f->unreachable);
}

static void verdicts_take(const struct quality *q, const struct conversion *c,
			  struct verdict out[VERDICT_COUNT])
{
	for (int i = 0; i < VERDICT_COUNT; i++)
		out[i] = (struct verdict){0};
	if (q->of_compiler)
		judge_compiler(&c->compiler, &out[VERDICT_BUILD]);
	else if (c)
		judge_build(c, &out[VERDICT_BUILD]);
	if (q->has_kept)
		judge_kept(q, &out[VERDICT_KEPT]);
	judge_gain(q, &out[VERDICT_GAIN]);
	if (q->of_samples)
		judge_stability(q, &out[VERDICT_STABILITY]);
	judge_coverage(q, &out[VERDICT_COVERAGE]);
	if (c)
		judge_places(q, c, &out[VERDICT_LAYOUT]);
	if (c && q->basic)
		judge_inferred(q, c, &out[VERDICT_INFERRED]);
	if (q->has_flow)
		judge_flow(q, &out[VERDICT_FLOW]);
}

/* ---- limits ---- */

#define X(name, figure, least) {figure, least},
static const struct gate_row {
	const char *figure;
	bool least; /* at least so much; else at most */
} gate_rows[] = {QUALITY_GATES(X)};
#undef X

static const char *way_of(const struct gate_row *row)
{
	return row->least ? "min" : "max";
}

static struct gate_result value_of(const struct quality *q, enum quality_gate_number gate)
{
	uint64_t cold = q->places.hottest[PLACE_COLD] + q->places.hottest[PLACE_ORIGINAL];

	switch (gate) {
	case GATE_GAIN: return (struct gate_result){q->gain.known, q->gain.expected, false};
	case GATE_ENOUGH: return (struct gate_result){q->gain.known, q->gain.of_whole, false};
	case GATE_STABILITY:
		return (struct gate_result){q->has_stability, q->stability.percent, false};
	case GATE_DENSITY: return (struct gate_result){q->has_density, q->density.density, false};
	case GATE_KEPT: return (struct gate_result){q->has_kept && q->kept_of, q->kept, false};
	case GATE_BIAS:
		return (struct gate_result){q->has_flow && q->flow.blocks, q->flow.bias, false};
	case GATE_DISCONTINUITY:
		return (struct gate_result){q->has_flow && q->flow.functions, q->flow.discontinuity,
					    false};
	case GATE_COLD:
		return (struct gate_result){q->places.hottest_sum,
					    percent_of(cold, q->places.hottest_sum), false};
	case GATE_INFERRED:
		return (struct gate_result){q->has_inferred && inferred_of(&q->inferred),
					    inferred_percent(&q->inferred), false};
	case GATE_REASSIGNED:
		return (struct gate_result){q->has_inferred && q->inferred.solved.samples,
					    inferred_moved_percent(&q->inferred), false};
	case GATE_COUNT: break;
	}
	return (struct gate_result){0};
}

static enum outcome outcome_of(const struct quality_report *report)
{
	const struct conversion *c = report->conversion;
	const struct verdict *verdicts = report->verdicts;

	if (verdicts[VERDICT_BUILD].kind == VERDICT_BAD)
		return OUTCOME_OTHER_BUILD;
	if (verdicts[VERDICT_COVERAGE].kind == VERDICT_BAD)
		return OUTCOME_EMPTY;
	if (c->options.from_compiler && verdicts[VERDICT_BUILD].kind == VERDICT_WARNING)
		return OUTCOME_DOUBTED;
	if (conversion_binary(c)->kind != BINARY_BOLTED)
		return OUTCOME_FIRST;
	if (report->quality->basic && !report->quality->has_inferred)
		return OUTCOME_ADDRESSES;
	if (verdicts[VERDICT_LAYOUT].kind == VERDICT_WARNING)
		return OUTCOME_MISPLACED;
	for (int i = 0; i < VERDICT_COUNT; i++)
		if (verdicts[i].kind == VERDICT_WARNING && !verdicts[i].harmless)
			return OUTCOME_UNSURE;
	return OUTCOME_FITS;
}

static void advise_now(struct quality_report *report)
{
	const struct conversion_options *options = &report->conversion->options;
	const struct binary *binary = conversion_binary(report->conversion);
	const struct bolt_reads reads = bolt_reads_of(report->conversion);
	const struct outcome_files files = {options->binary,
					    options->input,
					    options->samples,
					    options->sample_count,
					    NULL,
					    options->from_compiler,
					    options->force_map,
					    reads.path ? &reads.input : NULL,
					    binary->kind == BINARY_UNTOUCHED ? binary->debug.path :
									       NULL};

	advise_outcome(outcome_of(report),
		       report->verdicts[VERDICT_GAIN].few ||
			       report->verdicts[VERDICT_STABILITY].few,
		       &files, &report->next);
}

void quality_judge(struct quality_report *report)
{
	verdicts_take(report->quality, report->conversion ? report->conversion : NULL,
		      report->verdicts);
	if (report->conversion)
		advise_now(report);
	report->failed = report->verdicts[VERDICT_BUILD].kind == VERDICT_BAD ||
			 report->verdicts[VERDICT_COVERAGE].kind == VERDICT_BAD;
	for (int i = 0; i < GATE_COUNT; i++) {
		const struct quality_gate *gate = &report->gates[i];
		struct gate_result *result = &report->results[i];
		*result = value_of(report->quality, (enum quality_gate_number)i);
		result->passed =
			result->known && (gate_rows[i].least ? result->value >= gate->limit :
							       result->value <= gate->limit);
		if (i == GATE_ENOUGH && report->quality->gain.verdict != GAIN_ENOUGH)
			result->passed = false; /* also where all is uncertain */
		report->failed |= gate->set && !result->passed;
	}
}

void quality_tell_gates(const struct quality_report *report, FILE *out)
{
	for (int i = 0; i < GATE_COUNT; i++) {
		const struct quality_gate *gate = &report->gates[i];
		const struct gate_result *result = &report->results[i];
		const char *way = way_of(&gate_rows[i]), *figure = gate_rows[i].figure;
		if (!gate->set || result->passed)
			continue;
		if (i == GATE_ENOUGH && result->known)
			say_error(out, "--enough was asked for: %s",
				  report->verdicts[VERDICT_GAIN].text);
		else if (i == GATE_ENOUGH)
			say_error(
				out,
				"what the next binary gains is not known, and --enough was asked for");
		else if (!result->known)
			say_error(out, "%s is not known, and --%s-%s=%g was asked for", figure, way,
				  figure, gate->limit);
		else
			say_error(out, "%s is %.*f, and --%s-%s=%g was asked for", figure,
				  figure_digits(result->value, gate->limit), result->value, way,
				  figure, gate->limit);
	}
}

/* ---- figures ---- */

static void write_ledger(struct json *json, const struct figure_row *row, const void *at)
{
	const struct ledger_words *words = row->with;
	const struct ledger *ledger = at;

	json_open(json, words->key, '{');
	json_number(json, "read", ledger->read);
	json_number(json, "kept", ledger->kept);
	json_open(json, "dropped", '[');
	for (size_t i = 0; i < words->reason_count; i++) {
		if (!ledger->dropped[i])
			continue;
		json_open(json, NULL, '{');
		json_string(json, "reason", words->reasons[i].key);
		json_number(json, "count", ledger->dropped[i]);
		json_bool(json, "loss", words->reasons[i].kind == DROP_LOST);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
}

static void print_ledger(const struct figure_row *row, const void *at, FILE *out)
{
	const struct ledger_words *words = row->with;
	const struct ledger *ledger = at;

	if (ledger->read)
		fprintf(out, "  %12" PRIu64 " of %" PRIu64 " %s used\n", ledger->kept, ledger->read,
			words->text);
	for (int lost = 1; lost >= 0; lost--)
		for (size_t i = 0; ledger->read && i < words->reason_count; i++)
			if (ledger->dropped[i] && (words->reasons[i].kind == DROP_LOST) == lost)
				fprintf(out, "  %12" PRIu64 " %s: %s\n", ledger->dropped[i],
					lost ? "lost" : "excluded", words->reasons[i].text);
}

static void write_held(struct json *json, const struct figure_row *row, const void *quality)
{
	const struct coverage *c = &((const struct quality *)quality)->coverage;

	json_open(json, row->key, '[');
	for (size_t i = 0; i < HELD_LEVELS; i++) {
		json_open(json, NULL, '{');
		json_real(json, "percent", held_levels[i]);
		json_number(json, "functions", c->held_functions[i]);
		if (c->has_bytes)
			json_number(json, "bytes", c->held_bytes[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_held(const struct figure_row *row, const void *of, FILE *out)
{
	const struct quality *quality = of;
	const struct coverage *c = &quality->coverage;

	(void)row;
	for (size_t i = 0; i < HELD_LEVELS; i++) {
		fprintf(out, "  %10.0f %% of %s are in %" PRIu64 " function%s", held_levels[i],
			quality_counted(quality), c->held_functions[i],
			plural(c->held_functions[i]));
		if (c->has_bytes)
			fprintf(out, ", %.1f KiB of code", (double)c->held_bytes[i] / 1024);
		putc('\n', out);
	}
}

#define X(name, key, text)                                                                         \
	FIGURE_READER(percent_of_##name, struct code_places,                                       \
		      figure_real(percent_of(it->all[PLACE_##name], it->sum)))                     \
	FIGURE_READER(hottest_of_##name, struct code_places,                                       \
		      figure_real(percent_of(it->hottest[PLACE_##name], it->hottest_sum)))
CODE_PLACES(X)
#undef X

#define X(name, key, text)                                                                         \
	{key, BEGIN},                                                                              \
		{"samples",                                                                        \
		 "  {percent:10.1} % of the samples " text                                         \
		 "; {hottest_percent:.1} % of the hottest\n",                                      \
		 VALUE(struct code_places, all[PLACE_##name]), .any = true},                       \
		{"percent", .read = percent_of_##name},                                            \
		{"hottest_percent", .read = hottest_of_##name}, {END},
static const struct figure_row place_rows[] = {CODE_PLACES(X){0}};
#undef X

static void print_inferred(const struct figure_row *row, const void *inferred, FILE *out)
{
	const struct inferred *i = inferred;

	(void)row;
	if (!inferred_of(i))
		return;
	fprintf(out,
		"  %12" PRIu64 " samples of %" PRIu64 ", in %" PRIu64 " function%s; %" PRIu64
		" of them reassigned to other blocks\n",
		i->solved.samples, inferred_of(i), i->solved.functions, plural(i->solved.functions),
		i->moved);
	if (i->plt.samples)
		fprintf(out,
			"  %12" PRIu64
			" samples in PLT entries, whose calls are counted in their callers\n",
			i->plt.samples);
#define X(share, text)                                                                             \
	if (i->share.samples)                                                                      \
		fprintf(out,                                                                       \
			"  %12" PRIu64 " samples in %" PRIu64                                      \
			" function%s: entries alone, because %s\n",                                \
			i->share.samples, i->share.functions, plural(i->share.functions), text);
	INFERRED_REASONS(X)
#undef X
}

static void write_verdicts(struct json *json, const struct figure_row *row, const void *of)
{
	const struct quality_report *report = of;

	json_open(json, row->key, '[');
	for (int i = 0; i < VERDICT_COUNT; i++) {
		const struct verdict *verdict = &report->verdicts[i];
		if (!verdict->kind)
			continue;
		json_open(json, NULL, '{');
		json_string(json, "about", verdict_key((enum verdict_about)i));
		json_string(json, "verdict", verdict_word(verdict->kind));
		json_string(json, "text", verdict->text);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_verdict(const struct figure_row *row, const void *at, FILE *out)
{
	static const enum say_mood moods[] = {[VERDICT_GOOD] = SAY_GOOD,
					      [VERDICT_WARNING] = SAY_DOUBTFUL,
					      [VERDICT_BAD] = SAY_BAD};
	const struct verdict *verdict = at;

	if (!verdict->kind)
		return;
	fprintf(out, "%s ", (const char *)row->with);
	print_mood(verdict_word(verdict->kind), moods[verdict->kind], out);
	fputs(": ", out);
	print_name(text_of(verdict->text), out);
	putc('\n', out);
}

static void write_gates(struct json *json, const struct figure_row *row, const void *of)
{
	const struct quality_report *report = of;

	json_open(json, row->key, '[');
	for (int i = 0; i < GATE_COUNT; i++) {
		const struct quality_gate *gate = &report->gates[i];
		if (!gate->set)
			continue;
		json_open(json, NULL, '{');
		json_string(json, "figure", gate_rows[i].figure);
		json_real(json, way_of(&gate_rows[i]), gate->limit);
		if (report->results[i].known)
			json_real(json, "value", report->results[i].value);
		json_bool(json, "passed", report->results[i].passed);
		json_close(json, '}');
	}
	json_close(json, ']');
}

FIGURE_READER(subject_of, struct quality,
	      figure_string(it->of_compiler ? "compiler" :
			    it->of_samples  ? "samples" :
					      "profile"))
FIGURE_READER(mismatch_percent, struct build_check, figure_real(build_check_rate(it)))
FIGURE_READER(stable_enough, struct quality, ((void)it, figure_real(STABLE_ENOUGH)))
FIGURE_READER(times_more, struct quality, figure_real(quality_times_more(it)))
FIGURE_READER(cutoff_percent, struct quality, figure_real((double)it->density_cutoff / 10000))

FIGURE_READER(gain_verdict, struct gain, figure_string(gain_verdict_key(it->verdict)))

static const struct figure_row gain_rows[] = {
	{"verdict", .read = gain_verdict},
	{"expected_percent",
	 "  {:10.1} % fewer taken branches than without llvm-bolt, expected ({low_percent:.1} to {high_percent:.1} %); with a profile of every branch {whole_percent:.1} %\n",
	 VALUE(struct gain, expected)},
	{"low_percent", NULL, VALUE(struct gain, low)},
	{"high_percent", NULL, VALUE(struct gain, high)},
	{"whole_percent", NULL, VALUE(struct gain, whole)},
	{"half_percent", NULL, VALUE(struct gain, half)},
	{"of_whole_percent",
	 "  {:10.1} % of what a profile of every branch gives; more samples would add {more_percent:.1} points\n",
	 VALUE(struct gain, of_whole)},
	{"more_percent", NULL, VALUE(struct gain, more)},
	{"uneven", NULL, VALUE(struct gain, uneven)},
	{"times", NULL, VALUE(struct gain, times)},
	{0},
};

void gain_json(const struct gain *gain, struct json *json, const char *key)
{
	figures_json_object(gain_rows, gain, json, key);
}

/* The limit of stability matters only where nothing better is known. */
static void print_stable(const struct figure_row *row, const void *at, FILE *out)
{
	const struct quality *q = at;

	(void)row;
	fprintf(out, "  %10.1f %% stability of the layout", q->stability.percent);
	if (!q->gain.known)
		fprintf(out, "; %g %% is enough", STABLE_ENOUGH);
	putc('\n', out);
}

#define STABILITY(field) VALUE(struct quality, stability.field), IF(struct quality, has_stability)
static const struct figure_row stability_rows[] = {
	{"known", NULL, VALUE(struct quality, has_stability)},
	{"enough_percent", .read = stable_enough},
	{"percent", NULL, STABILITY(percent)},
	{.print = print_stable, IF(struct quality, has_stability)},
	{"layout_percent", NULL, STABILITY(layout)},
	{"overlap_percent",
	 "  {:10.1} % overlap between the blocks of two halves of the samples; {hot_differ_percent:.1} % of the hot blocks of one half are not hot in the other\n",
	 STABILITY(overlap)},
	{"hot_differ_percent", NULL, STABILITY(hot_differ)},
	{0},
};

static const struct figure_row density_rows[] = {
	{"density",
	 "  {:12.1} profile density, as perf2bolt computes it (it warns below {enough:g}), of the functions with {of_samples_percent:g} % of the samples\n",
	 VALUE(struct quality, density.density)},
	{"enough", NULL, VALUE(struct quality, threshold)},
	{"times_more_samples", .read = times_more},
	{"of_samples_percent", .read = cutoff_percent},
	{"functions", "  {profiled:12} of {} functions have a profile",
	 VALUE(struct quality, density.functions)},
	{"profiled", NULL, VALUE(struct quality, density.profiled)},
	{"non_simple", ", and {} more that llvm-bolt cannot optimize",
	 VALUE(struct quality, density.non_simple), .any = true},
	{.text = "\n"},
	{0},
};

static const struct figure_row coverage_rows[] = {
	FIGURES(struct quality, coverage., samples, functions),
	{"bytes", NULL, VALUE(struct quality, coverage.bytes),
	 IF(struct quality, coverage.has_bytes)},
	{"percentiles", .write = write_held, .print = print_held},
	{0},
};

static const struct figure_row flow_rows[] = {
	FIGURES(struct flow_figures, , functions, blocks),
	{"bias_percent",
	 "  {:10.1} % bias, deviation {deviation_percent:.1} %, of {blocks} block{blocks:s}\n",
	 VALUE(struct flow_figures, bias)},
	{"deviation_percent", NULL, VALUE(struct flow_figures, deviation)},
	{"discontinuity_percent",
	 "  {:10.1} % CFG discontinuity, or more, in the worst 5 % of {functions} function{functions:s}\n",
	 VALUE(struct flow_figures, discontinuity)},
	{"unreachable_percent", NULL, VALUE(struct flow_figures, unreachable)},
	{"call_gap_percent",
	 "  {:10.1} % call graph flow conservation gap, or more, in the worst 5 % of them\n"
	 "  {flow_gap_percent:10.1} % CFG flow conservation gap, or more, in the worst 5 % of them; {worst_gap_percent:.1} % in hot blocks\n",
	 VALUE(struct flow_figures, call_gap), IF(struct flow_figures, has_gaps)},
	{"flow_gap_percent", NULL, VALUE(struct flow_figures, flow_gap),
	 IF(struct flow_figures, has_gaps)},
	{"worst_gap_percent", NULL, VALUE(struct flow_figures, worst_gap),
	 IF(struct flow_figures, has_gaps)},
	{0},
};

/* For hardware traces: what became of their branch outcomes, left out without any; and what each
 * recording has of them. */
static void write_walk(struct json *json, const struct figure_row *row, const void *at)
{
	const struct conversion *conversion = at;

	if (conversion->walked.answers)
		figures_json_object(walk_rows, &conversion->walked, json, row->key);
}

static void write_hardware_traces(struct json *json, const struct figure_row *row, const void *at)
{
	const struct conversion *conversion = at;
	bool any = false;

	for (size_t i = 0; i < conversion->inputs.len; i++) {
		const struct perf_trace_report *trace = &conversion->inputs.at[i].perf.trace;
		if (!trace->found)
			continue;
		if (!any)
			json_open(json, row->key, '[');
		any = true;
		json_open(json, NULL, '{');
		json_string(json, "path", conversion->options.samples[i]);
		figures_json(trace_rows, trace, json);
		json_close(json, '}');
	}
	if (any)
		json_close(json, ']');
}

static void print_limit(void *out, const char *path, const char *text)
{
	fputs("llvm-bolt ", out);
	print_name(text_of(path), out);
	fprintf(out, ": %s\n", text);
}

static void print_reads(const struct figure_row *row, const void *conversion, FILE *out)
{
	const struct bolt_reads reads = bolt_reads_of(conversion);

	(void)row;
	bolt_reads_each(&reads, print_limit, out);
}

/* What is of samples alone is only if there is a conversion. */
#define QUALITY    THROUGH(struct quality_report, quality)
#define CONVERSION THROUGH(struct quality_report, conversion)
#define VERDICT(about, label)                                                                      \
	{.at = offsetof(struct quality_report, verdicts[VERDICT_##about]),                         \
	 .print = print_verdict,                                                                   \
	 .with = label}
#define LEDGER(field, words)                                                                       \
	{#field,                                                                                   \
	 .at = offsetof(struct conversion, ledgers.field),                                         \
	 .write = write_ledger,                                                                    \
	 .print = print_ledger,                                                                    \
	 .with = &words,                                                                           \
	 CONVERSION}
static const struct figure_row report_rows[] = {
	FORMAT_ROWS("batconv-quality"),
	FIGURE(struct quality_report, , path),
	{"source", .read = subject_of, QUALITY},
	{"basic", NULL, VALUE(struct quality, basic), QUALITY},
	{"llvm_bolt", .write = bolt_reads_write, .print = print_reads, CONVERSION},
	VERDICT(BUILD, "build    "),
	{"build", BEGIN, CONVERSION},
	{"checked", "  {:12} checked, {mismatch_percent:.1} % do not match\n",
	 VALUE(struct conversion, check.checked), CONVERSION},
	{"mismatch_percent", NULL, VALUE_BY(struct conversion, check, mismatch_percent),
	 CONVERSION},
	{END},
	VERDICT(KEPT, "kept     "),
	{"kept", BEGIN, CONVERSION},
	{"percent", NULL, VALUE(struct quality, kept), QUALITY},
	{"total", NULL, VALUE(struct quality, kept_of), QUALITY},
	LEDGER(samples, sample_words),
	LEDGER(branches, branch_words),
	LEDGER(traces, trace_words),
	{END},
	{"trace_decode", .write = write_walk, CONVERSION},
	{"hardware_traces", .write = write_hardware_traces, CONVERSION},
	VERDICT(GAIN, "gain     "),
	{"gain", .at = offsetof(struct quality, gain), .rows = gain_rows, QUALITY,
	 IF(struct quality, gain.known)},
	VERDICT(STABILITY, "stability"),
	{"stability", .rows = stability_rows, QUALITY, IF(struct quality, of_samples)},
	{"density", .rows = density_rows, QUALITY, IF(struct quality, of_samples)},
	VERDICT(COVERAGE, "coverage "),
	{"coverage", .rows = coverage_rows, QUALITY},
	VERDICT(LAYOUT, "layout   "),
	{"layout", .at = offsetof(struct quality, places), .rows = place_rows, QUALITY,
	 IF(struct quality, of_samples)},
	VERDICT(INFERRED, "inferred "),
	{"inferred", BEGIN, CONVERSION, IF(struct conversion, basic)},
	{"branches", NULL, VALUE(struct quality, has_inferred), QUALITY},
	{.at = offsetof(struct quality, inferred), .rows = inferred_rows, QUALITY},
	{END},
	{.at = offsetof(struct quality, inferred),
	 .print = print_inferred,
	 QUALITY,
	 IF(struct quality, has_inferred)},
	VERDICT(FLOW, "flow     "),
	{"flow", .at = offsetof(struct quality, flow), .rows = flow_rows, QUALITY,
	 IF(struct quality, has_flow)},
	{"verdicts", .write = write_verdicts},
	{"next", BEGIN, CONVERSION},
	{"text", "next      {}\n", VALUE_BY(struct quality_report, next.sentence, figure_of_whole)},
	{"command", "          {}\n",
	 VALUE_BY(struct quality_report, next.command, figure_of_some_whole), .any = true},
	{END},
	{"gates", .write = write_gates},
	FIGURE(struct quality_report, , failed),
	{0},
};

void quality_json_object(const struct quality_report *report, struct json *json, const char *key)
{
	figures_json_object(report_rows, report, json, key);
}

void quality_json(const struct quality_report *report, FILE *out)
{
	figures_json_document(report_rows, report, out);
}

void quality_text(const struct quality_report *report, FILE *out)
{
	print_name(text_of(input_name(report->path)), out);
	putc('\n', out);
	figures_text(report_rows, report, false, "", out);
}
