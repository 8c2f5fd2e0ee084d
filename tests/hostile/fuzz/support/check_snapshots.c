/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tests/hostile/fuzz/support/check_snapshots.h"

#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <string.h>

void check_mappings(const struct maps *maps)
{
	for (size_t i = 0; i < maps->len; i++) {
		const struct mapping *r = &maps->at[i];
		assert(r->start < r->end);
		assert(!i || r[-1].end <= r->start);
		assert(maps_find(maps, (struct run_addr){r->start}) == r);
		assert(maps_find(maps, (struct run_addr){r->end - 1}) == r);
		const struct mapping *next =
			i + 1 < maps->len && r[1].start == r->end ? r + 1 : NULL;
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
		assert(!s->time || (then = snapshots_at(all, s->pid, s->time - 1)) == NULL ||
		       then->time < s->time);
		assert(maps_of(s->maps, &maps) && maps.len == map_set_count(s->maps));
		check_mappings(&maps);
		regions += maps.len + 1;
		maps_free(&maps);
	}
}

static void check_same_mappings(const struct snapshots *a, const struct snapshots *b,
				struct mapping p, struct mapping q, bool build_ids)
{
	const struct mapped_file *f = mapped_files_at(&a->files, p.file),
				 *g = mapped_files_at(&b->files, q.file);

	assert(text_equal(mapped_files_path(&a->files, p.file),
			  mapped_files_path(&b->files, q.file)));
	assert(!build_ids || text_equal(mapped_files_build_id(&a->files, p.file),
					mapped_files_build_id(&b->files, q.file)));
	assert(!build_ids || text_equal(mapped_files_go_id(&a->files, p.file),
					mapped_files_go_id(&b->files, q.file)));
	assert(f->inode == g->inode && f->major == g->major && f->minor == g->minor);
	p.file = q.file = 0;
	assert(!memcmp(&p, &q, sizeof(p)));
}

void check_same_snapshots(const struct snapshots *a, const struct snapshots *b, size_t count,
			  bool build_ids)
{
	assert(count <= a->all.len && count <= b->all.len);
	for (size_t i = 0; i < count; i++) {
		const struct snapshot *x = &a->all.at[i], *y = &b->all.at[i];
		struct maps m, n;
		assert(x->pid == y->pid && x->id == y->id && x->time == y->time);
		assert(maps_of(x->maps, &m) && maps_of(y->maps, &n) && m.len == n.len);
		for (size_t r = 0; r < m.len; r++)
			check_same_mappings(a, b, m.at[r], n.at[r], build_ids);
		maps_free(&m);
		maps_free(&n);
	}
}

size_t count_mappings(const struct snapshots *all)
{
	size_t count = 0;

	for (size_t i = 0; i < all->all.len; i++)
		count += map_set_count(all->all.at[i].maps);
	return count;
}
