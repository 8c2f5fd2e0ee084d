/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Items in any order: equal ones are added up as they come, and the others sorted in memory, and in
 * runs of a temporary file where that is too little. */
#ifndef MERGE_SORTER_H
#define MERGE_SORTER_H

#include "src/base/map.h"
#include "src/merge/item_list.h"
#include "src/merge/run.h"

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
