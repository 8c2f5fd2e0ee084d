/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/samples/image_match.h"

#include "tests/support/cmocka.h"

#define FIRST_ID {4, {1, 2, 3, 4}}
static const struct build_id own_id = FIRST_ID, other_id = {4, {1, 2, 3, 5}}, no_id = {0};

/* A BOLTed PIE: data, the old text, the new text far after it. */
static struct segment pie_segments[] = {
	{0x0, 0x0, 0xa000, 0xa000, 0x1000, false},
	{0xb000, 0xb000, 0xeb000, 0xea800, 0x1000, true},
	{0x200000, 0x200000, 0x421800, 0x421800, 0x200000, true},
};
static struct image pie = {
	.machine = MACHINE_X86_64,
	.position_independent = true,
	.segments = pie_segments,
	.segment_count = 3,
	.build_id = FIRST_ID,
};

static struct image_match match_of(const struct image *image, const char *name)
{
	struct image_match_options options = {.binary_path = "/build/app", .image_name = name};
	struct image_match match;

	image_match_init(&match, image, &options);
	return match;
}

static struct map_event event_of(uint64_t start, uint64_t size, uint64_t offset, const char *path,
				 struct build_id id)
{
	return (struct map_event){.pid = 1,
				  .start = {start},
				  .size = size,
				  .offset = {offset},
				  .executable = true,
				  .path = text_of(path),
				  .build_id = id};
}

static enum image_fit fit_of(struct image_match *match, struct map_event event, uint64_t *base)
{
	enum image_fit fit;
	struct bc_error err = {0};

	if (!image_match(match, &event, NULL, &fit, base, &err))
		fail_msg("%s", err.text);
	return fit;
}

static const struct {
	const char *path, *given;
	const struct build_id *id;
	enum image_fit fit;
} files[] = {
	{"/srv/app", NULL, &no_id, FIT_IMAGE},
	{"/srv/app (deleted)", NULL, &no_id, FIT_IMAGE},
	{"/srv/app2", NULL, &no_id, FIT_OTHER},
	{"/srv/app/x", NULL, &no_id, FIT_OTHER},
	{"/srv/app", NULL, &own_id, FIT_IMAGE},
	{"/memfd:x (deleted)", NULL, &own_id, FIT_IMAGE},
	{"/srv/app", NULL, &other_id, FIT_OTHER_BUILD},
	{"/srv/b", NULL, &other_id, FIT_OTHER},
	{"/srv/b", "b", &no_id, FIT_IMAGE},
	{"/srv/b", "b", &own_id, FIT_IMAGE},
	{"/srv/b", "b", &other_id, FIT_OTHER_BUILD},
	{"/srv/app", "b", &no_id, FIT_OTHER},
	{"/srv/app", "b", &own_id, FIT_OTHER},
	{"/srv/b (deleted)", "/srv/b", &no_id, FIT_IMAGE},
	{"/tmp/b", "/srv/b", &no_id, FIT_OTHER},
};

static void files_by_id_and_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct image_match match = match_of(&pie, files[i].given);
		uint64_t base = 1;
		struct map_event event =
			event_of(0x55000000b000, 0xeb000, 0xb000, files[i].path, *files[i].id);
		if (fit_of(&match, event, &base) != files[i].fit)
			fail_msg("%s (%s)", files[i].path, files[i].given ? files[i].given : "");
		assert_int_equal(base, files[i].fit == FIT_IMAGE ? 0x550000000000 : 1);
		image_match_fini(&match);
	}
}

static const struct {
	uint64_t start, size, offset;
	enum image_fit fit;
} ranges[] = {
	{0x55000000b000, 0xeb000, 0xb000, FIT_IMAGE},    /* as the loader maps it */
	{0x550000200000, 0x422000, 0x200000, FIT_IMAGE}, /* the new text */
	{0x550000010000, 0x1000, 0x10000, FIT_IMAGE},    /* split by mprotect */
	{0x550000400000, 0x200000, 0x400000, FIT_IMAGE}, /* a huge page of it */
	{0x550000000000, 0x622000, 0x0, FIT_IMAGE},      /* the whole file */
	{0x55000000a000, 0xed000, 0xa000, FIT_IMAGE},    /* begins before the segment */
	{0x550000000000, 0xa000, 0x0, FIT_MISFIT},       /* the data segment */
	{0x550000010000, 0x1f0000, 0x10000, FIT_MISFIT}, /* half in, half out */
	{0x550000700000, 0x1000, 0x700000, FIT_MISFIT},  /* after all */
	{0x55000000b000, 0xeb000, 0xfffffffffffff000, FIT_MISFIT},
	{0x55000000b010, 0xeb000, 0xb000, FIT_MISFIT}, /* no page */
};

static void ranges_by_segments(void **state)
{
	struct image_match match = match_of(&pie, NULL);

	(void)state;
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		uint64_t base = 1;
		struct map_event event =
			event_of(ranges[i].start, ranges[i].size, ranges[i].offset, "/app", no_id);
		if (fit_of(&match, event, &base) != ranges[i].fit)
			fail_msg("range %zu", i);
		assert_int_equal(base, ranges[i].fit == FIT_IMAGE ? 0x550000000000 : 1);
	}
	image_match_fini(&match);
}

/* The two worked examples of docs/addresses.md. */
static void worked_example_of_a_pie(void **state)
{
	struct segment segment = {0xbd5fd4, 0xbd4fd4, 0x100000, 0x100000, 0x1000, true};
	struct image image = {
		.position_independent = true, .segments = &segment, .segment_count = 1};
	struct image_match match = match_of(&image, NULL);
	uint64_t base;

	(void)state;
	struct map_event event = event_of(0x55a1c0bd5000, 0x101000, 0xbd4000, "/app", no_id);
	assert_int_equal(fit_of(&match, event, &base), FIT_IMAGE);
	assert_int_equal(base, 0x55a1c0000000);
	assert_int_equal(0x55a1c0bd6500 - base, 0xbd6500);
	image_match_fini(&match);
}

