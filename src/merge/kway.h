/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sources in order become one in order: equal items are added up. */
#ifndef MERGE_KWAY_H
#define MERGE_KWAY_H

#include "src/merge/item_list.h"
#include "src/profile/item.h"
#include "src/merge/source.h"

struct kway {
	bool saturate;
	uint64_t saturated;
	enum item_fault fault; /* why kway_run() failed, or ITEMS_FIT: err tells */
	struct key bad;        /* of which key; for key_free() */
};

/* Each source has each key once.  put(ctx, item, err) gets them.  The sources stay open. */
BC_MUST_USE bool kway_run(struct kway *how, struct source *const *sources, size_t count,
			  bool (*put)(void *ctx, const struct profile_item *item, struct bc_error *err), void *ctx,
			  struct bc_error *err);

#endif
