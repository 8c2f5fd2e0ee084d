/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Regions: reading, cutting, finding; snapshots and their file. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/file.h"
#include "src/addrspace/bcmaps.h"
#include "src/addrspace/build.h"
#include "src/base/leb.h"
#include "src/addrspace/loads.h"
#include "src/addrspace/maps_text.h"
#include "src/addrspace/open.h"
#include "src/addrspace/proc.h"
#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

static void put(struct map_set **set, uint64_t start, uint64_t end, uint64_t offset, uint32_t file)
{
	const struct mapping m = {start, end, offset, file, MAPPING_READ};

	assert_true(map_set_replace(set, start, end, &m));
}

static void put_code(struct map_set **set, uint64_t start, uint64_t end, uint64_t offset, uint32_t file)
{
	const struct mapping m = {start, end, offset, file, MAPPING_READ | MAPPING_EXEC};

	assert_true(map_set_replace(set, start, end, &m));
}

static struct maps list(const struct map_set *set)
{
	struct maps maps;

	assert_true(maps_of(set, &maps));
	return maps;
}

/* The number of a file of a path. */
static uint32_t file_of(struct mapped_files *files, const char *path)
{
	struct mapped_file file = {0};
	uint32_t number;

	assert_true(strings_intern(&files->texts, text_of(path), &file.path));
	assert_true(mapped_files_intern(files, &file, &number));
	return number;
}

static void expect(const struct maps *maps, size_t i, uint64_t start, uint64_t end, uint64_t offset)
{
	assert_true(i < maps->len);
	assert_int_equal(maps->at[i].start, start);
	assert_int_equal(maps->at[i].end, end);
	assert_int_equal(maps->at[i].offset, offset);
}

static void finding_all_is_finding_each(void **state)
{
	enum { REGIONS = 500, ADDRESSES = 4000 };
	static struct run_addr at[ADDRESSES];
	static uint32_t found[ADDRESSES];
	struct prng prng = {3};
	struct map_set *set = NULL;

	(void)state;
	for (uint64_t i = 0; i < REGIONS; i++) /* every third one touches the next */
		put(&set, i << 16, (i << 16) + (i % 3 ? 0x8000 : 0x10000), 0, 1);
	struct maps maps = list(set);
	map_set_release(set);
	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < ADDRESSES; i++)
			at[i].v = round ? i * 8192 : prng_below(&prng, (uint64_t)REGIONS << 16) + 1;
		maps_find_all(&maps, at, ADDRESSES, found);
		for (size_t i = 0; i < ADDRESSES; i++) {
			const struct mapping *r = maps_find(&maps, at[i]);
			assert_int_equal(found[i], r ? (uint32_t)(r - maps.at) : MAPS_NOWHERE);
		}
	}
	maps_free(&maps);
}

static void nothing_is_found_in_nothing(void **state)
{
	struct maps maps = list(NULL);
	struct run_addr at = {0};
	uint32_t found;

	(void)state;
	assert_null(maps_find(&maps, at));
	maps_find_all(&maps, &at, 1, &found);
	assert_int_equal(found, MAPS_NOWHERE);
	maps_free(&maps);
}

static const char text[] =
	"08048000-0804c000 r-xp 00000000 08:03 8312       /opt/my  app (deleted)\n"
	"\n"
	"7f0000000000-7f0000001000 rw-s 00002000 00:05 77 /memfd:a\\012b (deleted)\n"
	"7f0000001000-7f0000002000 ---p 00000000 00:00 0 \n"
	"7fff00000000-7fff00001000 r-xp 00000000 00:00 0  [vdso]\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

