/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Items with keys of their own, to be brought into order. */
#ifndef MERGE_ITEM_LIST_H
#define MERGE_ITEM_LIST_H

#include "src/base/attr.h"
#include "src/base/vec.h"
#include "src/profile/item.h"

DEFINE_VEC(profile_item_vec, struct profile_item);

struct keyed_item {
	uint64_t part; /* of the key; behind its end are zeros */
	const uint8_t *key;
	uint32_t size, index; /* of the item */
};
struct item_chunk; /* keys: they stay where they are */

struct item_list {
	struct profile_item_vec items; /* as they came */
	struct item_chunk *chunks;
	struct keyed_item *order; /* of all of them */
	size_t room;
	size_t settled; /* how many there are in order; 0 until they are */
	size_t bytes; /* of memory */
};

void item_list_free(struct item_list *list);

/* Forget the items; some of the memory is kept. */
void item_list_clear(struct item_list *list);

/* Put an item behind the others; its key, of less than 2^32 bytes, is copied.  false: out of memory, or 2^32 items */
BC_MUST_USE bool item_list_push(struct item_list *list, const struct profile_item *item);

enum item_fault { ITEMS_FIT, ITEMS_DISAGREE, ITEMS_OVERFLOW };

/* Bring them into order and add up equal ones; no more are put to them then.  saturate, *saturated: as profile_item_add().  *bad: of which
 * key, where they do not fit. */
enum item_fault item_list_settle(struct item_list *list, bool saturate, uint64_t *saturated,
				 struct profile_item *bad);

/* The items in order, each key once, after item_list_settle().  They lie where they came: who goes from one to the next
 * has those fetched that it comes to soon. */
static inline const struct profile_item *item_list_at(const struct item_list *list, size_t at)
{
	const struct keyed_item *order = list->order;

	if (list->settled - at > 8) {
		__builtin_prefetch(&list->items.at[order[at + 8].index]);
		__builtin_prefetch(order[at + 8].key);
		__builtin_prefetch(order[at + 8].key + order[at + 8].size - 1);
	}
	return &list->items.at[order[at].index];
}

#endif
