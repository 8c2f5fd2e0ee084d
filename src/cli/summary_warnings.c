/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "src/base/attr.h"
#include "src/base/file.h"
#include "src/base/percent.h"
#include "src/base/text.h"
#include "src/cli/walk_summary.h"
#include "src/cli/sample_options.h"
#include "src/cli/kernel_summary.h"
#include "src/cli/say.h"
#include "src/cli/summary.h"
#include "src/cli/trace_summary.h"

/* At most so many inputs are compared with each other. */
#define DOUBLES_MOST ((size_t)256)

/* Warns of signs that the recording is of another program: its mappings or its few branches disagree with the
 * binary, or nothing of it was kept. */
static void warn_of_little(const struct summary *summary, const struct warnings *to)
{
	const struct conversion *c = summary->conversion;
	const struct image_match *match = &c->aggregate.space.match;
	const struct ledgers *l = &c->ledgers;
	uint64_t misfits = c->aggregate.space.report.misfits;
	const char *renamed = c->aggregate.space.report.renamed;

	if (conversion_binary(c)->debug.refused.code)
		warn(to, "warning: %s", conversion_binary(c)->debug.refused.text);
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
		     misfits, plural(misfits), summary->conversion->options.binary, misfits == 1 ? "s" : "",
		     misfits == 1 ? "was" : "were");
	enum belonging belonging = conversion_belonging(c);
	if (!c->options.force && (belonging == BELONGS_BY_ID || belonging == BELONGS_PERHAPS))
		warn(to, "warning: the samples %s: %.1f %% of their %" PRIu64 " %s disagree with the code of %s",
		     belonging == BELONGS_BY_ID ? "have the right build-id, but fit badly" : "may be of another build",
		     build_check_rate(&c->check), build_check_worst(&c->check).compared, build_check_words(&c->check, c->basic), c->options.binary);
	bool none = !l->samples.kept && !l->branches.kept && !l->traces.kept && !l->memory.kept;
	if (none && !summary->refusal)
		warn(to, "warning: no sample could be used: the result is empty");
}

/* Files that were taken although more of their code disagrees than may. */
static void warn_of_doubts(const struct conversion *c, const struct warnings *to)
{
	const struct bc_error *doubts[] = {&c->pair.doubt, &c->hashes.pair.doubt};

	for (size_t i = 0; i < BC_COUNT(doubts); i++)
		if (doubts[i]->code)
			warn(to, "warning: %s", doubts[i]->text);
}

static void warn_of_probes(const struct summary *summary, const struct warnings *to)
{
	const struct probe_source *probes = &summary->conversion->probes;

	if (!conversion_wants(summary->conversion, WANT_PROBES) || summary->refusal)
		return;
	if (!probes->found)
		warn(to, "warning: no pseudo-probes are written: %s has not both .pseudo_probe and .pseudo_probe_desc",
		     summary->conversion->options.binary);
	if (probes->placed.unplaced)
		warn(to, "warning: %zu pseudo-probe%s not written: no symbol tells where %s function%s",
		     probes->placed.unplaced, probes->placed.unplaced == 1 ? " was" : "s were",
		     probes->placed.unplaced == 1 ? "its" : "their", probes->placed.unplaced == 1 ? " is" : "s are");
}

static void warn_of_hashes(const struct summary *summary, const struct warnings *to)
{
	const struct yaml_report *yaml = summary->yaml;

	if (!yaml || !yaml->unhashed || !conversion_wants(summary->conversion, WANT_HASHES) || summary->refusal)
		return;
	warn(to, "warning: YAML: %zu function%s with %.1f %% of the counts ha%s no hashes, so that llvm-bolt does not optimise %s: "
		 "--hashes=FILE gives them ('batconv extract --hashes PROG -o FILE'), and fdata needs none (--without-hashes: no warning)",
	     yaml->unhashed, plural(yaml->unhashed), percent_of(yaml->unhashed_count, yaml->count),
	     yaml->unhashed == 1 ? "s" : "ve", yaml->unhashed == 1 ? "it" : "them");
}

/* Warns of a compiler's profile that is not of this code. */
static void warn_of_compiler(const struct summary *summary, const struct warnings *to)
{
	const struct compiler_counts *f = &summary->conversion->compiler;

	if (!summary->conversion->options.from_compiler || summary->refusal)
		return;
	if (f->forced)
		warn(to, "warning: no function has a count: this profile is of the compiler's guesses, and can make the program slower");
	if (compiler_counts_few(f))
		warn(to, "warning: only %.1f %% of the functions of the compiler's map have a count (limit %.0f %%): its profile was of other code, or of too "
			 "little, and this one can make the program slower; build with a new one", compiler_counted_percent(f), COMPILER_COUNTED_LEAST);
	if (compiler_counts_older(f))
		warn(to, "warning: %.1f %% of the functions with a count are called more often than they were entered (limit %.0f %%): the compiler's profile "
			 "was of older code, and this one can make the program slower; build with a new one", compiler_contradicted_percent(f),
		     COMPILER_CONTRADICTED_MOST);
}

