/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Snapshots of maps, and the file that holds them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/samples/bcmaps.h"
#include "src/base/bytes.h"
#include "tests/support/build_maps.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

static void expect(const struct maps *maps, size_t i, uint64_t start, uint64_t end, uint64_t offset)
{
	assert_true(i < maps->len);
	assert_int_equal(maps->at[i].start, start);
	assert_int_equal(maps->at[i].end, end);
	assert_int_equal(maps->at[i].offset, offset);
}

static void add(struct snapshots *all, uint32_t pid, uint32_t id, uint64_t time,
		struct map_set *maps)
{
	struct bc_error err = {0};

	if (!snapshots_add(all, pid, id, time, maps, &err))
		fail_msg("%s", err.text);
}

static void index_all(struct snapshots *all)
{
	struct bc_error err = {0};

	if (!snapshots_index(all, &err))
		fail_msg("%s", err.text);
}

static void snapshots_by_id_and_time(void **state)
{
	struct snapshots all = {0};
	struct map_set *maps = NULL;
	struct bc_error err = {0};

	(void)state;
	add(&all, 7, 0, 100, maps);
	put_region(&maps, 0x1000, 0x2000, 0, 0);
	add(&all, 7, 5, 200, maps);
	add(&all, 9, 0, 150, maps);
	add(&all, 7, 6, 200, maps); /* at the same time: the later one holds */
	index_all(&all);
	assert_null(snapshots_at(&all, 7, 99));
	assert_int_equal(snapshots_at(&all, 7, 199)->id, 0);
	assert_int_equal(snapshots_at(&all, 7, 200)->id, 6);
	assert_int_equal(snapshots_at(&all, 7, UINT64_MAX)->id, 6);
	assert_int_equal(snapshots_at(&all, 9, 5000)->pid, 9);
	assert_null(snapshots_at(&all, 8, 5000));
	assert_null(snapshots_at(&all, 10, 5000));
	assert_int_equal(snapshots_of_id(&all, 7, 5)->time, 200);
	assert_null(snapshots_of_id(&all, 7, 4));
	add(&all, 9, 0, 1, maps);
	assert_false(snapshots_index(&all, &err));
	assert_int_equal(err.code, BC_FORMAT);
	assert_string_equal(err.text, "process 9 has two maps with the id 0");
	map_set_release(maps);
	snapshots_free(&all);
}

/* A snapshot whose id is taken gets the next one, or the lowest that is free; files are known by
 * what they are. */
static void snapshots_together(void **state)
{
	struct snapshots one = {0}, other = {0};
	struct map_set *maps = NULL;
	struct bc_error err = {0};

	(void)state;
	put_region(&maps, 0x1000, 0x2000, 0, number_of_file(&one.files, "/a"));
	add(&one, 7, 0, 100, maps);
	add(&one, 7, 5, 200, maps);
	add(&one, 9, UINT32_MAX, 250, maps);
	map_set_release(maps);
	maps = NULL;
	(void)number_of_file(&other.files, "/other");
	put_region(&maps, 0x1000, 0x2000, 0, number_of_file(&other.files, "/a"));
	add(&other, 7, 0, 300, maps);
	add(&other, 7, 6, 400, maps);
	add(&other, 8, 0, 500, maps);
	add(&other, 9, 0, 600, maps);
	add(&other, 9, UINT32_MAX, 700, maps); /* there is none above it */
	add(&other, 9, 1, 800, maps);
	map_set_release(maps);
	index_all(&one);
	index_all(&other);
	if (!snapshots_merge(&one, &other, &err))
		fail_msg("%s", err.text);
	static const struct {
		uint32_t pid, id;
		uint64_t time;
	} want[] = {{7, 0, 100}, {7, 5, 200}, {9, UINT32_MAX, 250}, {7, 6, 300}, {7, 7, 400},
		    {8, 0, 500}, {9, 0, 600}, {9, 1, 700},          {9, 2, 800}};
	assert_int_equal(one.all.len, BC_COUNT(want));
	for (size_t i = 0; i < BC_COUNT(want); i++) {
		const struct snapshot *s = &one.all.at[i];
		assert_int_equal(s->pid, want[i].pid);
		assert_int_equal(s->id, want[i].id);
		assert_int_equal(s->time, want[i].time);
		const struct mapping *m = map_set_find(s->maps, 0x1800);
		assert_non_null(m);
		assert_true(text_is(mapped_files_path(&one.files, m->file), "/a"));
	}
	snapshots_free(&one);
	snapshots_free(&other);
}

