/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/profile/weighed.h"

#include <stdlib.h>

#include "src/profile/yaml_items.h"

struct weighed {
	struct source source, *from;
	const struct merge *merge;
	const struct merge_input *input;
	struct merge_worker *worker;
};

/* count * to / all, to the nearest, half up.  count <= all. */
static uint64_t scale(uint64_t count, uint64_t to, exact_sum all)
{
	exact_sum product = (exact_sum)count * to, whole = product / all, rest = product % all;

	return (uint64_t)whole + (rest >= all - rest);
}

static bool weigh(const struct merge *merge, const struct merge_input *input, struct merge_worker *worker,
		  struct profile_item *item, struct bc_error *err)
{
	const struct merge_options *options = &merge->options;

	for (int i = 0; i < 2; i++) {
		uint64_t *sum = &item->sum[i];
		/* Mispredictions are scaled as their counts are, of which they are a part. */
		exact_sum all = input->sums[0] > input->sums[1] ? input->sums[0] : input->sums[1];
		if (options->scaled && *sum)
			*sum = scale(*sum, options->scale_to, all);
		if (!__builtin_mul_overflow(*sum, input->weight, sum))
			continue;
		if (!options->saturate)
			return bc_fail(err, BC_FORMAT, "%s: a count times its weight is 2^64 or more (--saturate)",
				       input_name(input->path));
		*sum = UINT64_MAX;
		worker->saturated++;
	}
	return true;
}

static void count(struct merge_worker *worker, const struct profile_item *item)
{
	worker->in[0] += item->sum[0];
	worker->in[1] += item->sum[1];
}

bool weighed_item(const struct merge *merge, const struct merge_input *input, struct merge_worker *worker,
		  struct profile_item *item, struct bc_error *err)
{
	if (!weigh(merge, input, worker, item, err))
		return false;
	count(worker, item);
	return true;
}

bool weighed_as_it_is(const struct merge *merge, const struct merge_input *input)
{
	return input->weight == 1 && !merge->options.scaled;
}

static bool next(struct source *source, struct profile_item *out, struct bc_error *err)
{
	struct weighed *w = (struct weighed *)(void *)source; /* its first member */

	while (w->from->next(w->from, out, err)) {
		bool counted = out->sum[0] || out->sum[1];
		if (!weigh(w->merge, w->input, w->worker, out, err))
			return false;
		/* What has no count of its own to lose stays: there is more to it. */
		if (w->merge->options.scaled && counted && !out->sum[0] && !out->sum[1] &&
		    !(w->input->head.kind == KIND_YAML && yaml_item_is_more(out))) {
			w->worker->scaled_away++;
			continue;
		}
		count(w->worker, out);
		return true;
	}
	return false;
}

static void close_it(struct source *source)
{
	struct weighed *w = (struct weighed *)(void *)source;

	source_close(w->from);
	free(w);
}

struct source *weighed_open(struct source *from, const struct merge *merge, const struct merge_input *input,
			    struct merge_worker *worker, struct bc_error *err)
{
	if (!from || weighed_as_it_is(merge, input))
		return from;
	struct weighed *w = malloc(sizeof(*w));

	if (w) {
		*w = (struct weighed){{next, close_it}, from, merge, input, worker};
		return &w->source;
	}
	bc_fail_nomem(err);
	source_close(from);
	return NULL;
}
