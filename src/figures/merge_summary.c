/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/figures/merge_summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/say.h"
#include "src/figures/figure_table.h"

/* A decimal number of up to 128 bits. */
static const char *format_sum(exact_sum sum, char out[48])
{
	char *at = out + 47;

	*at = '\0';
	do
		*--at = (char)('0' + (int)(sum % 10));
	while (sum /= 10);
	return at;
}

static struct figure_value sum_of(const void *at)
{
	struct figure_value value = {.type = FIGURE_CHARS};
	char sum[48];

	snprintf(value.chars, sizeof(value.chars), "%s", format_sum(*(const exact_sum *)at, sum));
	return value;
}

FIGURE_READER(kind_of, struct merge_outcome, figure_string(profile_kind_name(it->kind)))
FIGURE_READER(used_of, struct merge_report, figure_number(it->inputs - it->bad))

FIGURE_READER(refusal_of, struct merge_outcome,
	      figure_string(it->refusal ? it->refusal->text : NULL))
FIGURE_READER(hint_of, struct merge_outcome,
	      figure_string(it->refusal ? bc_error_hint(it->refusal) : NULL))

#define SUMS(field)                                                                                \
	{#field, BEGIN}, {"counts", NULL, VALUE_BY(struct merge_report, field[0], sum_of)},        \
		{"mispredictions", NULL, VALUE_BY(struct merge_report, field[1], sum_of)},         \
	{                                                                                          \
		END                                                                                \
	}
static const struct figure_row report_rows[] = {
	FIGURE(struct merge_report, , inputs),
	{"used", .read = used_of},
	{"empty", "{} input{:s} without records\n", VALUE(struct merge_report, empty), .any = true},
	{"unchecked", "{} input{:s} without a checksum\n", VALUE(struct merge_report, unchecked),
	 .any = true},
	{"without_identity", "{} input{:s} without a build-id\n",
	 VALUE(struct merge_report, without_identity), .any = true},
	FIGURES(struct merge_report, , records_in, records_out),
	SUMS(in),
	SUMS(out),
	FIGURES(struct merge_report, , saturated, scaled_to_zero),
	{"runs", "{} run{:s} in temporary files\n", VALUE(struct merge_report, runs)},
	{0},
};

static const struct figure_row lost_rows[] = {
	{.text = "{} input{:s} left out\n", VALUE(struct merge_report, bad), .any = true},
	{.text = "{} record{:s} scaled to 0 and dropped\n",
	 VALUE(struct merge_report, scaled_to_zero),
	 .any = true},
	{0},
};

void merge_summary_text(const struct merge_outcome *outcome, bool verbose, FILE *out)
{
	const struct merge_report *r = &outcome->merge->report;
	char count[48], other[48];

	say_row(out, "inputs", "%zu (%s), %" PRIu64 " record%s", r->inputs - r->bad,
		profile_kind_name(outcome->kind), r->records_in, plural(r->records_in));
	figures_text(lost_rows, r, false, SAY_CONTINUED, out);
	if (verbose)
		figures_text(report_rows, r, false, SAY_CONTINUED, out);
	say_row(out, "merged", "%" PRIu64 " record%s: counts %s, %s %s", r->records_out,
		plural(r->records_out), format_sum(r->out[0], count),
		outcome->kind == KIND_YAML ? "mispredictions and others" : "mispredictions",
		format_sum(r->out[1], other));
}

static void write_bad(struct json *json, const struct figure_row *row, const void *of)
{
	const struct merge *merge = of;

	json_open(json, row->key, '[');
	for (size_t i = 0; i < merge->count; i++) {
		if (!merge->inputs[i].why)
			continue;
		json_open(json, NULL, '{');
		json_string(json, "path", input_name(merge->inputs[i].path));
		json_string(json, "reason", merge->inputs[i].why);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static const struct figure_row outcome_rows[] = {
	FORMAT_ROWS("batconv-merge"),
	{"kind", .read = kind_of},
	{.at = offsetof(struct merge, report),
	 .rows = report_rows,
	 THROUGH(struct merge_outcome, merge)},
	FIGURE(struct merge_outcome, , profiles),
	{"bad", .write = write_bad, THROUGH(struct merge_outcome, merge)},
	{"error", .read = refusal_of},
	{"hint", .read = hint_of},
	{0},
};

void merge_summary_json(const struct merge_outcome *outcome, FILE *out)
{
	figures_json_document(outcome_rows, outcome, out);
}

/* Two shards with at least so many records, and with the same sums, are not alike by chance. */
#define FEW_RECORDS 16
#define TOLD_MOST   ((size_t)10) /* pairs of such that are named */

static int compare_shards(const void *a, const void *b)
{
	const struct merge_input *x = *(const struct merge_input *const *)a,
				 *y = *(const struct merge_input *const *)b;

	if (x->records != y->records)
		return x->records < y->records ? -1 : 1;
	for (int i = 0; i < 2; i++)
		if (x->sums[i] != y->sums[i])
			return x->sums[i] < y->sums[i] ? -1 : 1;
	return x->shard.id.size != y->shard.id.size ?
		       (x->shard.id.size > y->shard.id.size) -
			       (x->shard.id.size < y->shard.id.size) :
		       memcmp(x->shard.id.data, y->shard.id.data, x->shard.id.size);
}

bool merge_summary_doubles(const struct merge *merge, FILE *out)
{
	const struct merge_input **shards = malloc((merge->count + 1) * sizeof(*shards));
	bool ok = shards;
	size_t count = 0, pairs = 0;

	for (size_t i = 0; shards && i < merge->count; i++)
		if (!merge->inputs[i].why && merge->inputs[i].is_shard &&
		    merge->inputs[i].records > FEW_RECORDS)
			shards[count++] = &merge->inputs[i];
	if (count)
		qsort(shards, count, sizeof(const struct merge_input *), compare_shards);
	for (size_t i = 1; i < count; i++)
		if (!compare_shards(&shards[i - 1], &shards[i]) && ++pairs <= TOLD_MOST)
			say_warning(out, "%s and %s have the same records and sums: are they one?",
				    input_name(shards[i - 1]->path), input_name(shards[i]->path));
	if (pairs > TOLD_MOST)
		say_warning(out, "%zu more pair%s of inputs with the same records and sums",
			    pairs - TOLD_MOST, plural(pairs - TOLD_MOST));
	free(shards);
	return ok;
}

/* ---- inferred and counted branches ---- */

/* For branches, and with any. */
static bool has_branches(const struct merge_input *input)
{
	return !input->why && input->head.kind == KIND_YAML && input->head.mode == MODE_BRANCHES &&
	       input->records;
}

/* An input of counted branches that is added to this one of inferred ones. */
static const struct merge_input *counted_beside(const struct merge *merge,
						const struct merge_input *inferred)
{
	struct build_id id = merge_identity(inferred);

	for (size_t i = 0; i < merge->count; i++) {
		const struct merge_input *input = &merge->inputs[i];
		struct build_id own = merge_identity(input);
		if (has_branches(input) && !profile_head_inferred(&input->head) &&
		    own.size == id.size && !memcmp(own.data, id.data, id.size))
			return input;
	}
	return NULL;
}

void merge_summary_inferred(const struct merge *merge, FILE *out)
{
	char sum[48];

	for (size_t i = 0; !merge->options.scaled && i < merge->count; i++) {
		const struct merge_input *input = &merge->inputs[i];
		const struct merge_input *counted =
			has_branches(input) && profile_head_inferred(&input->head) ?
				counted_beside(merge, input) :
				NULL;
		if (!counted)
			continue;
		say_warning(
			out,
			"the inferred branches of %s have thousands of counts a sample, and outweigh the counted ones of %s: "
			"--scale-to=%s gives each input the same weight",
			input_name(input->path), input_name(counted->path),
			format_sum(input->sums[0] ? input->sums[0] : 1, sum));
		return;
	}
}

void merge_summary_bad(const struct merge *merge, bool skipped, FILE *out)
{
	for (size_t i = 0; i < merge->count; i++)
		if (merge->inputs[i].why)
			(skipped ? say_warning : say_note)(out, "%s%s", merge->inputs[i].why,
							   skipped ? " (left out)" : "");
	if (merge->report.saturated && skipped)
		say_warning(out, "%" PRIu64 " sum%s did not fit and became 2^64 - 1",
			    merge->report.saturated, plural(merge->report.saturated));
	if (merge->report.differing && skipped)
		say_warning(
			out,
			"%" PRIu64
			" unknown key%s of YAML had several values: the first in order was written",
			merge->report.differing, plural(merge->report.differing));
}
