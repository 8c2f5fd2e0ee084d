/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/merge/item_list.h"

#include <stdlib.h>

#include "src/base/sort.h"

#define CHUNK ((size_t)256 << 10)

struct item_chunk {
	struct item_chunk *next;
	size_t used, room;
	uint8_t at[];
};

static void free_chunks(struct item_chunk *chunk)
{
	while (chunk) {
		struct item_chunk *next = chunk->next;
		free(chunk);
		chunk = next;
	}
}

void item_list_free(struct item_list *list)
{
	free_chunks(list->chunks);
	merge_item_vec_free(&list->items);
	*list = (struct item_list){0};
}

void item_list_clear(struct item_list *list)
{
	if (list->chunks) {
		free_chunks(list->chunks->next);
		list->chunks->next = NULL;
		list->chunks->used = 0;
	}
	list->items.len = 0;
	list->bytes = 0;
}

static uint8_t *take_room(struct item_list *list, size_t size)
{
	struct item_chunk *chunk = list->chunks;

	if (!chunk || size > chunk->room - chunk->used) {
		size_t room = size > CHUNK ? size : CHUNK;
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		*chunk = (struct item_chunk){.next = list->chunks, .room = room};
		list->chunks = chunk;
	}
	uint8_t *at = chunk->at + chunk->used;
	chunk->used += size;
	return at;
}

bool item_list_push(struct item_list *list, const struct merge_item *item)
{
	uint8_t *key = take_room(list, item->size);
	struct merge_item own = *item;

	if (!key)
		return false;
	memcpy(key, item->key, item->size);
	own.key = key;
	list->bytes += item->size + sizeof(own) + 2 * sizeof(uint64_t); /* and a place in a table */
	return merge_item_vec_push(&list->items, own);
}

static bool item_less(const struct merge_item *a, const struct merge_item *b)
{
	return merge_item_compare(a, b) < 0;
}
DEFINE_SORT(sort_items, struct merge_item, item_less)

enum item_fault item_list_settle(struct item_list *list, bool saturate, uint64_t *saturated, struct merge_item *bad)
{
	struct merge_item *items = list->items.at;
	size_t kept = 0;

	if (list->items.len > 1)
		sort_items(items, list->items.len);
	for (size_t i = 0; i < list->items.len; i++) {
		struct merge_item *last = kept ? &items[kept - 1] : NULL;
		if (!last || merge_item_compare(last, &items[i])) {
			items[kept++] = items[i];
			continue;
		}
		*bad = items[i];
		if (!merge_item_agrees(last, &items[i]))
			return ITEMS_DISAGREE;
		if (!merge_item_add(last, &items[i], saturate, saturated))
			return ITEMS_OVERFLOW;
	}
	list->items.len = kept;
	return ITEMS_FIT;
}