/* Warns of a file whose name says that it is of another format. */
static void warn_of_name(const struct summary *summary, const struct warnings *to)
{
	static const struct {
		const char *end, *format;
	} ends[] = {{".fdata", "fdata"}, {".yaml", "yaml"}, {".yml", "yaml"}, {".preagg", "preagg"}};

	for (size_t i = 0; summary->output && summary->format && i < BC_COUNT(ends); i++)
		if (text_ends(text_of(summary->output), ends[i].end) && strcmp(ends[i].format, summary->format) != 0)
			warn(to, "warning: %s is %s: --format=%s writes what its name says", summary->output, summary->format, ends[i].format);
}

static void warn_of_input(const char *path, const struct reader_report *report, bool refused,
			  const struct warnings *to)
{
	const struct perf_data_report *perf = &report->perf;

	warn_of_loss(path, report, to);
	if (!refused && reader_report_is_empty(report))
		warn(to, "%s: warning: %s", path, report->lines ? "has only comments" : "is empty");
	if (perf->has_partial_stacks)
		warn(to, "%s: warning: its branch stacks hold some kinds of branches only: fall-throughs are "
			 "not known (record with -j any,u)", path);
	if (perf->traced_samples)
		warn(to, "%s: warning: %" PRIu64 " sample%s %s a piece of a trace of the processor (perf record --aux-sample), which is not read: without it, perf "
			 "record -e intel_pt//u (of Arm: cs_etm//u) records a trace that counts each branch once", path, perf->traced_samples,
		     plural(perf->traced_samples), perf->traced_samples == 1 ? "has" : "have");
	warn_of_trace(path, &perf->trace, to);
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return !strcmp(a, b) ? strcmp(a, "-") != 0
			     : !stat(a, &x) && !stat(b, &y) && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Are two inputs the same recording?  Two different ones never agree in all of this. */
static bool same_recording(const struct reader_report *a, const struct reader_report *b)
{
	const struct perf_data_report *x = &a->perf, *y = &b->perf;

	return a->format == INPUT_PERF_DATA && b->format == INPUT_PERF_DATA && x->first_ns &&
	       x->first_ns == y->first_ns && x->last_ns == y->last_ns && x->delivered == y->delivered &&
	       !memcmp(x->records, y->records, sizeof(x->records)) && !strcmp(x->info.hostname, y->info.hostname);
}

/* Warns of a recording that was given twice, so that its samples count twice: a user may want that,
 * but hardly ever does. */
static void warn_of_doubles(const struct summary *summary, const struct warnings *to)
{
	const struct report_vec *inputs = &summary->conversion->inputs;
	const char *const *paths = summary->conversion->options.samples;

	for (size_t i = 1; i < inputs->len && i < DOUBLES_MOST; i++)
		for (size_t k = 0; k < i; k++) {
			bool same = same_file(paths[k], paths[i]);
			if (!same && !same_recording(&inputs->at[k], &inputs->at[i]))
				continue;
			warn(to, "warning: %s and %s are one %s: its samples count twice", input_name(paths[k]),
			     input_name(paths[i]), same ? "file" : "recording");
			break;
		}
}

/* Warns of an input of which nothing is used, beside others: none of its processes has the binary. */
static void warn_of_unused(const struct summary *summary, const struct warnings *to)
{
	const struct conversion *c = summary->conversion;
	const struct flag_vec *used = &c->aggregate.used;

	if (summary->refusal || c->options.one_of_many || filter_is_set(&c->aggregate.options.filter))
		return;
	for (size_t i = 0; c->inputs.len > 1 && i < c->inputs.len && i < used->len; i++)
		if (!used->at[i] && !reader_report_is_empty(&c->inputs.at[i]))
			warn(to, "%s: warning: nothing of it is used: it has no sample or trace of a process that had mapped %s "
				 "('batconv inspect' shows what ran)", input_name(c->options.samples[i]), c->options.binary);
}

void summary_each_warning(const struct summary *summary, warning_fn *each, void *ctx)
{
	const struct report_vec *inputs = &summary->conversion->inputs;
	struct warnings to = {each, ctx};

	found_input_warn(&summary->conversion->found_input, &to);
	warn_of_doubts(summary->conversion, &to);
	warn_of_little(summary, &to);
	warn_of_doubles(summary, &to);
	warn_of_unused(summary, &to);
	warn_of_probes(summary, &to);
	warn_of_hashes(summary, &to);
	warn_of_name(summary, &to);
	warn_of_compiler(summary, &to);
	warn_of_walk(&summary->conversion->walked, &to);
	for (size_t i = 0; summary->maps && i < summary->maps->len; i++)
		warn_of_loss(input_name(summary->maps->at[i].path), &summary->maps->at[i].report, &to);
	for (size_t i = 0; i < inputs->len; i++) {
		warn_of_input(input_name(summary->conversion->options.samples[i]), &inputs->at[i], summary->refusal, &to);
		if (!summary->refusal)
			warn_of_kernel(summary->conversion, i, &to);
	}
}

static void print_warning(void *ctx, const char *text)
{
	say(ctx, "%s", text);
}

void summary_warnings(const struct summary *summary, FILE *out)
{
	summary_each_warning(summary, print_warning, out);
}
