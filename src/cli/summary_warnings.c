/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>

#include "src/base/file.h"
#include "src/cli/say.h"
#include "src/cli/summary.h"

/* A recording of something else shows in what was mapped, or in nothing kept. */
static void warn_of_little(const struct summary *summary, const struct warnings *to)
{
	const struct conversion *c = summary->conversion;
	const struct image_match *match = &c->aggregate.space.match;
	const struct ledgers *l = &c->ledgers;
	uint64_t misfits = c->aggregate.space.report.misfits;
	const char *renamed = c->aggregate.space.report.renamed;

	if (c->no_disassembler)
		warn(to, "warning: libLLVM is missing, which a few functions without a BAT map need: "
			 "their fall-throughs were dropped");
	if (match->also_found)
		warn(to, "warning: mapped as %s and as %s: taken for one file; --image=PATH chooses",
		     match->found, match->also_found);
	if (renamed)
		warn(to, "warning: %s, of another name, has the binary's build-id, which came too late: its "
			 "samples were not counted", renamed);
	if (misfits)
		warn(to, "warning: %" PRIu64 " mapping%s of %s fit%s none of its executable segments and "
			 "%s not used: what ran was another build of it",
		     misfits, plural(misfits), summary->options->binary, misfits == 1 ? "s" : "",
		     misfits == 1 ? "was" : "were");
	bool none = !l->samples.kept && !l->branches.kept && !l->traces.kept && !l->memory.kept;
	if (none && !summary->refusal)
		warn(to, "warning: no sample could be used: the result is empty");
}

static void warn_of_input(const char *path, const struct reader_report *report,
			  const struct warnings *to)
{
	const struct perf_data_report *perf = &report->perf;

	warn_of_loss(path, report, to);
	if (perf->has_partial_stacks)
		warn(to, "%s: warning: its branch stacks hold some kinds of branches only: fall-throughs are "
			 "not known (record with -j any,u)", path);
	if (perf->trace_records)
		warn(to, "%s: %s", path, PERF_TRACE_ADVICE);
}

void summary_each_warning(const struct summary *summary, warning_fn *each, void *ctx)
{
	const struct report_vec *inputs = &summary->conversion->inputs;
	struct warnings to = {each, ctx};

	warn_of_little(summary, &to);
	for (size_t i = 0; i < inputs->len; i++)
		warn_of_input(input_name(summary->options->samples[i]), &inputs->at[i], &to);
}

static void print_warning(void *ctx, const char *text)
{
	say(ctx, "%s", text);
}

void summary_warnings(const struct summary *summary, FILE *out)
{
	summary_each_warning(summary, print_warning, out);
}
