/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/carry_report.h"

#include <inttypes.h>
#include <string.h>

#include "src/base/counts.h"
#include "src/base/say.h"
#include "src/elf/bolt_input.h"
#include "src/figures/advice.h"
#include "src/figures/figure_table.h"

/* With less of the profile a new recording is worth more: docs/next-build.md, "Carried". */
#define CARRIED_LEAST 50.0

FIGURE_READER(percent, struct carried_counts, figure_real(carried_percent(it)))
FIGURE_READER(fits_percent, struct carried_counts, figure_real(carried_fits_percent(it)))

#define SHARE(name)                                                                                \
	{#name, BEGIN}, FIGURES(struct carried_counts, name., functions, runs),                    \
	{                                                                                          \
		END                                                                                \
	}
static const struct figure_row carried_rows[] = {
	FIGURES(struct carried_counts, , functions, renamed, runs),
	{"carried_percent", .read = percent},
	{"fits_percent", .read = fits_percent},
	{"has_lines", NULL, VALUE(struct carried_counts, has_lines)},
#define X(way, text) SHARE(way),
	CARRIED_WAYS(X)
#undef X
		SHARE(entries),
	SHARE(unmatched),
	SHARE(gone),
	SHARE(no_graph),
	{0},
};

static void write_warning(void *json, const char *text)
{
	json_string(json, NULL, text);
}

static void write_warnings(struct json *json, const struct figure_row *row, const void *report)
{
	json_open(json, row->key, '[');
	carry_report_warnings(report, &(struct warnings){write_warning, json});
	json_close(json, ']');
}

static const struct figure_row document_rows[] = {
	FORMAT_ROWS("batconv-carry"),
	{"old", NULL, VALUE(struct carry_report, old_build)},
	{"new", NULL, VALUE(struct carry_report, new_build)},
	{.rows = carried_rows, THROUGH(struct carry_report, carried)},
	{"warnings", .write = write_warnings},
	{0},
};

void carry_report_object(const struct carry_report *report, struct json *json, const char *key)
{
	json_open(json, key, '{');
	json_string(json, "old", report->old_build);
	json_string(json, "new", report->new_build);
	figures_json(carried_rows, report->carried, json);
	json_close(json, '}');
}

void carry_report_json(const struct carry_report *report, FILE *out)
{
	figures_json_document(document_rows, report, out);
}

static void tell_share(const struct carried_counts *carried, const struct carried_share *share,
		       const char *text, FILE *out)
{
	if (share->runs)
		say_row(out, "", "%5.1f %%  %s: %" PRIu64 " function%s",
			percent_of(share->runs, carried->runs), text, share->functions,
			plural(share->functions));
}

void carry_report_text(const struct carry_report *report, FILE *out)
{
	const struct carried_counts *c = report->carried;

	say_row(out, "carried", "%5.1f %% of what was executed in %" PRIu64 " function%s%s",
		carried_percent(c), c->functions, plural(c->functions),
		c->has_lines ?
			"" :
			"; without lines of source, which need debug information in both builds");
#define X(way, text) tell_share(c, &c->way, text, out);
	CARRIED_WAYS(X)
#undef X
	if (c->renamed)
		say_row(out, "", "         %" PRIu64 " function%s under another name, by content",
			c->renamed, plural(c->renamed));
	tell_share(c, &c->entries, "lost: too little was found again, so only entries are carried",
		   out);
	tell_share(c, &c->unmatched, "lost: code that is not found again", out);
	tell_share(c, &c->gone, "lost: the new build has no such function", out);
	tell_share(c, &c->no_graph, "lost: the code has no control-flow graph", out);
}

void carry_report_warnings(const struct carry_report *report, const struct warnings *to)
{
	double fits = carried_fits_percent(report->carried);

	if (fits < CARRY_FITS_MOSTLY)
		warn(to,
		     "only %.1f %% of the profile's counts are of branches that %s can take: it can "
		     "be of another build",
		     fits, report->old_build);
	if (report->profile->binary->functions.stripped)
		warn(to, "%s is stripped: its functions are found by content alone",
		     report->new_build);
	if (carried_percent(report->carried) < CARRIED_LEAST)
		warn(to,
		     "only %.1f %% of the executed code is in %s: a new recording is worth more",
		     carried_percent(report->carried), report->new_build);
}

/* What llvm-bolt can do with the new build is known. */
void carry_report_next(const struct carry_report *report, FILE *out)
{
	const struct binary *binary = report->profile->binary;
	const struct bolt_input bolt = bolt_input_of(&binary->image);
	const struct outcome_files files = {.binary = report->new_build,
					    .input = report->new_build,
					    .profile = report->output,
					    .bolt = &bolt,
					    .debug = binary->debug.path};
	struct advice next;

	if (!report->output || !strcmp(report->output, "-"))
		return;
	advise_outcome(OUTCOME_WRITTEN, false, &files, &next);
	if (*next.command)
		fprintf(out, "next: %s\n", next.command);
}
