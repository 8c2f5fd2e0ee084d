/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/trust.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "src/merge/line_reader.h"
#include "src/merge/weighed.h"

/* Of an input at least so many bytes must be in order, for the others to be so, too. */
#define BEGINNING ((uint64_t)4096)

/* Inputs of less are added up in memory one after the other, as each that is read side by side takes as much as that;
 * but not if all of them together take more than this part of --memory. */
#define SMALL ((uint64_t)128 << 10)
#define SMALL_PART 8

static bool is_file(const struct merge_input *input)
{
	struct stat st;

	return strcmp(input->path, "-") != 0 && stat(input->path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_small(const struct merge_worker *worker, const struct line_reader *r)
{
	const struct sorter *sorter = &worker->sorter;

	return r->stream.size < SMALL && !sorter->runs.len && sorter->list.bytes < sorter->memory / SMALL_PART;
}

/* ---- small ones ---- */

static bool take(const struct merge *merge, struct merge_input *input, struct merge_worker *worker, struct line_reader *r,
		 struct bc_error *err)
{
	struct profile_item item;

	while (r->source.next(&r->source, &item, err)) {
		if (!weighed_item(merge, input, worker, &item, err) || !sorter_put(&worker->sorter, &item, err))
			return false;
	}
	if (err->code != BC_OK)
		return false;
	input->records = r->count;
	memcpy(input->sums, r->sums, sizeof(r->sums));
	if (r->head.kind == KIND_PREAGG && !r->head.mode)
		r->head.kind = KIND_NOTHING;
	input->taken = true;
	return line_reader_check_shard(r, input, err);
}

/* ---- large ones ---- */

static bool look_at_beginning(struct line_reader *r, bool *in_order, struct bc_error *err)
{
	struct profile_item item, last = {0};

	*in_order = true;
	while (r->in.next < BEGINNING && r->source.next(&r->source, &item, err)) {
		*in_order &= !last.key || profile_item_compare(&last, &item) < 0;
		last = item;
	}
	return r->in.next >= BEGINNING || err->code == BC_OK;
}

/* Those must be known before the first record is written. */
static bool gather_returns(struct line_reader *r, struct bc_error *err)
{
	struct text lines;

	while (text_input_lines(&r->in, &lines, err))
		if (!preagg_take_returns(lines, &r->returns, &r->keys[0]))
			return bc_fail(err, BC_FORMAT, "%s: a return that is none", r->stream.name);
	return err->code == BC_OK;
}

static bool look(struct merge_input *input, struct line_reader *r, struct bc_error *err)
{
	input->trusted = true;
	return look_at_beginning(r, &input->in_order, err) && (r->head.mode || bc_fail(err, BC_FORMAT, "no record yet")) &&
	       (r->head.kind != KIND_PREAGG || gather_returns(r, err));
}

/* ---- all of them ---- */

static bool trust(void *ctx, size_t number, struct merge_worker *worker, struct bc_error *err)
{
	const struct merge *merge = ctx;
	struct merge_input *input = &merge->inputs[number];
	struct line_reader *r = is_file(input) ? line_reader_open(input, worker, err) : NULL;

	if (!r)
		return bc_fail(err, BC_FORMAT, "cannot be trusted");
	bool ok = r->head.kind != KIND_YAML && (is_small(worker, r) ? take(merge, input, worker, r, err) : look(input, r, err));
	if (ok)
		line_reader_give(r, input);
	source_close(&r->source);
	return ok && merge_check_input(&merge->options, input) && !input->why;
}

bool merge_trust(struct merge *merge, struct bc_error *err)
{
	merge->trusting = true;
	for (unsigned i = 0; i < merge->threads; i++)
		merge->workers[i].sorter = merge_sorter(merge, &merge->workers[i]);
	return merge_each(merge, merge->count, trust, merge, err);
}

void merge_trusted(struct merge *merge)
{
	for (size_t i = 0; merge->trusting && i < merge->count; i++)
		merge_count_input(merge, &merge->inputs[i]);
}

void merge_forget(struct merge *merge)
{
	struct merge_options options = merge->options;
	struct merge_input *inputs = merge->given;
	size_t count = merge->report.inputs;

	merge_free(merge);
	for (size_t i = 0; i < count; i++)
		inputs[i] = (struct merge_input){.path = inputs[i].path, .weight = inputs[i].weight};
	merge_init(merge, &options, inputs, count);
}

bool merge_forget_threads(struct merge *merge, const struct bc_error *err)
{
	if (err->code != BC_NOMEM || merge->threads == 1)
		return false;
	for (size_t i = 0; i < merge->count; i++)
		if (!is_file(&merge->inputs[i]))
			return false;
	merge->options.threads = 1;
	merge_forget(merge);
	return true;
}
