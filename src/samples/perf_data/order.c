/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/perf_data/order.h"

#include <stdlib.h>
#include <string.h>

void perf_order_init(struct perf_order *order, struct perf_pool *pool, struct perf_deliver deliver,
		     struct perf_order_limit most, struct perf_order_limit in_rounds)
{
	*order = (struct perf_order){
		.pool = pool,
		.deliver = deliver,
		.most = most,
		.in_rounds = in_rounds,
		.sorted = true,
	};
}

void perf_order_fini(struct perf_order *order)
{
	for (size_t i = order->begin; i < order->end; i++)
		perf_pool_release(order->pool, order->at[i].block);
	free(order->at);
	free(order->spare);
	*order = (struct perf_order){0};
}

/* The end of the sorted run that begins at `from`. */
static size_t run_end(const struct perf_pending *at, size_t from, size_t end)
{
	size_t i = from + 1;

	while (i < end && at[i - 1].time <= at[i].time)
		i++;
	return i < end ? i : end;
}

static void merge(const struct perf_pending *left, const struct perf_pending *right,
		  const struct perf_pending *end, struct perf_pending *out)
{
	const struct perf_pending *l = left, *r = right;

	while (l < right && r < end)
		*out++ = r->time < l->time ? *r++ : *l++;
	while (l < right)
		*out++ = *l++;
	while (r < end)
		*out++ = *r++;
}

/* One pass that merges runs in pairs.  Returns how many runs were left. */
static size_t merge_pass(const struct perf_pending *at, size_t begin, size_t end,
			 struct perf_pending *out)
{
	size_t runs = 0;

	for (size_t from = begin; from < end; runs++) {
		size_t middle = run_end(at, from, end);
		size_t to = middle < end ? run_end(at, middle, end) : end;
		merge(at + from, at + middle, at + to, out + from);
		from = to;
	}
	return runs;
}

static bool make_spare(struct perf_order *order, struct bc_error *err)
{
	if (order->spare_capacity >= order->capacity)
		return true;
	struct perf_pending *spare = malloc(order->capacity * sizeof(*spare));
	if (!spare)
		return bc_fail_nomem(err);
	free(order->spare);
	order->spare = spare;
	order->spare_capacity = order->capacity;
	return true;
}

static void swap_spare(struct perf_order *order)
{
	struct perf_pending *sorted = order->spare;
	size_t capacity = order->spare_capacity;

	order->spare = order->at;
	order->spare_capacity = order->capacity;
	order->at = sorted;
	order->capacity = capacity;
}

/* Natural merge sort: it merges the ascending runs that the records already have, each about
 * as long as one buffer of the kernel.  It is stable. */
static bool sort(struct perf_order *order, struct bc_error *err)
{
	size_t runs = order->sorted ? 1 : 2;

	if (runs > 1 && !make_spare(order, err))
		return false;
	while (runs > 1) {
		runs = merge_pass(order->at, order->begin, order->end, order->spare);
		swap_spare(order);
	}
	order->sorted = true;
	return true;
}

static bool deliver_first(struct perf_order *order, struct bc_error *err)
{
	struct perf_pending *first = &order->at[order->begin++];
	struct perf_record record = {
		.type = le32(first->header),
		.misc = le16(first->header + 4),
		.body = {first->header + PERF_RECORD_HEADER_SIZE,
			 (size_t)le16(first->header + 6) - PERF_RECORD_HEADER_SIZE},
		.offset = first->offset,
		.block = first->block,
	};
	if (!--first->block->waiting)
		order->blocks--;
	bool ok = order->deliver.record(order->deliver.ctx, first->time, &record, err);

	perf_pool_release(order->pool, first->block);
	return ok;
}

bool perf_order_flush(struct perf_order *order, uint64_t time, struct bc_error *err)
{
	if (!sort(order, err))
		return false;
	while (order->begin < order->end && order->at[order->begin].time <= time)
		if (!deliver_first(order, err))
			return false;
	return true;
}

bool perf_order_round(struct perf_order *order, struct bc_error *err)
{
	uint64_t limit = order->round_limit;

	order->most = order->in_rounds;
	order->round_limit = order->newest;
	return perf_order_flush(order, limit, err);
}

static bool flush_half(struct perf_order *order, struct bc_error *err)
{
	size_t until = order->end - (order->end - order->begin) / 2;

	if (!sort(order, err))
		return false;
	while (order->begin < until)
		if (!deliver_first(order, err))
			return false;
	return true;
}

static bool grow(struct perf_order *order)
{
	size_t capacity = order->capacity ? 2 * order->capacity : 1024;
	struct perf_pending *at = realloc(order->at, capacity * sizeof(*at));

	if (!at)
		return false;
	order->at = at;
	order->capacity = capacity;
	return true;
}

/* Make room for one more record, first at the front, where records were delivered. */
static bool make_room(struct perf_order *order)
{
	size_t left = order->end - order->begin;

	if (order->end < order->capacity)
		return true;
	if (order->begin < order->capacity / 2)
		return grow(order);
	if (order->begin) {
		memmove(order->at, order->at + order->begin, left * sizeof(*order->at));
		order->begin = 0;
		order->end = left;
	}
	return order->end < order->capacity || grow(order);
}

static bool is_full(const struct perf_order *order)
{
	return order->blocks > order->most.blocks ||
	       order->end - order->begin >= order->most.records;
}

bool perf_order_put(struct perf_order *order, uint64_t time, const struct perf_record *record,
		    struct bc_error *err)
{
	while (is_full(order) && order->begin < order->end)
		if (!flush_half(order, err))
			return false;
	if (!make_room(order))
		return bc_fail_nomem(err);
	if (order->begin < order->end && time < order->at[order->end - 1].time)
		order->sorted = false;
	if (time > order->newest)
		order->newest = time;
	perf_block_hold(record->block);
	if (!record->block->waiting++)
		order->blocks++;
	order->at[order->end++] = (struct perf_pending){
		.time = time,
		.header = record->body.data - PERF_RECORD_HEADER_SIZE,
		.block = record->block,
		.offset = record->offset,
	};
	return true;
}