static void text_of_the_kernel(void **state)
{
	struct text rest = text_of(text);
	struct mapped_files files = {0};
	struct map_set *set = NULL;
	struct bc_error err = {0};
	uint64_t number = 0;

	(void)state;
	if (!maps_text_read(&rest, &number, &files, &set, &err))
		fail_msg("%s", err.text);
	struct maps maps = list(set);
	assert_int_equal(number, 6);
	assert_int_equal(maps.len, 5);
	const struct mapped_file *file = mapped_files_at(&files, maps.at[0].file);
	assert_int_equal(maps.at[0].flags, MAPPING_READ | MAPPING_EXEC);
	assert_int_equal(file->major, 8);
	assert_int_equal(file->minor, 3);
	assert_int_equal(file->inode, 8312);
	struct text path = mapped_files_path(&files, maps.at[0].file);
	assert_true(text_is(path, "/opt/my  app (deleted)"));
	assert_true(text_is(path_without_deleted(path), "/opt/my  app"));
	assert_int_equal(path_kind_of(path), PATH_FILE);
	assert_int_equal(maps.at[1].flags, MAPPING_READ | MAPPING_WRITE | MAPPING_SHARED);
	path = mapped_files_path(&files, maps.at[1].file);
	assert_true(text_is(path, "/memfd:a\nb (deleted)"));
	assert_int_equal(path_kind_of(path), PATH_SPECIAL);
	assert_int_equal(maps.at[2].file, 0);
	assert_int_equal(path_kind_of(mapped_files_path(&files, 0)), PATH_NONE);
	assert_int_equal(path_kind_of(mapped_files_path(&files, maps.at[4].file)), PATH_SPECIAL);
	assert_int_equal(maps.at[4].start, 0xffffffffff600000);
	maps_free(&maps);
	map_set_release(set);
	mapped_files_free(&files);
}

static const struct {
	const char *line, *wrong;
} bad_lines[] = {
	{"x", "expected START-END"},
	{"1000 2000 r-xp 0 0:0 0", "expected START-END"},
	{"2000-1000 r-xp 0 0:0 0", "the region ends before it begins"},
	{"1000-1000 r-xp 0 0:0 0", "the region ends before it begins"},
	{"1000-2000 rwx 0 0:0 0", "expected permissions such as r-xp"},
	{"1000-2000 xrwp 0 0:0 0", "expected permissions such as r-xp"},
	{"1000-2000 r-xp z 0:0 0", "expected a file offset"},
	{"1000-2000 r-xp fffffffffffff800 0:0 0", "the region reaches beyond the largest file"},
	{"1000-2000 r-xp 0 00 0", "expected a device, MAJOR:MINOR"},
	{"1000-2000 r-xp 0 0:0 -1", "expected an inode"},
	{"11111111111111111-2000 r-xp 0 0:0 0", "expected START-END"},
};

static void lines_that_cannot_be_read(void **state)
{
	struct maps_line line;

	(void)state;
	for (size_t i = 0; i < BC_COUNT(bad_lines); i++) {
		const char *wrong = maps_line_parse(text_of(bad_lines[i].line), &line);
		assert_non_null(wrong);
		assert_string_equal(wrong, bad_lines[i].wrong);
	}
}

/* ---- snapshots ---- */

static void add(struct snapshots *all, uint32_t pid, uint32_t id, uint64_t time, struct map_set *maps)
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
	put(&maps, 0x1000, 0x2000, 0, 0);
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

/* A snapshot whose id is taken gets the next one; files are known by what they are. */
static void snapshots_together(void **state)
{
	struct snapshots one = {0}, other = {0};
	struct map_set *maps = NULL;
	struct bc_error err = {0};

	(void)state;
	put(&maps, 0x1000, 0x2000, 0, file_of(&one.files, "/a"));
	add(&one, 7, 0, 100, maps);
	add(&one, 7, 5, 200, maps);
	map_set_release(maps);
	maps = NULL;
	(void)file_of(&other.files, "/other");
	put(&maps, 0x1000, 0x2000, 0, file_of(&other.files, "/a"));
	add(&other, 7, 0, 300, maps);
	add(&other, 7, 6, 400, maps);
	add(&other, 8, 0, 500, maps);
	map_set_release(maps);
	index_all(&one);
	index_all(&other);
	if (!snapshots_merge(&one, &other, &err))
		fail_msg("%s", err.text);
	static const struct {
		uint32_t pid, id;
		uint64_t time;
	} want[] = {{7, 0, 100}, {7, 5, 200}, {7, 6, 300}, {7, 7, 400}, {8, 0, 500}};
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
				put(&maps[pid], start, end, offset, file_of(&all->files, name));
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
	return m->start == n->start && m->end == n->end && m->offset == n->offset && m->flags == n->flags &&
	       text_equal(mapped_files_path(&a->files, m->file), mapped_files_path(&b->files, n->file));
}

