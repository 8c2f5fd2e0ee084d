/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/fuzz/support/check_snapshots.h"

#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>

void check_regions(const struct maps *maps)
{
	for (size_t i = 0; i < maps->len; i++) {
		const struct region *r = &maps->at[i];
		assert(r->start < r->end);
		assert(!i || r[-1].end <= r->start);
		assert(maps_find(maps, (struct run_addr){r->start}) == r);
		assert(maps_find(maps, (struct run_addr){r->end - 1}) == r);
		const struct region *next = i + 1 < maps->len && r[1].start == r->end ? r + 1 : NULL;
		assert(maps_find(maps, (struct run_addr){r->end}) == next);
	}
}

void check_snapshots(const struct snapshots *all)
{
	size_t regions = 0;

	for (size_t i = 0; i < all->all.len && regions < CHECK_REGIONS_MOST; i++) {
		const struct snapshot *s = &all->all.at[i];
		struct maps maps;
		const struct snapshot *then = snapshots_at(all, s->pid, s->time);
		assert(snapshots_of_id(all, s->pid, s->id) == s);
		assert(then && then->pid == s->pid && then->time == s->time && then >= s);
		assert(!s->time || (then = snapshots_at(all, s->pid, s->time - 1)) == NULL || then->time < s->time);
		assert(snapshots_maps(all, s, &maps) && maps.len == s->count);
		check_regions(&maps);
		regions += maps.len + 1;
		maps_free(&maps);
	}
}

static void check_same_regions(const struct snapshots *a, const struct snapshots *b, struct region p, struct region q,
			       bool build_ids)
{
	assert(text_equal(strings_at(&a->strings, p.path), strings_at(&b->strings, q.path)));
	assert(!build_ids ||
	       text_equal(strings_at(&a->strings, p.build_id), strings_at(&b->strings, q.build_id)));
	p.path = q.path = p.build_id = q.build_id = 0;
	assert(region_equal(&p, &q));
}

void check_same_snapshots(const struct snapshots *a, const struct snapshots *b, size_t count, bool build_ids)
{
	assert(count <= a->all.len && count <= b->all.len);
	for (size_t i = 0; i < count; i++) {
		const struct snapshot *x = &a->all.at[i], *y = &b->all.at[i];
		struct maps m, n;
		assert(x->pid == y->pid && x->id == y->id && x->time == y->time && x->count == y->count);
		assert(snapshots_maps(a, x, &m) && snapshots_maps(b, y, &n));
		for (size_t r = 0; r < m.len; r++)
			check_same_regions(a, b, m.at[r], n.at[r], build_ids);
		maps_free(&m);
		maps_free(&n);
	}
}
