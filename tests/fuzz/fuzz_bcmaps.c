/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Snapshots are refused with the byte, or can be looked up, and are the same when
 * they are written and read again.  The input is tried as a whole file and as the
 * content of its frame, which a checksum would guard from all that a fuzzer does.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "src/addrspace/bcmaps.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_snapshot(const struct snapshots *all, const struct snapshot *s)
{
	struct maps maps;

	assert(snapshots_of_id(all, s->pid, s->id) == s);
	assert(snapshots_at(all, s->pid, s->time)->time == s->time);
	assert(snapshots_maps(all, s, &maps));
	assert(maps.len == s->count);
	for (size_t i = 0; i < maps.len; i++) {
		assert(maps.at[i].start < maps.at[i].end);
		assert(!i || maps.at[i - 1].end <= maps.at[i].start);
	}
	maps_free(&maps);
}

static void check_same(const struct snapshots *a, const struct snapshots *b)
{
	assert(a->all.len == b->all.len);
	for (size_t i = 0; i < a->all.len; i++) {
		const struct snapshot *x = &a->all.at[i], *y = &b->all.at[i];
		struct maps m, n;
		assert(x->pid == y->pid && x->id == y->id && x->time == y->time && x->count == y->count);
		assert(snapshots_maps(a, x, &m) && snapshots_maps(b, y, &n));
		for (size_t r = 0; r < m.len; r++) {
			struct region p = m.at[r], q = n.at[r];
			assert(text_equal(strings_at(&a->strings, p.path), strings_at(&b->strings, q.path)));
			assert(text_equal(strings_at(&a->strings, p.build_id),
					  strings_at(&b->strings, q.build_id)));
			p.path = q.path = p.build_id = q.build_id = 0;
			assert(region_equal(&p, &q));
		}
		maps_free(&m);
		maps_free(&n);
	}
}

static void check(struct snapshots *all)
{
	struct snapshots again;
	struct bc_error err = {0};
	uint8_t *file;
	size_t size;

	for (size_t i = 0; i < all->all.len && i < 100; i++)
		check_snapshot(all, &all->all.at[i]);
	assert(bcmaps_write(all, &file, &size, &err));
	assert(bcmaps_read((struct bytes){file, size}, &again, &err));
	check_same(all, &again);
	snapshots_free(&again);
	free(file);
}

static void check_error(const struct bc_error *err)
{
	assert(err->code == BC_FORMAT || err->code == BC_UNSUPPORTED);
	assert(*err->text && !strchr(err->text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, size};
	struct snapshots all;
	struct bc_error err = {0};

	if (bcmaps_read(bytes, &all, &err)) {
		check(&all);
		snapshots_free(&all);
	} else {
		check_error(&err);
	}
	if (bcmaps_read_content(bytes, &all, &err)) {
		check(&all);
		snapshots_free(&all);
	} else {
		check_error(&err);
	}
	return 0;
}