static void worked_example_of_a_static_binary(void **state)
{
	struct segment segment = {0x401000, 0x1000, 0x5000, 0x5000, 0x1000, true};
	struct image image = {.segments = &segment, .segment_count = 1};
	struct image_match match = match_of(&image, NULL);
	uint64_t base = 1;

	(void)state;
	assert_int_equal(fit_of(&match, event_of(0x401000, 0x5000, 0x1000, "/app", no_id), &base),
			 FIT_IMAGE);
	assert_int_equal(base, 0);
	assert_int_equal(fit_of(&match, event_of(0x501000, 0x5000, 0x1000, "/app", no_id), &base),
			 FIT_MISFIT);
	image_match_fini(&match);
}

/* Two segments in one page of the file, mapped with different distances. */
static void a_page_of_two_segments(void **state)
{
	struct segment segments[] = {
		{0x1000, 0x1000, 0x800, 0x800, 0x1000, true},
		{0x2800, 0x1800, 0x800, 0x800, 0x1000, true},
	};
	struct image image = {
		.position_independent = true, .segments = segments, .segment_count = 2};
	struct image_match match = match_of(&image, NULL);
	struct map_event event = event_of(0x55000002000, 0x1000, 0x1000, "/app", no_id);
	uint64_t base, near = 0x55000000000;
	enum image_fit fit;
	struct bc_error err = {0};

	(void)state;
	assert_true(image_match(&match, &event, &near, &fit, &base, &err));
	assert_int_equal(base, near); /* the second one */
	assert_true(image_match(&match, &event, NULL, &fit, &base, &err));
	assert_int_equal(base, 0x55000001000);
	image_match_fini(&match);
}

static void match_of_large_pages(void **state)
{
	struct segment segment = {0x31000, 0x21000, 0x4000, 0x4000, 0x10000, true};
	struct image image = {.position_independent = true,
			      .segments = &segment,
			      .segment_count = 1,
			      .machine = MACHINE_AARCH64};
	struct image_match match = match_of(&image, NULL);
	uint64_t base;

	(void)state;
	struct map_event event = event_of(0xaaaa00030000, 0x10000, 0x20000, "/app", no_id);
	assert_int_equal(fit_of(&match, event, &base), FIT_IMAGE);
	assert_int_equal(base, 0xaaaa00000000);
	image_match_fini(&match);
}

/* The profiled binary was stripped: its new text lies elsewhere in the file. */
static void segments_that_strip_moved(void **state)
{
	struct image_match match = match_of(&pie, NULL);
	const uint64_t known = 0x7f0000000000;
	uint64_t base = 1;
	static const struct {
		uint64_t vaddr, size;
		enum image_fit fit;
	} cases[] = {
		{0x200000, 0x422000, FIT_IMAGE},  {0x210000, 0x1000, FIT_IMAGE},
		{0x200000, 0x423000, FIT_MISFIT}, {0x1ff000, 0x1000, FIT_MISFIT},
		{0x1000, 0x1000, FIT_MISFIT}, /* there, but not code */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct map_event event = event_of(known + cases[i].vaddr, cases[i].size, 0x700000,
						  "/srv/app", no_id);
		enum image_fit fit;
		struct bc_error err = {0};
		assert_true(image_match(&match, &event, &known, &fit, &base, &err));
		assert_int_equal(fit, cases[i].fit);
		if (fit == FIT_IMAGE)
			assert_int_equal(base, known);
		/* Without a base from elsewhere nobody can know. */
		assert_int_equal(fit_of(&match, event, &base), FIT_MISFIT);
	}
	image_match_fini(&match);
}

static void two_names_for_one_id(void **state)
{
	struct map_event a = event_of(0x55000000b000, 0xeb000, 0xb000, "/a/app", own_id);
	struct map_event b = event_of(0x55000000b000, 0xeb000, 0xb000, "/b/app.new", own_id);
	struct image_match match = match_of(&pie, NULL);
	struct bc_error err = {0};
	enum image_fit fit;
	uint64_t base;

	(void)state;
	assert_int_equal(fit_of(&match, a, &base), FIT_IMAGE);
	assert_false(image_match(&match, &b, NULL, &fit, &base, &err));
	assert_int_equal(err.code, BC_MISMATCH);
	assert_non_null(strstr(err.text, "/a/app"));
	assert_non_null(strstr(err.text, "/b/app.new"));
	b.offset.v = 0x900000; /* not the binary's segments: no candidate */
	assert_int_equal(fit_of(&match, b, &base), FIT_MISFIT);
	image_match_fini(&match);

	b.offset.v = 0xb000;
	match = match_of(&pie, "app.new");
	assert_int_equal(fit_of(&match, a, &base), FIT_OTHER);
	assert_int_equal(fit_of(&match, b, &base), FIT_IMAGE);
	image_match_fini(&match);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_by_id_and_name),
		cmocka_unit_test(ranges_by_segments),
		cmocka_unit_test(worked_example_of_a_pie),
		cmocka_unit_test(worked_example_of_a_static_binary),
		cmocka_unit_test(a_page_of_two_segments),
		cmocka_unit_test(match_of_large_pages),
		cmocka_unit_test(segments_that_strip_moved),
		cmocka_unit_test(two_names_for_one_id),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
