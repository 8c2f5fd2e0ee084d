/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>

#include "src/base/file.h"
#include "src/cli/print.h"
#include "src/cli/quality.h"
#include "src/cli/say.h"

static void print_verdict(const struct quality_report *report, enum verdict_about about, FILE *out)
{
	const struct verdict *verdict = &report->verdicts[about];

	if (verdict->kind)
		fprintf(out, "%-9s %s\n", verdict_key(about), verdict->text);
}

static void print_check(const struct quality_report *report, FILE *out)
{
	const struct build_check *check = &report->summary->conversion->check;

	print_verdict(report, VERDICT_BUILD, out);
	fprintf(out, "  %12" PRIu64 " checked, %.2f %% disagree\n", check->checked, build_check_rate(check));
}

static void print_reasons(const struct ledger_words *words, const struct ledger *ledger, bool matters, FILE *out)
{
	for (size_t i = 0; i < words->reason_count; i++)
		if (ledger->dropped[i] && quality_reason_matters(words, i) == matters)
			fprintf(out, "  %12" PRIu64 " %s %s%s\n", ledger->dropped[i], words->text, words->reasons[i].text,
				matters ? ": have a look" : "");
}

static void print_ledger(const struct ledger_words *words, const struct ledger *ledger, FILE *out)
{
	if (!ledger->read)
		return;
	fprintf(out, "  %12" PRIu64 " %s kept of %" PRIu64 "\n", ledger->kept, words->text, ledger->read);
	print_reasons(words, ledger, true, out);
	print_reasons(words, ledger, false, out);
}

static void print_kept(const struct quality_report *report, FILE *out)
{
	const struct ledgers *l = &report->summary->conversion->ledgers;

	print_verdict(report, VERDICT_KEPT, out);
	print_ledger(&sample_words, &l->samples, out);
	print_ledger(&branch_words, &l->branches, out);
	print_ledger(&trace_words, &l->traces, out);
}

static void print_density(const struct quality_report *report, FILE *out)
{
	const struct quality *q = report->quality;

	print_verdict(report, VERDICT_DENSITY, out);
	fprintf(out, "  %12.1f density of functions that hold %.2f %% of samples; %g is enough\n", q->density.density,
		(double)q->density_cutoff / 10000, q->threshold);
	fprintf(out, "  %12" PRIu64 " of %" PRIu64 " functions have a profile", q->density.profiled, q->density.functions);
	if (q->density.not_simple)
		fprintf(out, "; %" PRIu64 " more that llvm-bolt cannot optimise", q->density.not_simple);
	putc('\n', out);
}

static void print_coverage(const struct quality_report *report, FILE *out)
{
	const struct coverage *c = &report->quality->coverage;

	print_verdict(report, VERDICT_COVERAGE, out);
	for (size_t i = 0; i < HELD_LEVELS; i++) {
		fprintf(out, "  %10.0f %% of %s are in %" PRIu64 " function%s", held_levels[i], quality_counted(report->quality),
			c->held_functions[i], plural(c->held_functions[i]));
		if (c->has_bytes)
			fprintf(out, ", %.1f KiB of code", (double)c->held_bytes[i] / 1024);
		putc('\n', out);
	}
}

static void print_places(const struct quality_report *report, FILE *out)
{
#define X(name, key, text) text,
	static const char *const texts[] = {CODE_PLACES(X)};
#undef X
	const struct code_places *p = &report->quality->places;

	print_verdict(report, VERDICT_PLACES, out);
	for (size_t i = 0; i < BC_COUNT(texts); i++)
		if (p->all[i])
			fprintf(out, "  %10.1f %% %s; of the hottest %.1f %%\n", quality_share(p->all[i], p->sum), texts[i],
				quality_share(p->hottest[i], p->hottest_sum));
}

static void print_share(const char *why, const struct inferred_share *share, FILE *out)
{
	if (share->samples)
		fprintf(out, "  %12" PRIu64 " samples in %" PRIu64 " function%s: entries alone, because %s\n", share->samples, share->functions,
			plural(share->functions), why);
}

static void print_inferred(const struct quality_report *report, FILE *out)
{
	const struct inferred *i = &report->quality->inferred;

	print_verdict(report, VERDICT_INFERRED, out);
	if (!report->quality->has_inferred)
		return;
	fprintf(out, "  %12" PRIu64 " samples of %" PRIu64 ", in %" PRIu64 " function%s; %" PRIu64 " of them count in another block than where they were taken\n", i->solved.samples,
		inferred_of(i), i->solved.functions, plural(i->solved.functions), i->moved);
	if (i->plt.samples)
		fprintf(out, "  %12" PRIu64 " samples in PLT entries, whose calls the callers give\n", i->plt.samples);
#define X(share, text) print_share(text, &i->share, out);
	INFERRED_REASONS(X)
#undef X
}

static void print_flow(const struct quality_report *report, FILE *out)
{
	const struct flow_figures *f = &report->quality->flow;

	print_verdict(report, VERDICT_FLOW, out);
	fprintf(out, "  %10.4f %% bias, deviation %.4f %%, of %" PRIu64 " blocks\n", f->bias, f->deviation, f->blocks);
	fprintf(out, "  %10.2f %% discontinuity, or more, of the worst 5 %% of %" PRIu64 " functions\n", f->discontinuity, f->functions);
	if (f->has_gaps)
		fprintf(out, "  %10.2f %% gap between calls and entries, %.2f %% in the flow of blocks, %.2f %% of hot blocks, likewise\n",
			f->call_gap, f->flow_gap, f->worst_gap);
}

static void print_next(const struct advice *next, FILE *out)
{
	fprintf(out, "next      %s\n", next->sentence);
	if (*next->command)
		fprintf(out, "          %s\n", next->command);
}

void quality_text(const struct quality_report *report, FILE *out)
{
	print_name(text_of(input_name(report->path)), out);
	putc('\n', out);
	if (report->summary) {
		print_check(report, out);
		print_kept(report, out);
		print_density(report, out);
	}
	print_coverage(report, out);
	if (report->summary)
		print_places(report, out);
	if (report->verdicts[VERDICT_INFERRED].kind)
		print_inferred(report, out);
	if (report->quality->has_flow)
		print_flow(report, out);
	if (report->summary)
		print_next(&report->next, out);
}
