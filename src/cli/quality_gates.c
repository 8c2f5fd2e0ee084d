/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cli/quality.h"
#include "src/cli/say.h"

static struct gate_result value_of(const struct quality *q, enum quality_gate_number gate)
{
	uint64_t cold = q->places.hottest[PLACE_COLD] + q->places.hottest[PLACE_OLD];

	switch (gate) {
	case GATE_DENSITY: return (struct gate_result){q->has_density, q->density.density, false};
	case GATE_KEPT: return (struct gate_result){q->has_kept && q->kept_of, q->kept, false};
	case GATE_BIAS: return (struct gate_result){q->has_flow && q->flow.blocks, q->flow.bias, false};
	case GATE_DISCONTINUITY:
		return (struct gate_result){q->has_flow && q->flow.functions, q->flow.discontinuity, false};
	case GATE_COLD:
		return (struct gate_result){q->places.hottest_sum, quality_share(cold, q->places.hottest_sum), false};
	case GATE_INFERRED: return (struct gate_result){q->has_inferred && inferred_of(&q->inferred), inferred_percent(&q->inferred), false};
	case GATE_MOVED: return (struct gate_result){q->has_inferred && q->inferred.solved.samples, inferred_moved_percent(&q->inferred), false};
	case GATE_COUNT: break;
	}
	return (struct gate_result){0};
}

static enum outcome outcome_of(const struct quality_report *report)
{
	const struct conversion *c = report->summary->conversion;
	const struct verdict *verdicts = report->verdicts;

	if (verdicts[VERDICT_BUILD].kind == VERDICT_BAD)
		return OUTCOME_OTHER_BUILD;
	if (verdicts[VERDICT_COVERAGE].kind == VERDICT_BAD)
		return OUTCOME_EMPTY;
	if (conversion_binary(c)->kind != BINARY_BOLTED)
		return OUTCOME_FIRST;
	if (report->quality->basic && !report->quality->has_inferred)
		return OUTCOME_ADDRESSES;
	return verdicts[VERDICT_PLACES].kind == VERDICT_LOOK ? OUTCOME_MISPLACED : OUTCOME_FITS;
}

static void advise_now(struct quality_report *report)
{
	const struct conversion_options *options = &report->summary->conversion->options;
	const struct outcome_files files = {options->binary, options->input, options->samples, options->sample_count};

	advise_outcome(outcome_of(report), report->verdicts[VERDICT_DENSITY].kind == VERDICT_LOOK, &files, &report->next);
}

void quality_judge(struct quality_report *report)
{
	verdicts_take(report->quality, report->summary ? report->summary->conversion : NULL, report->verdicts);
	if (report->summary)
		advise_now(report);
	report->wanting = report->verdicts[VERDICT_BUILD].kind == VERDICT_BAD ||
			  report->verdicts[VERDICT_COVERAGE].kind == VERDICT_BAD;
	for (int i = 0; i < GATE_COUNT; i++) {
		const struct quality_gate *gate = &report->gates[i];
		struct gate_result *result = &report->results[i];
		*result = value_of(report->quality, (enum quality_gate_number)i);
		result->passed = result->known && (gate->least ? result->value >= gate->limit : result->value <= gate->limit);
		report->wanting |= gate->set && !result->passed;
	}
}

void quality_tell_gates(const struct quality_report *report, FILE *out)
{
	for (int i = 0; i < GATE_COUNT; i++) {
		const struct quality_gate *gate = &report->gates[i];
		const struct gate_result *result = &report->results[i];
		const char *way = gate->least ? "min" : "max";
		if (!gate->set || result->passed)
			continue;
		if (!result->known)
			say(out, "%s is not known, and --%s-%s=%g was asked for", gate->figure, way, gate->figure, gate->limit);
		else
			say(out, "%s is %.4f, and --%s-%s=%g was asked for", gate->figure, result->value, way, gate->figure, gate->limit);
	}
}
