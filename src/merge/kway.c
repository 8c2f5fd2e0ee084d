/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/kway.h"

struct head {
	struct merge_item item;
	struct source *source;
};

/* A heap of sources by their next item, the least first. */
struct heap {
	struct head *at;
	size_t len;
};

static void sink(struct heap *heap, size_t from)
{
	struct head head = heap->at[from];

	for (size_t child; (child = 2 * from + 1) < heap->len; from = child) {
		if (child + 1 < heap->len && merge_item_compare(&heap->at[child + 1].item, &heap->at[child].item) < 0)
			child++;
		if (merge_item_compare(&head.item, &heap->at[child].item) <= 0)
			break;
		heap->at[from] = heap->at[child];
	}
	heap->at[from] = head;
}

/* The source at the top goes on, or is over. */
static bool advance_top(struct heap *heap, struct bc_error *err)
{
	if (heap->at->source->next(heap->at->source, &heap->at->item, err)) {
		sink(heap, 0);
		return true;
	}
	if (err->code != BC_OK)
		return false;
	heap->at[0] = heap->at[--heap->len];
	if (heap->len)
		sink(heap, 0);
	return true;
}

static bool fill(struct heap *heap, struct source *const *sources, size_t count, struct bc_error *err)
{
	for (size_t i = 0; i < count; i++) {
		struct head *head = &heap->at[heap->len];
		head->source = sources[i];
		if (sources[i]->next(sources[i], &head->item, err))
			heap->len++;
		else if (err->code != BC_OK)
			return false;
	}
	for (size_t i = heap->len / 2; i-- > 0;)
		sink(heap, i);
	return true;
}

static bool fail(struct kway *how, enum item_fault fault, const struct merge_item *item, struct bc_error *err)
{
	how->fault = fault;
	how->bad.size = 0;
	if (!key_reserve(&how->bad, item->size))
		return bc_fail_nomem(err);
	memcpy(how->bad.at, item->key, item->size);
	how->bad.size = item->size;
	return bc_fail(err, BC_MISMATCH, "two records of one place do not fit");
}

/* Add all that have the key of `item`, whose source stands still. */
static bool add_equal(struct kway *how, struct heap *heap, struct merge_item *item, struct bc_error *err)
{
	while (heap->len && !merge_item_compare(&heap->at->item, item)) {
		if (!merge_item_agrees(item, &heap->at->item))
			return fail(how, ITEMS_DISAGREE, item, err);
		if (!merge_item_add(item, &heap->at->item, how->saturate, &how->saturated))
			return fail(how, ITEMS_OVERFLOW, item, err);
		if (!advance_top(heap, err))
			return false;
	}
	return true;
}

bool kway_run(struct kway *how, struct source *const *sources, size_t count,
	      bool (*put)(void *ctx, const struct merge_item *item, struct bc_error *err), void *ctx,
	      struct bc_error *err)
{
	struct heap heap = {malloc((count + 1) * sizeof(*heap.at)), 0};
	bool ok = heap.at ? fill(&heap, sources, count, err) : bc_fail_nomem(err);

	while (ok && heap.len) {
		struct head first = heap.at[0];
		/* The least one steps aside, as its source must not move while its key is used. */
		heap.at[0] = heap.at[--heap.len];
		if (heap.len)
			sink(&heap, 0);
		ok = add_equal(how, &heap, &first.item, err) && put(ctx, &first.item, err);
		if (!ok)
			break;
		if (first.source->next(first.source, &first.item, err)) {
			/* It takes the top's place, and that sinks from there. */
			size_t at = heap.len++;
			for (; at && merge_item_compare(&first.item, &heap.at[(at - 1) / 2].item) < 0; at = (at - 1) / 2)
				heap.at[at] = heap.at[(at - 1) / 2];
			heap.at[at] = first;
		} else {
			ok = err->code == BC_OK;
		}
	}
	free(heap.at);
	return ok;
}
