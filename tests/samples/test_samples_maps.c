/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Maps: finding addresses in them, and their text. */
#include "src/samples/maps_text.h"
#include "tests/support/build_maps.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

static void finding_all_is_finding_each(void **state)
{
	enum { REGIONS = 500, ADDRESSES = 4000 };
	static struct run_addr at[ADDRESSES];
	static uint32_t found[ADDRESSES];
	struct prng prng = {3};
	struct map_set *set = NULL;

	(void)state;
	for (uint64_t i = 0; i < REGIONS; i++) /* every third one touches the next */
		put_region(&set, i << 16, (i << 16) + (i % 3 ? 0x8000 : 0x10000), 0, 1);
	struct maps maps = list_regions(set);
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
	struct maps maps = list_regions(NULL);
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
	struct maps maps = list_regions(set);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finding_all_is_finding_each),
		cmocka_unit_test(nothing_is_found_in_nothing),
		cmocka_unit_test(text_of_the_kernel),
		cmocka_unit_test(lines_that_cannot_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
