/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "src/base/percent.h"

const char *verdict_key(enum verdict_about about)
{
#define X(name, key) key,
	static const char *const keys[] = {VERDICTS(X)};
#undef X

	return keys[about];
}

const char *verdict_word(enum verdict_kind kind)
{
	static const char *const words[] = {"none", "good", "look", "bad"};

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
		say_so(out, VERDICT_LOOK, "nothing could be checked: whether the samples are of this build is not known");
	else if (belonging == BELONGS_PERHAPS)
		say_so(out, VERDICT_LOOK, "the samples may be of another build: %.1f %% of their %s disagree with the code, but these are few", rate, what);
	else if (belonging == BELONGS_BY_ID)
		say_so(out, VERDICT_LOOK, "the samples have the build-id of this build, but %.1f %% of their %s disagree with its code", rate, what);
	else if (belonging == BELONGS_NOT)
		say_so(out, VERDICT_BAD, "the samples are of another build: %.1f %% of their %s disagree with the code", rate, what);
	else if (rate > 0)
		say_so(out, VERDICT_LOOK, "the samples are of this build, but %.2f %% of their %s disagree with its code", rate, what);
	else
		say_so(out, VERDICT_GOOD, "the samples are of this build: all %s agree with its code", what);
}

static void judge_compiler(const struct compiler_counts *f, struct verdict *out)
{
	double counted = compiler_counted_percent(f);

	if (f->forced)
		say_so(out, VERDICT_LOOK, "no function has a count: these are the compiler's guesses");
	else if (compiler_counts_few(f))
		say_so(out, VERDICT_LOOK, "only %.1f %% of the functions of the compiler's map have a count: its profile was of other code, or of too little", counted);
	else if (compiler_counts_older(f))
		say_so(out, VERDICT_LOOK, "the compiler's profile was of older code: %.1f %% of the functions with a count are called more often than they were entered",
		       compiler_contradicted_percent(f));
	else
		say_so(out, VERDICT_GOOD, "the counts are the compiler's, of this very build: %.1f %% of the functions of its map have one, and %.1f %% of these are "
		       "called more often than they were entered", counted, compiler_contradicted_percent(f));
}

static void judge_kept(const struct quality *q, struct verdict *out)
{
	if (!q->kept_of)
		say_so(out, VERDICT_BAD, "no sample is of this binary");
	else if (q->kept < KEPT_ENOUGH)
		say_so(out, VERDICT_LOOK, "only %.1f %% of the usable data is in the profile: see what was dropped", q->kept);
	else
		say_so(out, VERDICT_GOOD, "%.1f %% of the usable data is in the profile", q->kept);
}

static void judge_stability(const struct quality *q, struct verdict *out)
{
	const struct stability *s = &q->stability;
	double more = s->layout > 0 ? 100 * (100 / s->layout - 1) : 0;

	if (!q->has_stability)
		say_so(out, VERDICT_LOOK, "whether more samples would change the layout is not known: no branches are");
	else if (!(s->layout > 0))
		say_so(out, VERDICT_LOOK, "more samples would change the layout: a half of these has no branch");
	else if (s->layout < STABLE_ENOUGH)
		say_so(out, VERDICT_LOOK, "more samples would change the layout: in the one that a half of these makes, the other half takes %.1f %% more branches "
		       "than in its own", more);
	else if (s->percent < STABLE_ENOUGH)
		say_so(out, VERDICT_LOOK, "the layout is uncertain: the halves of the samples agree on it, but %.1f %% of the samples had to count in other blocks than "
		       "where they were taken", inferred_moved_percent(&q->inferred));
	else
		say_so(out, VERDICT_GOOD, "enough samples: in the layout that a half of these makes, the other half takes only %.1f %% more branches than in its own",
		       more);
}

static void judge_coverage(const struct quality *q, struct verdict *out)
{
	const struct coverage *c = &q->coverage;
	uint64_t held = c->held_functions[HELD_LEVELS - 1];

	if (!c->samples)
		say_so(out, VERDICT_BAD, "no function has a sample");
	else if (c->has_bytes)
		say_so(out, VERDICT_GOOD, "%" PRIu64 " function%s %.0f %% of the %s, and so do %.1f KiB of code", held, plural_of(held, " holds", "s hold"), held_levels[HELD_LEVELS - 1],
		       quality_counted(q), (double)c->held_bytes[HELD_LEVELS - 1] / 1024);
	else
		say_so(out, VERDICT_GOOD, "%" PRIu64 " function%s %.0f %% of the %s", held, plural_of(held, " holds", "s hold"), held_levels[HELD_LEVELS - 1], quality_counted(q));
}

