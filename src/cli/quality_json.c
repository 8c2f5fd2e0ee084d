/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/quality.h"
#include "src/output/json.h"

static void write_check(struct json *json, const struct build_check *check)
{
	json_open(json, "build", '{');
	json_number(json, "checked", check->checked);
	json_real(json, "disagree_percent", build_check_rate(check));
	json_close(json, '}');
}

static void write_ledger(struct json *json, const struct ledger_words *words, const struct ledger *ledger)
{
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
		json_bool(json, "look", quality_reason_matters(words, i));
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
}

static void write_kept(struct json *json, const struct quality *q, const struct ledgers *ledgers)
{
	json_open(json, "kept", '{');
	json_real(json, "percent", q->kept);
	json_number(json, "of", q->kept_of);
	write_ledger(json, &sample_words, &ledgers->samples);
	write_ledger(json, &branch_words, &ledgers->branches);
	write_ledger(json, &trace_words, &ledgers->traces);
	json_close(json, '}');
}

static void write_density(struct json *json, const struct quality *q)
{
	json_open(json, "density", '{');
	json_real(json, "density", q->density.density);
	json_real(json, "enough", q->threshold);
	json_real(json, "times_more_samples", quality_times_more(q));
	json_real(json, "of_samples_percent", (double)q->density_cutoff / 10000);
	json_number(json, "functions", q->density.functions);
	json_number(json, "profiled", q->density.profiled);
	json_number(json, "not_simple", q->density.not_simple);
	json_close(json, '}');
}

static void write_coverage(struct json *json, const struct coverage *c)
{
	json_open(json, "coverage", '{');
	json_number(json, "samples", c->samples);
	json_number(json, "functions", c->functions);
	if (c->has_bytes)
		json_number(json, "bytes", c->bytes);
	json_open(json, "held", '[');
	for (size_t i = 0; i < HELD_LEVELS; i++) {
		json_open(json, NULL, '{');
		json_real(json, "percent", held_levels[i]);
		json_number(json, "functions", c->held_functions[i]);
		if (c->has_bytes)
			json_number(json, "bytes", c->held_bytes[i]);
		json_close(json, '}');
	}
	json_close(json, ']');
	json_close(json, '}');
}

static void write_places(struct json *json, const struct code_places *p)
{
	json_open(json, "places", '{');
	for (size_t i = 0; i < CODE_PLACE_COUNT; i++) {
		json_open(json, code_place_key((enum code_place)i), '{');
		json_number(json, "samples", p->all[i]);
		json_real(json, "percent", quality_share(p->all[i], p->sum));
		json_real(json, "hottest_percent", quality_share(p->hottest[i], p->hottest_sum));
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void write_flow(struct json *json, const struct flow_figures *f)
{
	json_open(json, "flow", '{');
	json_number(json, "functions", f->functions);
	json_number(json, "blocks", f->blocks);
	json_real(json, "bias_percent", f->bias);
	json_real(json, "deviation_percent", f->deviation);
	json_real(json, "discontinuity_percent", f->discontinuity);
	json_real(json, "unreachable_percent", f->unreachable);
	if (f->has_gaps) {
		json_real(json, "call_gap_percent", f->call_gap);
		json_real(json, "flow_gap_percent", f->flow_gap);
		json_real(json, "worst_gap_percent", f->worst_gap);
	}
	json_close(json, '}');
}

static void write_verdicts(struct json *json, const struct quality_report *report)
{
	json_open(json, "verdicts", '[');
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

static void write_next(struct json *json, const struct advice *next)
{
	json_open(json, "next", '{');
	json_whole_string(json, "text", next->sentence);
	if (*next->command)
		json_whole_string(json, "command", next->command);
	json_close(json, '}');
}

static void write_gates(struct json *json, const struct quality_report *report)
{
	json_open(json, "gates", '[');
	for (int i = 0; i < GATE_COUNT; i++) {
		const struct quality_gate *gate = &report->gates[i];
		if (!gate->set)
			continue;
		json_open(json, NULL, '{');
		json_string(json, "figure", gate->figure);
		json_real(json, gate->least ? "min" : "max", gate->limit);
		if (report->results[i].known)
			json_real(json, "value", report->results[i].value);
		json_bool(json, "passed", report->results[i].passed);
		json_close(json, '}');
	}
	json_close(json, ']');
}

void quality_json_object(const struct quality_report *report, struct json *json, const char *key)
{
	const struct quality *q = report->quality;

	json_open(json, key, '{');
	json_string(json, "format", "batconv-quality");
	json_number(json, "version", 1);
	json_string(json, "path", report->path);
	json_string(json, "of", q->of_samples ? "samples" : "profile");
	json_bool(json, "plain", q->basic);
	if (report->summary) {
		write_check(json, &report->summary->conversion->check);
		write_kept(json, q, &report->summary->conversion->ledgers);
		write_density(json, q);
	}
	write_coverage(json, &q->coverage);
	if (report->summary)
		write_places(json, &q->places);
	if (report->summary && q->basic)
		summary_json_inferred(json, &q->inferred, q->has_inferred);
	if (q->has_flow)
		write_flow(json, &q->flow);
	write_verdicts(json, report);
	if (report->summary)
		write_next(json, &report->next);
	write_gates(json, report);
	json_bool(json, "wanting", report->wanting);
	json_close(json, '}');
}

void quality_json(const struct quality_report *report, FILE *out)
{
	struct json json = {.out = out};

	quality_json_object(report, &json, NULL);
	putc('\n', out);
}