static void check_equal(const struct snapshots *a, const struct snapshots *b)
{
	assert_int_equal(a->all.len, b->all.len);
	for (size_t i = 0; i < a->all.len; i++) {
		struct maps m = list(a->all.at[i].maps), n = list(b->all.at[i].maps);
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
		1, 2, '/', 'a',                   /* one string, of two bytes          */
		2,                                /* two regions                       */
		0x80, 0x40, 0x80, 0x20, 0, 5, 0, 0, 0, 1, 0, /* 0x1000, r-x, /a        */
		0x80, 0x40, 0x80, 0x20, 0, 1, 0, 0, 0, 0, 0, /* 0x1000 behind its end  */
		2,                                /* two maps                          */
		7, 0, 20, 1, 1 << 2 | 2, 0,       /* pid 7, id 0, time 10: put region 0 */
		7, 1, 2, 2, 1 << 2 | 0, 1 << 2 | 2, 2, /* time 11: take 1, put region 1 */
	};
	struct snapshots all;
	struct bc_error err = {0};

	(void)state;
	if (!bcmaps_read_content((struct bytes){content, sizeof(content)}, &all, &err))
		fail_msg("%s", err.text);
	assert_int_equal(all.all.len, 2);
	assert_int_equal(map_set_count(snapshots_at(&all, 7, 10)->maps), 1);
	struct maps maps = list(snapshots_at(&all, 7, 11)->maps);
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
		{{0xff, 0xff, 0xff, 0xff, 0x0f}, 5, "content, byte 5: a count that is larger than the data"},
		{{1, 0, 0}, 3, "content, byte 2: an empty string"},
		{{0, 0, 1, 7, 0, 0, 0, 9}, 8, "content, byte 7: data behind the last map"},
		{{0, 0, 1, 7, 0, 0, 1, 1 << 2}, 8, "content, byte 8: a step beyond the last map"},
		{{0, 0, 1, 7, 0, 0, 1, 3}, 8, "content, byte 8: an unknown step"},
		{{0, 0, 1, 7, 0, 0, 1, 1 << 2 | 2, 2}, 9, "content, byte 9: a region that there is not"},
		{{0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0}, 11, "content, byte 11: a region that is empty or reaches "
						       "beyond the addresses"},
		{{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2}, 10, "content, byte 0: a number of more than 64 bits"},
		{{1, 3, 'a'}, 3, "content, byte 2: the data ends in a string"},
		{{2, 1, 'a', 1, 'a'}, 5, "content, byte 5: a string twice"},
		{{0, 1, 2, 1, 0, 16, 0, 0, 0, 0, 0}, 11, "content, byte 6: a number that is too large"},
		{{0, 1, 2, 1, 0, 0, 0, 0, 0, 1, 0}, 11, "content, byte 10: a number that is too large"},
		{{0, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0}, 20, "content, byte 20: a region twice"},
		/* regions 1-2 and 0-1 hold in this order only */
		{{0, 2, 2, 1, 0, 0, 0, 0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0, 0, 0, 1, 7, 0, 0, 1, 2 << 2 | 2, 0, 2}, 28,
		 "content, byte 28: regions that overlap or do not ascend"},
		{{0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x1f, 0, 0, 0}, 11, "content, byte 8: a number that is too large"},
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

/* Many processes, of which pids collide where they are looked up; each is taken from its own last one. */
static void many_processes(void **state)
{
	struct byte_vec content = {0};
	struct snapshots all;
	struct bc_error err = {0};
	enum { COUNT = 500 };

	(void)state;
	assert_true(leb_put_u(&content, 0) && leb_put_u(&content, 1)); /* no string, one region */
	for (const uint8_t *at = (const uint8_t[]){2, 1, 0, 0, 0, 0, 0, 0, 0}, *end = at + 9; at < end; at++)
		assert_true(byte_vec_push(&content, *at));
	assert_true(leb_put_u(&content, 2 * COUNT));
	for (unsigned i = 0; i < 2 * COUNT; i++) {
		bool put = i < COUNT;
		assert_true(leb_put_u(&content, 1 + i % COUNT) && leb_put_u(&content, i) && leb_put_zigzag(&content, 1));
		assert_true(leb_put_u(&content, 1) && leb_put_u(&content, put ? 1 << 2 | 2 : 1 << 2));
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

/* ---- loads ---- */

static void one_file_loaded_twice(void **state)
{
	struct segment segments[] = {
		{0x0, 0x0, 0x1000, 0x1000, 0x1000, false},
		{0x1000, 0x1000, 0x3000, 0x3000, 0x1000, true},
	};
	struct image image = {.position_independent = true, .segments = segments, .segment_count = 2};
	struct mapped_files files = {0};
	uint32_t lib = file_of(&files, "/lib"), path = mapped_files_at(&files, lib)->path;
	struct map_set *set = NULL;
	struct loads loads;
	uint64_t base;

	(void)state;
	for (uint64_t at = 0x10000; at <= 0x90000; at += 0x80000) {
		put(&set, at, at + 0x1000, 0x0, lib);
		put_code(&set, at + 0x1000, at + 0x4000, 0x1000, lib);
	}
	put(&set, 0x500000, 0x501000, 0x0, lib); /* only read */
	struct maps maps = list(set);
	assert_true(loads_find(&maps, &files, path, &image, &loads));
	assert_int_equal(loads.all.len, 2);
	assert_int_equal(loads.mappings, 5);
	assert_int_equal(loads.all.at[0].base, 0x10000);
	assert_int_equal(loads.all.at[1].base, 0x90000);
	assert_true(load_agrees(&loads.all.at[0]) && load_agrees(&loads.all.at[1]));
	assert_true(loads_base(&loads, &image, &maps.at[3], &base));
	assert_int_equal(base, 0x90000);
	assert_false(loads_base(&loads, &image, &maps.at[4], &base));
	loads_free(&loads);
	/* Moved by a page: the mappings of one load contradict each other. */
	maps.at[1].offset = 0x2000;
	assert_true(loads_find(&maps, &files, path, &image, &loads));
	assert_true(loads.misfits || !load_agrees(&loads.all.at[0]) || loads.all.at[0].base != 0x10000);
	loads_free(&loads);
	maps_free(&maps);
	map_set_release(set);
	mapped_files_free(&files);
}

static const struct segment bolted[] = {
	{0x0, 0x0, 0xad0, 0xad0, 0x1000, false},       {0x1000, 0x1000, 0x11c9, 0x11c9, 0x1000, true},
	{0x3000, 0x3000, 0x6bc, 0x6bc, 0x1000, false}, {0x6000, 0x6000, 0x29d0, 0x29d0, 0x1000, true},
};
#define CODE true

/* Mappings of /lib in a process; the loads that are found of it. */
struct row {
	uint64_t start, size, offset;
	bool code;
};

static struct loads loads_of(const struct row *rows, size_t count)
{
	struct image image = {.position_independent = true, .segments = (struct segment *)(uintptr_t)bolted,
			      .segment_count = 4};
	struct mapped_files files = {0};
	uint32_t lib = file_of(&files, "/lib");
	struct map_set *set = NULL;
	struct loads loads;

	for (size_t i = 0; i < count; i++)
		(rows[i].code ? put_code : put)(&set, rows[i].start, rows[i].start + rows[i].size, rows[i].offset, lib);
	struct maps maps = list(set);
	assert_true(loads_find(&maps, &files, mapped_files_at(&files, lib)->path, &image, &loads));
	/* Each mapping of a load has a base of it. */
	for (size_t i = 0, found = 0; i < maps.len; i++) {
		uint64_t base;
		found += loads_base(&loads, &image, &maps.at[i], &base);
		assert_true(i + 1 < maps.len || found >= loads.all.len);
	}
	maps_free(&maps);
	map_set_release(set);
	mapped_files_free(&files);
	return loads;
}

/* The lowest segment lies elsewhere than the code says; two of code do; one of three. */
static void mappings_that_contradict(void **state)
{
	static const struct row low[] = {{0x55a1bfff0000, 0x1000, 0, !CODE}, {0x55a1c0001000, 0x2000, 0x1000, CODE}};
	static const struct row code[] = {{0x51000, 0x2000, 0x1000, CODE}, {0x59000, 0x3000, 0x6000, CODE}};
	static const struct row one[] = {{0x50000, 0x1000, 0, !CODE}, {0x51000, 0x2000, 0x1000, CODE},
					 {0x54000, 0x1000, 0x3000, !CODE}, {0x56000, 0x3000, 0x6000, CODE}};
	struct loads loads = loads_of(low, 2);

	(void)state;
	assert_int_equal(loads.all.len, 1);
	assert_int_equal(loads.all.at[0].base, 0x55a1c0000000);
	assert_true(loads.all.at[0].has_lowest);
	assert_int_equal(loads.all.at[0].lowest, 0x55a1bfff0000);
	assert_int_equal(loads.all.at[0].differing, 1);
	assert_int_equal(loads.differing.at[0].base, 0x55a1bfff0000);
	assert_false(loads_agree(&loads));
	loads_free(&loads);
	loads = loads_of(code, 2);
	assert_int_equal(loads.all.len, 1);
	assert_int_equal(loads.all.at[0].differing, 1);
	assert_true(loads.all.at[0].has_lowest_executable);
	assert_int_equal(loads.differing.at[0].base - loads.all.at[0].base, 0x3000);
	assert_false(loads_agree(&loads));
	loads_free(&loads);
	loads = loads_of(one, 4);
	assert_int_equal(loads.all.len, 1);
	assert_int_equal(loads.all.at[0].base, 0x50000);
	assert_int_equal(loads.all.at[0].mappings, 4);
	assert_int_equal(loads.all.at[0].differing, 1);
	assert_int_equal(loads.differing.at[0].start, 0x54000);
	assert_int_equal(loads.differing.at[0].base, 0x51000);
	assert_false(loads_agree(&loads));
	loads_free(&loads);
}

/* Two namespaces: whole, code only, and split by mprotect; with the file read beside them. */
static void true_loads_stay_two(void **state)
{
	static const struct row whole[] = {
		{0x40000, 0x1000, 0, !CODE},          /* its header is read */
		{0x50000, 0x1000, 0, !CODE},          {0x51000, 0x1000, 0x1000, CODE},
		{0x52000, 0x1000, 0x2000, CODE},      {0x53000, 0x1000, 0x3000, !CODE},
		{0x56000, 0x3000, 0x6000, CODE},      {0x60000, 0x1000, 0x3000, !CODE}, /* a part is read */
		{0x90000, 0x1000, 0, !CODE},          {0x91000, 0x2000, 0x1000, CODE},
		{0x93000, 0x1000, 0x3000, !CODE},     {0x96000, 0x3000, 0x6000, CODE},
		{0xa0000, 0x9000, 0, !CODE}};         /* all is read */
	static const struct row code[] = {{0x51000, 0x2000, 0x1000, CODE}, {0x56000, 0x3000, 0x6000, CODE},
					  {0x91000, 0x2000, 0x1000, CODE}, {0x96000, 0x3000, 0x6000, CODE}};
	/* An old one (perf records no munmap), over whose middle it was loaded again. */
	static const struct row over[] = {{0x4f000, 0x2000, 0x1000, CODE}, {0x51000, 0x2000, 0x1000, CODE},
					  {0x54000, 0x3000, 0x6000, CODE}, {0x57000, 0x2000, 0x7000, CODE}};
	struct loads loads = loads_of(whole, sizeof(whole) / sizeof(whole[0]));

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(loads.all.len, 2);
		assert_int_equal(loads.all.at[0].base, 0x50000);
		assert_int_equal(loads.all.at[1].base, 0x90000);
		assert_true(loads_agree(&loads));
		assert_int_equal(loads.differing.len, 0);
		assert_true(loads.all.at[1].has_lowest_executable);
		assert_int_equal(loads.all.at[0].has_lowest, !i);
		assert_int_equal(loads.bases.len, 2);
		loads_free(&loads);
		loads = loads_of(code, 4);
	}
	loads_free(&loads);
	loads = loads_of(over, 4);
	assert_true(loads_agree(&loads));
	assert_int_equal(loads.all.len, 2);
	assert_int_equal(loads.all.at[0].base, 0x4e000);
	assert_int_equal(loads.all.at[1].mappings, 2);
	loads_free(&loads);
}

/* Two segments in one page of the file: the base that all agree on is taken. */
static void a_page_of_two_segments(void **state)
{
	struct segment segments[] = {
		{0x0, 0x0, 0x800, 0x800, 0x1000, true},
		{0x1800, 0x800, 0x1800, 0x1800, 0x1000, true},
	};
	struct image image = {.position_independent = true, .segments = segments, .segment_count = 2};
	struct mapped_files files = {0};
	uint32_t lib = file_of(&files, "/lib");
	struct map_set *set = NULL;
	struct loads loads;

	(void)state;
	put_code(&set, 0x50000, 0x51000, 0x0, lib);
	put_code(&set, 0x51000, 0x53000, 0x0, lib);
	struct maps maps = list(set);
	assert_true(loads_find(&maps, &files, mapped_files_at(&files, lib)->path, &image, &loads));
	assert_true(loads.all.len >= 1);
	assert_int_equal(loads.all.at[loads.all.len - 1].base, 0x50000);
	loads_free(&loads);
	maps_free(&maps);
	map_set_release(set);
	mapped_files_free(&files);
}

/* ---- memory ---- */

static bool read_own(void *ctx, uint64_t at, void *to, size_t size)
{
	const struct bytes *image = ctx;

	if (at < 0x1000 || at - 0x1000 > image->size || size > image->size - (at - 0x1000))
		return false;
	memcpy(to, image->data + (at - 0x1000), size);
	return true;
}

static void build_ids_from_memory(void **state)
{
	struct file_map file;
	struct bc_error err = {0};
	struct build_id id;
	char hex[2 * BUILD_ID_MAX + 1], go[BUILD_ID_GO_MAX];
	size_t go_size = 1;

	(void)state;
	assert_true(file_map(BATCONV_SOURCE_DIR "/inputs/demo/demo.bolt", &file, &err));
	struct bytes bytes = {file.data, file.size};
	struct memory memory = {&bytes, read_own};
	memory_build_ids(&memory, 0x1000, &id, go, &go_size);
	build_id_format(&id, hex);
	assert_string_equal(hex, "e929a35425980001cc18e774cdfb0a9a761d3f92"); /* readelf -n */
	assert_int_equal(go_size, 0);
	memory_build_ids(&memory, 0x2000, &id, go, &go_size); /* no header there */
	assert_int_equal(id.size, 0);
	bytes.size = 100; /* and nothing behind it */
	memory_build_ids(&memory, 0x1000, &id, go, &go_size);
	assert_int_equal(id.size, 0);
	file_unmap(&file);
}

/* A header in memory that tells of notes with a Go build-id, and of a segment. */
static void a_made_header(void **state)
{
	static const char go_id[] = "abc/def/ghi/jkl";
	uint8_t file[0x400] = {0}, *notes = file + 0x200;
	Elf64_Ehdr elf = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB}, .e_phoff = 0x40,
			  .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2};
	Elf64_Phdr headers[] = {
		{.p_type = PT_NOTE, .p_offset = 0x200, .p_vaddr = 0x7200, .p_align = 4},
		{.p_type = PT_LOAD, .p_vaddr = 0x7000, .p_filesz = sizeof(file)},
	};
	struct bytes bytes = {file, sizeof(file)};
	struct memory memory = {&bytes, read_own};
	struct build_id id;
	char go[BUILD_ID_GO_MAX];
	size_t go_size;

	(void)state;
	size_t size = build_note(notes, "GNU", 3, "\1\2\3\4", 4);
	headers[0].p_filesz = size + build_note(notes + size, "Go", 4, go_id, sizeof(go_id) - 1);
	memcpy(file, &elf, sizeof(elf));
	memcpy(file + 0x40, headers, sizeof(headers));
	memory_build_ids(&memory, 0x1000, &id, go, &go_size);
	assert_int_equal(id.size, 4);
	assert_memory_equal(id.data, "\1\2\3\4", 4);
	assert_int_equal(go_size, sizeof(go_id) - 1);
	assert_memory_equal(go, go_id, go_size);
	memory_build_ids(&memory, 0x1000, &id, NULL, NULL);
	assert_int_equal(id.size, 4);
	/* No segment begins at the header: it is not known where the notes are. */
	headers[1].p_offset = 4096;
	memcpy(file + 0x40, headers, sizeof(headers));
	memory_build_ids(&memory, 0x1000, &id, go, &go_size);
	assert_int_equal(id.size, 0);
	assert_int_equal(go_size, 0);
}