/* Random changes of random maps of several processes, written and read. */
static void make_random(struct snapshots *all, struct prng *prng)
{
	struct map_set *maps[3] = {NULL};

	for (uint32_t i = 0; i < 200; i++) {
		uint32_t pid = (uint32_t)prng_below(prng, 3);
		for (int n = 0; n < 3; n++) {
			uint64_t start = prng_below(prng, 300) << 12;
			uint64_t end = start + ((1 + prng_below(prng, 8)) << 12);
			uint64_t offset = prng_below(prng, 9) << 12;
			char name[16];
			snprintf(name, sizeof(name), "/lib%d", (int)prng_below(prng, 20));
			if (prng_below(prng, 3))
				put_region(&maps[pid], start, end, offset,
					   number_of_file(&all->files, name));
			else
				assert_true(map_set_replace(&maps[pid], start, end, NULL));
		}
		add(all, pid, i, prng_next(prng), maps[pid]);
	}
	for (int i = 0; i < 3; i++)
		map_set_release(maps[i]);
	index_all(all);
}

static bool is_equal(const struct snapshots *a, const struct mapping *m, const struct snapshots *b,
		     const struct mapping *n)
{
	return m->start == n->start && m->end == n->end && m->offset == n->offset &&
	       m->flags == n->flags &&
	       text_equal(mapped_files_path(&a->files, m->file),
			  mapped_files_path(&b->files, n->file));
}

static void check_equal(const struct snapshots *a, const struct snapshots *b)
{
	assert_int_equal(a->all.len, b->all.len);
	for (size_t i = 0; i < a->all.len; i++) {
		struct maps m = list_regions(a->all.at[i].maps),
			    n = list_regions(b->all.at[i].maps);
		assert_int_equal(a->all.at[i].pid, b->all.at[i].pid);
		assert_int_equal(a->all.at[i].id, b->all.at[i].id);
		assert_int_equal(a->all.at[i].time, b->all.at[i].time);
		assert_int_equal(m.len, n.len);
		for (size_t r = 0; r < m.len; r++)
			assert_true(is_equal(a, &m.at[r], b, &n.at[r]));
		maps_free(&m);
		maps_free(&n);
	}
}

static void a_file_of_snapshots(void **state)
{
	struct prng prng = {4};
	struct snapshots all = {0}, again;
	struct bc_error err = {0};
	uint8_t *file;
	size_t size;

	(void)state;
	make_random(&all, &prng);
	assert_true(bcmaps_write(&all, &file, &size, &err));
	if (!bcmaps_read((struct bytes){file, size}, &again, &err))
		fail_msg("%s", err.text);
	check_equal(&all, &again);
	snapshots_free(&again);
	/* A damaged file is refused, or the bit was one that zstd does not use. */
	size_t unused = 0;
	for (size_t i = 0; i < size; i++) {
		file[i] ^= 0x10;
		if (bcmaps_read((struct bytes){file, size}, &again, &err)) {
			check_equal(&all, &again);
			snapshots_free(&again);
			unused++;
		}
		file[i] ^= 0x10;
		if (bcmaps_read((struct bytes){file, i}, &again, &err))
			fail_msg("cut at %zu", i);
	}
	assert_true(unused < size / 100);
	free(file);
	snapshots_free(&all);
}

/* By hand: two regions of 4 KiB, the second one from the second map on. */
static void the_content_byte_by_byte(void **state)
{
	static const uint8_t content[] = {
		1,    2,    '/',  'a', /* one string, of two bytes          */
		2,                     /* two regions                       */
		0x80, 0x40, 0x80, 0x20, 0,          5,          0, 0,
		0,    1,    0, /* 0x1000, r-x, /a        */
		0x80, 0x40, 0x80, 0x20, 0,          1,          0, 0,
		0,    0,    0,                         /* 0x1000 after its end  */
		2,                                     /* two maps                          */
		7,    0,    20,   1,    1 << 2 | 2, 0, /* pid 7, id 0, time 10: put region 0 */
		7,    1,    2,    2,    1 << 2 | 0, 1 << 2 | 2, 2, /* time 11: take 1, put region 1
								    */
	};
	struct snapshots all;
	struct bc_error err = {0};

	(void)state;
	if (!bcmaps_read_content((struct bytes){content, sizeof(content)}, &all, &err))
		fail_msg("%s", err.text);
	assert_int_equal(all.all.len, 2);
	assert_int_equal(map_set_count(snapshots_at(&all, 7, 10)->maps), 1);
	struct maps maps = list_regions(snapshots_at(&all, 7, 11)->maps);
	assert_int_equal(maps.len, 2);
	expect(&maps, 0, 0x1000, 0x2000, 0);
	expect(&maps, 1, 0x3000, 0x4000, 0);
	assert_int_equal(maps.at[0].flags, MAPPING_READ | MAPPING_EXEC);
	assert_true(text_is(mapped_files_path(&all.files, maps.at[0].file), "/a"));
	maps_free(&maps);
	snapshots_free(&all);
}

