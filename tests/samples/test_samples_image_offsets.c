/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Locations of user code that are offsets in files, or addresses, and nothing says which. */
#include "tests/support/build_space.h"
#include "tests/support/cmocka.h"
#include "tests/support/image_locate.h"

/* The address of a location, or 0: it is none in the binary. */
static uint64_t place(struct image_space *maps, uint32_t pid, const char *file, uint64_t at)
{
	struct run_addr found = image_space_find_place(maps, pid, text_of(file), at);
	struct vaddr ignored;

	return image_space_locate(maps, pid, found, &ignored) == LOCATED_IMAGE ? found.v : 0;
}

/* Where a location of a file that nobody knows is said to be. */
static uint64_t elsewhere(struct image_space *maps, uint32_t pid)
{
	return image_space_find_place(maps, pid, text_of("/nowhere"), 0x12345678).v;
}

/* Locations of user code as perf script prints them: offsets in files. */
static void offsets_in_files(void **state)
{
	struct image_space maps = begin_space();
	const char *app = "/srv/app", *libc = "/libc.so.6";

	(void)state;
	assert_int_equal(place(&maps, 7, app, 0x1010), 0);
	assert_int_equal(elsewhere(&maps, 7), 1);
	space_map(&maps, 7, 0x10000, 2, 1, "/srv/app", true);
	space_map(&maps, 7, 0x12000, 1, 3, "/srv/app (deleted)", true);
	assert_int_equal(elsewhere(&maps, 7), 1);
	space_map(&maps, 7, 0x40000, 8, 0, "/libc.so.6", true);
	/* As other processes have it mapped, which are elsewhere and begin with it. */
	space_map(&maps, 8, 0x90000, 2, 1, "/srv/app", true);
	space_fork(&maps, 7, 9);
	assert_int_equal(place(&maps, 7, app, 0x1010), 0x10010);
	assert_int_equal(place(&maps, 9, app, 0x3fff), 0x12fff);
	assert_int_equal(place(&maps, 8, app, 0x2fff), 0x91fff);
	assert_int_equal(place(&maps, 8, app, 0x3000), 0); /* not mapped there */
	assert_int_equal(place(&maps, 7, app, 0x4000), 0);
	assert_int_equal(place(&maps, 7, app, 0xfff), 0);
	assert_int_equal(place(&maps, 7, libc, 0x1010), 0);
	assert_int_equal(elsewhere(&maps, 7), 0x40000);
	assert_int_equal(space_where(&maps, 9, elsewhere(&maps, 9)), AT_OTHER);
	/* Run-time addresses, as other releases of perf print them. */
	assert_int_equal(place(&maps, 7, app, 0x11234), 0x11234);
	/* The binary is mapped over the library. */
	space_map(&maps, 9, 0x40000, 2, 1, "/srv/app", true);
	assert_int_equal(elsewhere(&maps, 9), 0x42000); /* what is left of it */
	space_exec(&maps, 7);
	assert_int_equal(place(&maps, 7, app, 0x1010), 0);
	image_space_forget(&maps);
	space_map(&maps, 7, 0x10000, 1, 1, "/srv/app", true);
	assert_int_equal(place(&maps, 7, app, 0x2010), 0);
	image_space_fini(&maps);
}

/* Another file's offset that is an address of a binary at a fixed address is none of it. */
static void offsets_that_look_like_addresses(void **state)
{
	struct segment fixed = {0x400000, 0, 8 * PAGE, 8 * PAGE, PAGE, true};
	struct image program = {.segments = &fixed, .segment_count = 1};
	struct image_space maps;
	struct bc_error err = {0};

	(void)state;
	assert_true(image_space_init(&maps, &program, &space_app_options, &err));
	space_map(&maps, 7, 0x400000, 8, 0, "/app", true);
	space_map(&maps, 7, 0x7f0000000000, 0x1000, 0, "/libLLVM.so.19", true);
	assert_int_equal(place(&maps, 7, "/libLLVM.so.19", 0x401000), 0);
	assert_int_equal(space_where(&maps, 7, elsewhere(&maps, 7)), AT_OTHER);
	assert_int_equal(place(&maps, 7, "/app", 0x1000), 0x401000);
	image_space_fini(&maps);
}

/* A large binary at a fixed address: most offsets in it are addresses, too.  What the others
 * were decides, in whatever file; without any they are addresses. */
static void offsets_or_addresses(void **state)
{
	const uint64_t size = 0x800000, base = 0x400000, both = 0x500000;
	struct segment fixed = {base, 0, size, size, PAGE, true};
	struct image program = {.segments = &fixed, .segment_count = 1};
	const struct {
		const char *file;
		uint64_t place, meant;
	} before[] = {
		{"/app", both, both},
		{"/app", 0x3000, base + both},   /* an offset only */
		{"/app", base + 0x7ff000, both}, /* an address only */
		{"/libc.so.6", 0x7f0000001000, both},
		{"/libc.so.6", 0x1000, base + both},
		{"/libc.so.6", 0x100000, both}, /* either */
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(before); i++) {
		struct image_space maps;
		struct bc_error err = {0};
		assert_true(image_space_init(&maps, &program, &space_app_options, &err));
		space_map(&maps, 7, base, size / PAGE, 0, "/app", true);
		(void)place(&maps, 7, before[i].file, before[i].place);
		assert_int_equal(place(&maps, 7, "/app", both), before[i].meant);
		image_space_forget(&maps); /* another recording, maybe by another perf */
		space_map(&maps, 7, base, size / PAGE, 0, "/app", true);
		assert_int_equal(place(&maps, 7, "/app", both), both);
		image_space_fini(&maps);
	}
}

/* As above: as many addresses as offsets were seen, in the binary or in another file. */
static void as_many_addresses_as_offsets(void **state)
{
	const uint64_t size = 0x800000, base = 0x400000, both = 0x500000;
	struct segment fixed = {base, 0, size, size, PAGE, true};
	struct image program = {.segments = &fixed, .segment_count = 1};
	const struct {
		const char *file;
		uint64_t place;
	} address[] = {{"/app", base + 0x7ff000},
		       {"/libc.so.6", 0x7f0000001000},
		       {"/libc.so.6", UINT64_C(1) << 32}},
	  offset[] = {{"/app", 0x3000}, {"/libc.so.6", 0x1000}, {"/libc.so.6", 0xffff}};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(address) * BC_COUNT(offset); i++) {
		size_t a = i % BC_COUNT(address), o = i / BC_COUNT(address);
		struct image_space maps;
		struct bc_error err = {0};
		assert_true(image_space_init(&maps, &program, &space_app_options, &err));
		space_map(&maps, 7, base, size / PAGE, 0, "/app", true);
		(void)place(&maps, 7, address[a].file, address[a].place);
		(void)place(&maps, 7, offset[o].file, offset[o].place);
		assert_int_equal(place(&maps, 7, "/app", both), both);
		(void)place(&maps, 7, offset[o].file, offset[o].place);
		assert_int_equal(place(&maps, 7, "/app", both), base + both);
		image_space_fini(&maps);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offsets_in_files),
		cmocka_unit_test(offsets_that_look_like_addresses),
		cmocka_unit_test(offsets_or_addresses),
		cmocka_unit_test(as_many_addresses_as_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
