/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Items are brought into order. */
#ifndef PROFILE_SORTER_H
#define PROFILE_SORTER_H

#include "src/base/attr.h"
#include "src/base/map.h"
#include "src/base/vec.h"
#include "src/profile/run.h"

/* Items with keys of their own, to be brought into order. */
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

/* Items in any order: equal ones are added up as they come, and the others sorted in memory, and in
 * runs of a temporary file where that is too little. */
struct sorter {
	struct temporary *file;
	size_t memory; /* bytes of items at a time */
	bool saturate;
	uint64_t saturated;
	struct item_list list;
	struct map places; /* where each key of the list is in it, as long as looking for them pays */
	size_t found;      /* keys that were there already */
	bool all_new;      /* hardly any is: they are put behind the others, and equal ones found when all are sorted */
	struct run_vec runs;   /* of what was put so far but for the list */
	enum item_fault fault; /* why sorter_put() or sorter_end() failed, or ITEMS_FIT: err tells */
	struct profile_item bad; /* of which key */
};

void sorter_free(struct sorter *sorter);

BC_MUST_USE bool sorter_put(struct sorter *sorter, const struct profile_item *item, struct bc_error *err);

/* All was put: what is in memory is in order, too, and stays there if there are no runs; spill: it is
 * put into a run in any case. */
BC_MUST_USE bool sorter_end(struct sorter *sorter, bool spill, struct bc_error *err);

/* What is in memory, after sorter_end().  NULL: BC_NOMEM */
struct source *sorter_open_memory(const struct sorter *sorter, struct bc_error *err);

#endif
