/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Where a file was loaded in a process, by its mappings. */
#include "src/samples/loads.h"
#include "tests/support/build_maps.h"
#include "tests/support/cmocka.h"

static void one_file_loaded_twice(void **state)
{
	struct segment segments[] = {
		{0x0, 0x0, 0x1000, 0x1000, 0x1000, false},
		{0x1000, 0x1000, 0x3000, 0x3000, 0x1000, true},
	};
	struct image image = {
		.position_independent = true, .segments = segments, .segment_count = 2};
	struct mapped_files files = {0};
	uint32_t lib = number_of_file(&files, "/lib"), path = mapped_files_at(&files, lib)->path;
	struct map_set *set = NULL;
	struct loads loads;
	uint64_t base;

	(void)state;
	for (uint64_t at = 0x10000; at <= 0x90000; at += 0x80000) {
		put_region(&set, at, at + 0x1000, 0x0, lib);
		put_code_region(&set, at + 0x1000, at + 0x4000, 0x1000, lib);
	}
	put_region(&set, 0x500000, 0x501000, 0x0, lib); /* only read */
	struct maps maps = list_regions(set);
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
	/* Moved by a page: the mappings of one load do not match. */
	maps.at[1].offset = 0x2000;
	assert_true(loads_find(&maps, &files, path, &image, &loads));
	assert_true(loads.misfits || !load_agrees(&loads.all.at[0]) ||
		    loads.all.at[0].base != 0x10000);
	loads_free(&loads);
	maps_free(&maps);
	map_set_release(set);
	mapped_files_free(&files);
}

static const struct segment bolted[] = {
	{0x0, 0x0, 0xad0, 0xad0, 0x1000, false},
	{0x1000, 0x1000, 0x11c9, 0x11c9, 0x1000, true},
	{0x3000, 0x3000, 0x6bc, 0x6bc, 0x1000, false},
	{0x6000, 0x6000, 0x29d0, 0x29d0, 0x1000, true},
};
#define CODE true

/* Mappings of /lib in a process; the loads that are found of it. */
struct row {
	uint64_t start, size, offset;
	bool code;
};

static struct loads loads_of(const struct row *rows, size_t count)
{
	struct image image = {.position_independent = true,
			      .segments = (struct segment *)(uintptr_t)bolted,
			      .segment_count = 4};
	struct mapped_files files = {0};
	uint32_t lib = number_of_file(&files, "/lib");
	struct map_set *set = NULL;
	struct loads loads;

	for (size_t i = 0; i < count; i++)
		(rows[i].code ? put_code_region : put_region)(
			&set, rows[i].start, rows[i].start + rows[i].size, rows[i].offset, lib);
	struct maps maps = list_regions(set);
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
	static const struct row low[] = {{0x55a1bfff0000, 0x1000, 0, !CODE},
					 {0x55a1c0001000, 0x2000, 0x1000, CODE}};
	static const struct row code[] = {{0x51000, 0x2000, 0x1000, CODE},
					  {0x59000, 0x3000, 0x6000, CODE}};
	static const struct row one[] = {{0x50000, 0x1000, 0, !CODE},
					 {0x51000, 0x2000, 0x1000, CODE},
					 {0x54000, 0x1000, 0x3000, !CODE},
					 {0x56000, 0x3000, 0x6000, CODE}};
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

/* Two namespaces: whole, code only, and split by mprotect; together with the file that was read. */
static void true_loads_stay_two(void **state)
{
	static const struct row whole[] = {{0x40000, 0x1000, 0, !CODE}, /* its header is read */
					   {0x50000, 0x1000, 0, !CODE},
					   {0x51000, 0x1000, 0x1000, CODE},
					   {0x52000, 0x1000, 0x2000, CODE},
					   {0x53000, 0x1000, 0x3000, !CODE},
					   {0x56000, 0x3000, 0x6000, CODE},
					   {0x60000, 0x1000, 0x3000, !CODE}, /* a part is read */
					   {0x90000, 0x1000, 0, !CODE},
					   {0x91000, 0x2000, 0x1000, CODE},
					   {0x93000, 0x1000, 0x3000, !CODE},
					   {0x96000, 0x3000, 0x6000, CODE},
					   {0xa0000, 0x9000, 0, !CODE}}; /* all is read */
	static const struct row code[] = {{0x51000, 0x2000, 0x1000, CODE},
					  {0x56000, 0x3000, 0x6000, CODE},
					  {0x91000, 0x2000, 0x1000, CODE},
					  {0x96000, 0x3000, 0x6000, CODE}};
	/* An old one (perf records no munmap), over whose middle it was loaded again. */
	static const struct row over[] = {{0x4f000, 0x2000, 0x1000, CODE},
					  {0x51000, 0x2000, 0x1000, CODE},
					  {0x54000, 0x3000, 0x6000, CODE},
					  {0x57000, 0x2000, 0x7000, CODE}};
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
	struct image image = {
		.position_independent = true, .segments = segments, .segment_count = 2};
	struct mapped_files files = {0};
	uint32_t lib = number_of_file(&files, "/lib");
	struct map_set *set = NULL;
	struct loads loads;

	(void)state;
	put_code_region(&set, 0x50000, 0x51000, 0x0, lib);
	put_code_region(&set, 0x51000, 0x53000, 0x0, lib);
	struct maps maps = list_regions(set);
	assert_true(loads_find(&maps, &files, mapped_files_at(&files, lib)->path, &image, &loads));
	assert_true(loads.all.len >= 1);
	assert_int_equal(loads.all.at[loads.all.len - 1].base, 0x50000);
	loads_free(&loads);
	maps_free(&maps);
	map_set_release(set);
	mapped_files_free(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_file_loaded_twice),
		cmocka_unit_test(mappings_that_contradict),
		cmocka_unit_test(true_loads_stay_two),
		cmocka_unit_test(a_page_of_two_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