static void judge_places(const struct quality *q, const struct conversion *c, struct verdict *out)
{
	const struct code_places *p = &q->places;
	double cold = percent_of(p->hottest[PLACE_COLD] + p->hottest[PLACE_OLD], p->hottest_sum);

	if (conversion_binary(c)->kind != BINARY_BOLTED || !p->hottest_sum)
		return;
	if (cold > COLD_MUCH)
		say_so(out, VERDICT_LOOK, "the workload is not the one that the binary was built for: %.1f %% of its hottest "
		       "samples are in cold or old code; optimise it anew", cold);
	else
		say_so(out, VERDICT_GOOD, "the binary fits its workload: %.1f %% of the hottest samples are in cold or old code", cold);
}

/* Of plain samples: are their branches known, and how well? */
static void judge_inferred(const struct quality *q, const struct conversion *c, struct verdict *out)
{
	double share = inferred_percent(&q->inferred), moved = inferred_moved_percent(&q->inferred);

	if (!inferred_of(&q->inferred) && q->has_inferred)
		return;
	if (c->not_inferred.code)
		say_so(out, VERDICT_LOOK, "no branches are inferred: %s", c->not_inferred.text);
	else if (!q->has_inferred)
		say_so(out, VERDICT_LOOK, "no branches are inferred, and llvm-bolt uses addresses badly: --input=PROG, the binary that it "
		       "read, infers them");
	else if (share < INFERRED_ENOUGH)
		say_so(out, VERDICT_LOOK, "branches are inferred from only %.1f %% of the samples", share);
	else if (moved > MOVED_MUCH)
		say_so(out, VERDICT_LOOK, "branches are inferred from %.1f %% of the samples, but %.1f %% of these had to count in other blocks than "
		       "where they were taken: the flow is uncertain", share, moved);
	else
		say_so(out, VERDICT_GOOD, "branches are inferred from %.1f %% of the samples, and only %.1f %% of these count in other blocks than where they were taken", share, moved);
}

static void judge_flow(const struct quality *q, struct verdict *out)
{
	const struct flow_figures *f = &q->flow;

	if (!f->functions)
		say_so(out, VERDICT_LOOK, "no function has a flow");
	else if (f->bias > BIAS_MUCH || f->unreachable > UNREACHABLE_MUCH)
		say_so(out, VERDICT_LOOK, "counts do not add up: what enters and what leaves a block differ by %.2f %% (bias), and %.1f %% of the counts are in blocks "
		       "that no counted branch leads to", f->bias, f->unreachable);
	else if (q->says_inferred)
		say_so(out, VERDICT_GOOD, "branches were inferred so that counts add up: bias %.2f %%, and %.1f %% of the counts are in blocks that no counted branch "
		       "leads to", f->bias, f->unreachable);
	else
		say_so(out, VERDICT_GOOD, "counts add up as a whole: what enters and what leaves a block differ by %.2f %% (bias), and %.1f %% of the counts are "
		       "in blocks that no counted branch leads to", f->bias, f->unreachable);
}

void verdicts_take(const struct quality *q, const struct conversion *c, struct verdict out[VERDICT_COUNT])
{
	for (int i = 0; i < VERDICT_COUNT; i++)
		out[i] = (struct verdict){0};
	if (q->of_compiler)
		judge_compiler(&c->compiler, &out[VERDICT_BUILD]);
	else if (c)
		judge_build(c, &out[VERDICT_BUILD]);
	if (q->has_kept)
		judge_kept(q, &out[VERDICT_KEPT]);
	if (q->of_samples)
		judge_stability(q, &out[VERDICT_STABILITY]);
	judge_coverage(q, &out[VERDICT_COVERAGE]);
	if (c)
		judge_places(q, c, &out[VERDICT_PLACES]);
	if (c && q->basic)
		judge_inferred(q, c, &out[VERDICT_INFERRED]);
	if (q->has_flow)
		judge_flow(q, &out[VERDICT_FLOW]);
}
