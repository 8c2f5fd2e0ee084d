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
	assert(maps_of(s->maps, &maps));
	assert(maps.len == map_set_count(s->maps));
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
		assert(x->pid == y->pid && x->id == y->id && x->time == y->time);
		assert(maps_of(x->maps, &m) && maps_of(y->maps, &n) && m.len == n.len);
		for (size_t r = 0; r < m.len; r++) {
			struct mapping p = m.at[r], q = n.at[r];
			struct mapped_file f = *mapped_files_at(&a->files, p.file), g = *mapped_files_at(&b->files, q.file);
			assert(text_equal(mapped_files_path(&a->files, p.file), mapped_files_path(&b->files, q.file)));
			assert(text_equal(mapped_files_build_id(&a->files, p.file),
					  mapped_files_build_id(&b->files, q.file)));
			assert(f.inode == g.inode && f.major == g.major && f.minor == g.minor);
			p.file = q.file = 0;
			assert(!memcmp(&p, &q, sizeof(p)));
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