static void hostile_content(void **state)
{
	static const struct {
		uint8_t bytes[32];
		size_t size;
		const char *wrong;
	} rows[] = {
		{{0}, 0, "content, byte 0: the data ends in a number"},
		{{0xff, 0xff, 0xff, 0xff, 0x0f},
		 5,
		 "content, byte 5: a count that is larger than the data"},
		{{1, 0, 0}, 3, "content, byte 2: an empty string"},
		{{0, 0, 1, 7, 0, 0, 0, 9}, 8, "content, byte 7: data after the last map"},
		{{0, 0, 1, 7, 0, 0, 1, 1 << 2}, 8, "content, byte 8: a step beyond the last map"},
		{{0, 0, 1, 7, 0, 0, 1, 3}, 8, "content, byte 8: an unknown step"},
		{{0, 0, 1, 7, 0, 0, 1, 1 << 2 | 2, 2},
		 9,
		 "content, byte 9: a region that there is not"},
		{{0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0},
		 11,
		 "content, byte 11: a region that is empty or reaches "
		 "beyond the addresses"},
		{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2},
		 10,
		 "content, byte 0: a number of more than 64 bits"},
		{{1, 3, 'a'}, 3, "content, byte 2: the data ends in a string"},
		{{2, 1, 'a', 1, 'a'}, 5, "content, byte 5: a string twice"},
		{{0, 1, 2, 1, 0, 16, 0, 0, 0, 0, 0},
		 11,
		 "content, byte 6: a number that is too large"},
		{{0, 1, 2, 1, 0, 0, 0, 0, 0, 1, 0},
		 11,
		 "content, byte 10: a number that is too large"},
		{{0, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0},
		 20,
		 "content, byte 20: a region twice"},
		/* regions 1-2 and 0-1 hold in this order only */
		{{0, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 3,          1, 0,
		  0, 0, 0, 0, 0, 0, 1, 7, 0, 0, 1, 2 << 2 | 2, 0, 2},
		 28,
		 "content, byte 28: regions that overlap or do not ascend"},
		{{0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x1f, 0, 0, 0},
		 11,
		 "content, byte 8: a number that is too large"},
		{{0, 0, 1, 7, 0, 0, 0x80}, 7, "content, byte 6: the data ends in a number"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct snapshots all;
		struct bc_error err = {0};
		if (bcmaps_read_content((struct bytes){rows[i].bytes, rows[i].size}, &all, &err))
			fail_msg("row %zu", i);
		assert_string_equal(err.text, rows[i].wrong);
	}
}

/* Many processes, of which pids collide where they are looked up; each is taken from its own last
 * one. */
static void many_processes(void **state)
{
	struct byte_vec content = {0};
	struct snapshots all;
	struct bc_error err = {0};
	enum { COUNT = 500 };

	(void)state;
	assert_true(leb_put_u(&content, 0) && leb_put_u(&content, 1)); /* no string, one region */
	for (const uint8_t *at = (const uint8_t[]){2, 1, 0, 0, 0, 0, 0, 0, 0}, *end = at + 9;
	     at < end; at++)
		assert_true(byte_vec_push(&content, *at));
	assert_true(leb_put_u(&content, 2 * COUNT));
	for (unsigned i = 0; i < 2 * COUNT; i++) {
		bool put = i < COUNT;
		assert_true(leb_put_u(&content, 1 + i % COUNT) && leb_put_u(&content, i) &&
			    leb_put_zigzag(&content, 1));
		assert_true(leb_put_u(&content, 1) &&
			    leb_put_u(&content, put ? 1 << 2 | 2 : 1 << 2));
		assert_true(!put || leb_put_zigzag(&content, 0));
	}
	if (!bcmaps_read_content((struct bytes){content.at, content.len}, &all, &err))
		fail_msg("%s", err.text);
	for (uint32_t pid = 1; pid <= COUNT; pid++) {
		assert_int_equal(map_set_count(snapshots_at(&all, pid, pid)->maps), 1);
		assert_int_equal(snapshots_at(&all, pid, pid + COUNT)->time, pid + COUNT);
		assert_int_equal(map_set_count(snapshots_at(&all, pid, pid + COUNT)->maps), 1);
	}
	snapshots_free(&all);
	byte_vec_free(&content);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(snapshots_by_id_and_time),
		cmocka_unit_test(snapshots_together),
		cmocka_unit_test(a_file_of_snapshots),
		cmocka_unit_test(the_content_byte_by_byte),
		cmocka_unit_test(hostile_content),
		cmocka_unit_test(many_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