/* Of what has no GNU build-id Go's is recorded, and holds the file to it. */
static void a_go_build_id_from_memory(void **state)
{
	static const char go_id[] = "\4\0\0\0\7\0\0\0\4\0\0\0Go\0\0abc/def";
	uint8_t memory_of[0x400] = {0};
	Elf64_Ehdr elf = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB}, .e_phoff = 0x40,
			  .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = 2};
	Elf64_Phdr headers[] = {
		{.p_type = PT_NOTE, .p_offset = 0x200, .p_vaddr = 0x200, .p_filesz = 23, .p_align = 4},
		{.p_type = PT_LOAD, .p_filesz = sizeof(memory_of)},
	};
	struct bytes bytes = {memory_of, sizeof(memory_of)};
	struct memory memory = {&bytes, read_own};
	const char *lines = "1000-2000 r-xp 00000000 00:01 7 /srv/go\n2000-3000 rw-p 00001000 00:01 7 /srv/go\n";
	struct text rest = text_of(lines);
	struct mapped_files files = {0};
	struct map_set *set = NULL;
	struct bc_error err;
	uint64_t line = 0;

	(void)state;
	memcpy(memory_of, &elf, sizeof(elf));
	memcpy(memory_of + 0x40, headers, sizeof(headers));
	memcpy(memory_of + 0x200, go_id, sizeof(go_id));
	assert_true(maps_text_read(&rest, &line, &files, &set, &err));
	assert_true(proc_build_ids(&memory, &files, &set));
	for (uint64_t at = 0x1000; at < 0x3000; at += 0x1000) {
		uint32_t file = map_set_above(set, at)->file;
		assert_true(text_is(mapped_files_go_id(&files, file), "abc/def"));
		assert_int_equal(mapped_files_build_id(&files, file).len, 0);
		assert_int_equal(mapped_files_id(&files, file).size, 0);
		struct image image = {.go_build_id = text_of("abc/def")};
		assert_int_equal(build_of(&files, file, &image), BUILD_SAME);
		image.go_build_id = text_of("abc/deg");
		assert_int_equal(build_of(&files, file, &image), BUILD_OTHER);
		assert_int_equal(build_of(&files, 0, &image), BUILD_NOT_TOLD);
	}
	map_set_release(set);
	mapped_files_free(&files);
}

