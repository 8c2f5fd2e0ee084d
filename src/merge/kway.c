/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/kway.h"

struct head {
	struct profile_item item;
	struct source *source;
};

/* A heap of sources by their next item, the least first.  Heads stay where they are; what moves are pointers. */
struct heap {
	struct head **at;
	size_t len;
};

static void sink(struct heap *heap, size_t from)
{
	struct head *head = heap->at[from];

	for (size_t child; (child = 2 * from + 1) < heap->len; from = child) {
		if (child + 1 < heap->len && profile_item_compare(&heap->at[child + 1]->item, &heap->at[child]->item) < 0)
			child++;
		if (profile_item_compare(&head->item, &heap->at[child]->item) <= 0)
			break;
		heap->at[from] = heap->at[child];
	}
	heap->at[from] = head;
}

/* A source at the top, or next to it, goes on, or is over. */
static bool advance(struct heap *heap, size_t at, struct bc_error *err)
{
	struct head *head = heap->at[at];

	if (!head->source->next(head->source, &head->item, err)) {
		if (err->code != BC_OK)
			return false;
		heap->at[at] = heap->at[--heap->len];
	}
	if (at < heap->len)
		sink(heap, at);
	return true;
}

static bool fill(struct heap *heap, struct head *heads, struct source *const *sources, size_t count,
		 struct bc_error *err)
{
	for (size_t i = 0; i < count; i++) {
		heads[i].source = sources[i];
		if (sources[i]->next(sources[i], &heads[i].item, err))
			heap->at[heap->len++] = &heads[i];
		else if (err->code != BC_OK)
			return false;
	}
	for (size_t i = heap->len / 2; i-- > 0;)
		sink(heap, i);
	return true;
}

static bool fail(struct kway *how, enum item_fault fault, const struct profile_item *item, struct bc_error *err)
{
	how->fault = fault;
	how->bad.size = 0;
	if (!key_reserve(&how->bad, item->size))
		return bc_fail_nomem(err);
	memcpy(how->bad.at, item->key, item->size);
	how->bad.size = item->size;
	return bc_fail(err, BC_MISMATCH, "two records of one place do not fit");
}

/* Where next to the top an item has the top's key; or 0. */
static size_t find_equal(const struct heap *heap)
{
	for (size_t at = 1; at < 3 && at < heap->len; at++)
		if (profile_item_equal(&heap->at[at]->item, &heap->at[0]->item))
			return at;
	return 0;
}

/* Add to the top all that have its key.  Its source stands still, so that the key is there. */
static bool add_equal(struct kway *how, struct heap *heap, struct bc_error *err)
{
	struct profile_item *item = &heap->at[0]->item;

	for (size_t at; (at = find_equal(heap));) {
		const struct profile_item *other = &heap->at[at]->item;
		if (!profile_item_agrees(item, other))
			return fail(how, ITEMS_DISAGREE, item, err);
		if (!profile_item_add(item, other, how->saturate, &how->saturated))
			return fail(how, ITEMS_OVERFLOW, item, err);
		if (!advance(heap, at, err))
			return false;
	}
	return true;
}

bool kway_run(struct kway *how, struct source *const *sources, size_t count,
	      bool (*put)(void *ctx, const struct profile_item *item, struct bc_error *err), void *ctx,
	      struct bc_error *err)
{
	struct head *heads = malloc((count + 1) * sizeof(*heads));
	struct heap heap = {malloc((count + 1) * sizeof(*heap.at)), 0};
	bool ok = heads && heap.at ? fill(&heap, heads, sources, count, err) : bc_fail_nomem(err);

	while (ok && heap.len)
		ok = add_equal(how, &heap, err) && put(ctx, &heap.at[0]->item, err) && advance(&heap, 0, err);
	free(heap.at);
	free(heads);
	return ok;
}
