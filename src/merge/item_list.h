/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Items with keys of their own, to be brought into order. */
#ifndef MERGE_ITEM_LIST_H
#define MERGE_ITEM_LIST_H

#include "src/base/attr.h"
#include "src/base/vec.h"
#include "src/merge/item.h"

DEFINE_VEC(merge_item_vec, struct merge_item);

struct item_chunk; /* keys: they stay where they are */

struct item_list {
	struct merge_item_vec items;
	struct item_chunk *chunks;
	size_t bytes; /* of memory */
};

void item_list_free(struct item_list *list);

/* Forget the items; some of the memory is kept. */
void item_list_clear(struct item_list *list);

/* Put an item behind the others; its key is copied.  false: out of memory */
BC_MUST_USE bool item_list_push(struct item_list *list, const struct merge_item *item);

enum item_fault { ITEMS_FIT, ITEMS_DISAGREE, ITEMS_OVERFLOW };

/* Bring them into order and add up equal ones.  saturate, *saturated: as merge_item_add().  *bad: of which
 * key, where they do not fit. */
enum item_fault item_list_settle(struct item_list *list, bool saturate, uint64_t *saturated,
				 struct merge_item *bad);

#endif