/* Many mappings, so that their text takes several reads. */
static void the_own_process(void **state)
{
	enum { PAGES = 2000, PAGE = 4096 };
	struct mapped_files files = {0};
	struct map_set *maps = NULL;
	struct bc_error err = {0};
	uint8_t byte = 0;
	int fd;

	(void)state;
	int zero = open("/dev/zero", O_RDONLY);
	assert_true(zero >= 0);
	uint8_t *pages = mmap(NULL, (size_t)PAGES * PAGE, PROT_READ, MAP_PRIVATE, zero, 0);
	assert_ptr_not_equal(pages, MAP_FAILED);
	for (size_t i = 0; i < PAGES; i += 2)
		assert_int_equal(mprotect(pages + i * PAGE, PAGE, PROT_READ | PROT_WRITE), 0);
	pages[0] = 77;
	if (!proc_maps((uint32_t)getpid(), &files, &maps, &err))
		fail_msg("%s", err.text);
	assert_true(map_set_count(maps) >= PAGES);
	struct memory memory = proc_memory((uint32_t)getpid(), &fd);
	assert_true(fd >= 0);
	assert_true(memory.read(memory.ctx, (uintptr_t)pages, &byte, 1));
	assert_int_equal(byte, 77);
	assert_false(memory.read(memory.ctx, UINT64_C(1) << 63, &byte, 1));
	assert_true(proc_build_ids(&memory, &files, &maps));
	close(fd);
	close(zero);
	munmap(pages, (size_t)PAGES * PAGE);
	map_set_release(maps);
	mapped_files_free(&files);
	char *data;
	size_t size;
	assert_false(proc_maps_text(UINT32_MAX, &data, &size, &err));
	assert_int_equal(err.code, BC_NOTFOUND);
	assert_string_equal(err.text, "no process 4294967295");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finding_all_is_finding_each),
		cmocka_unit_test(nothing_is_found_in_nothing),
		cmocka_unit_test(text_of_the_kernel),
		cmocka_unit_test(lines_that_cannot_be_read),
		cmocka_unit_test(snapshots_by_id_and_time),
		cmocka_unit_test(snapshots_together),
		cmocka_unit_test(a_file_of_snapshots),
		cmocka_unit_test(the_content_byte_by_byte),
		cmocka_unit_test(hostile_content),
		cmocka_unit_test(many_processes),
		cmocka_unit_test(one_file_loaded_twice),
		cmocka_unit_test(mappings_that_contradict),
		cmocka_unit_test(true_loads_stay_two),
		cmocka_unit_test(a_page_of_two_segments),
		cmocka_unit_test(build_ids_from_memory),
		cmocka_unit_test(a_made_header),
		cmocka_unit_test(a_go_build_id_from_memory),
		cmocka_unit_test(the_own_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
