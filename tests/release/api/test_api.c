/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* libbatconv by its headers: what a program outside can do with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batconv/batconv.h"
#include "tests/support/cmocka.h"

#define BOLTED BATCONV_SOURCE_DIR "/inputs/demo/demo.bolt"

/* Facts of readelf -lS and nm of inputs/demo/demo.bolt. */
#define MAIN      0x7000
#define MAIN_COLD 0x7e80

static struct batconv_image *opened(void)
{
	struct batconv_image *image;
	struct batconv_error err;

	if (!batconv_image_open(BOLTED, &image, &err))
		fail_msg("%s", err.text);
	return image;
}

/* Programs that are linked with this release run with all later ones of the same major version:
 * sizes do not change within it, on any of the 64-bit processors. */
static void structs_are_as_large_as_released(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct batconv_error), 4 + 768 + 4 + 16);
	assert_int_equal(sizeof(struct batconv_segment), 64);
	assert_int_equal(sizeof(struct batconv_region), 80);
	assert_int_equal(sizeof(struct batconv_snapshot), 40);
	assert_int_equal(sizeof(struct batconv_raw_stack), 48);
	assert_int_equal(sizeof(struct batconv_frame), 128);
	assert_int_equal(sizeof(struct batconv_inlined), 40);
	assert_int_equal(sizeof(struct batconv_input_addr), 16);
	assert_int_equal(sizeof(struct batconv_location), 80);
}

static void versions_agree(void **state)
{
	char text[32];

	(void)state;
	snprintf(text, sizeof(text), "%d.%d.%d", BATCONV_VERSION_MAJOR, BATCONV_VERSION_MINOR,
		 BATCONV_VERSION_PATCH);
	assert_string_equal(text, PROJECT_VERSION);
	assert_int_equal(batconv_version(), BATCONV_VERSION_NUMBER);
}

/* What a later release finds in `reserved` of this one is 0. */
static void reserved_is_zero(void **state)
{
	struct batconv_image *image = opened();
	struct batconv_segment segment;
	struct batconv_error err;

	(void)state;
	memset(&segment, 0xff, sizeof(segment));
	memset(&err, 0xff, sizeof(err));
	assert_true(batconv_image_segment(image, 0, &segment));
	assert_int_equal(segment.reserved[0] | segment.reserved[1], 0);
	batconv_image_close(image);
	assert_false(batconv_image_open("/nonexistent", &image, &err));
	assert_int_equal(err.code, BATCONV_ERROR_IO);
	assert_int_equal(err.reserved[0] | err.reserved[1], 0);
}

static void an_image(void **state)
{
	struct batconv_image *image = opened();
	struct batconv_segment segment;
	struct batconv_file_off offset;
	struct batconv_vaddr at;
	size_t segments = 0, executable = 0, size;
	const char *name;
	uint64_t in;

	(void)state;
	while (batconv_image_segment(image, segments, &segment)) {
		segments++;
		executable += segment.executable;
		assert_true(segment.aligned);
	}
	assert_int_equal(segments, 5);
	assert_int_equal(executable, 2);
	assert_false(batconv_image_segment(image, 5, &segment));
	assert_true(batconv_image_is_position_independent(image));
	assert_true(batconv_image_has_bat(image));
	assert_non_null(batconv_image_build_id(image, &size));
	assert_int_equal(size, 20);
	assert_null(batconv_image_go_build_id(image));
	assert_true(batconv_image_to_offset(image, (struct batconv_vaddr){0x4d10}, &offset));
	assert_int_equal(offset.v, 0x3d10);
	assert_true(batconv_image_to_vaddr(image, offset, &at));
	assert_int_equal(at.v, 0x4d10);
	assert_false(batconv_image_to_offset(image, (struct batconv_vaddr){0x999999}, &offset));
	assert_true(batconv_image_function(image, (struct batconv_vaddr){MAIN + 4}, &name, &in));
	assert_string_equal(name, "main");
	assert_int_equal(in, 4);
	batconv_image_close(image);
}

static void input_addresses_and_back(void **state)
{
	struct batconv_image *image = opened();
	struct batconv_input_addr input;
	struct batconv_vaddr back[2] = {{0}, {1}};

	(void)state;
	assert_true(batconv_image_to_input(image, (struct batconv_vaddr){MAIN_COLD}, &input));
	assert_string_equal(input.function, "main");
	assert_int_equal(batconv_image_from_input(image, &input, NULL, 0), 1);
	assert_int_equal(batconv_image_from_input(image, &input, back, 2), 1);
	assert_int_equal(back[0].v, MAIN_COLD);
	assert_int_equal(back[1].v, 1);
	input.function = "no such function";
	assert_int_equal(batconv_image_from_input(image, &input, back, 2), 0);
	batconv_image_close(image);
}

static const char maps_text[] =
	"55e11c269000-55e11c26a000 r--p 00000000 fe:00 7                          /srv/demo.bolt\n"
	"55e11c26a000-55e11c26c000 r-xp 00001000 fe:00 7                          /srv/demo.bolt\n"
	"55e11c26c000-55e11c26d000 r--p 00003000 fe:00 7                          /srv/demo.bolt\n"
	"55e11c26f000-55e11c272000 r-xp 00006000 fe:00 7                          /srv/demo.bolt\n"
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n";

static struct batconv_snapshots *snapshots_of_text(void)
{
	struct batconv_snapshots *s = batconv_snapshots_new();
	struct batconv_error err;

	assert_non_null(s);
	if (!batconv_snapshots_add_text(s, 7, 0, 1000, maps_text, strlen(maps_text), &err))
		fail_msg("%s", err.text);
	return s;
}

static void maps_and_bases(void **state)
{
	struct batconv_snapshots *s = snapshots_of_text();
	struct batconv_image *image = opened();
	struct batconv_error err;
	struct batconv_maps *maps;
	struct batconv_region region;
	uint64_t base;
	uint32_t found[3];
	struct batconv_run_addr at[] = {{0x55e11c270010}, {0x55e11c26e000}, {0xffffffffff600123}};

	(void)state;
	assert_false(batconv_maps_open_at(s, 7, 999, &maps, &err));
	assert_int_equal(err.code, BATCONV_ERROR_NOTFOUND);
	assert_null(maps);
	assert_true(batconv_maps_open_at(s, 7, 1000, &maps, &err));
	for (size_t i = 0; i < 4; i++) {
		assert_true(batconv_maps_region(maps, i, &region));
		assert_true(batconv_image_base(image, &region, &base));
		assert_int_equal(base, 0x55e11c269000);
	}
	assert_true(batconv_maps_region(maps, 0, &region));
	assert_true(batconv_image_base_lowest(image, &region, &base));
	assert_int_equal(base, 0x55e11c269000);
	/* Where only code is known, by its lowest segment. */
	assert_true(batconv_maps_region(maps, 1, &region));
	assert_true(region.flags & BATCONV_REGION_EXEC);
	assert_true(batconv_image_base_lowest(image, &region, &base));
	assert_int_equal(base, 0x55e11c269000);
	assert_true(batconv_maps_region(maps, 2, &region));
	assert_false(batconv_image_base_lowest(image, &region, &base));
	assert_int_equal(batconv_maps_find(maps, at[0]), 3);
	batconv_maps_find_all(maps, at, 3, found);
	assert_int_equal(found[0], 3);
	assert_int_equal(found[1], BATCONV_NOWHERE);
	assert_int_equal(found[2], 4);
	batconv_image_close(image);
	batconv_maps_close(maps);
	batconv_snapshots_free(s);
}

static struct batconv_resolver *resolver_of(struct batconv_snapshots *s, uint32_t lookup)
{
	struct batconv_resolver *r;
	struct batconv_error err;

	if (!batconv_resolver_open(s, lookup, &r, &err))
		fail_msg("%s", err.text);
	return r;
}

static void frames_of_stacks(void **state)
{
	struct batconv_snapshots *s = snapshots_of_text();
	struct batconv_resolver *r =
		resolver_of(s, BATCONV_LOOKUP_FUNCTIONS | BATCONV_LOOKUP_INPUT);
	/* in main.cold; the return address of what ends main.cold's caller; nowhere; kernel */
	struct batconv_run_addr addresses[] = {{0x55e11c269000 + MAIN_COLD},
					       {0x55e11c269000 + MAIN + 0x10},
					       {0x10},
					       {UINT64_MAX << 31}};
	struct batconv_raw_stack stack = {
		.time = 1000, .pid = 7, .map = 0, .addresses = addresses, .count = 4};
	struct batconv_raw_stack both[] = {stack,
					   {.time = 1000,
					    .pid = 8,
					    .map = BATCONV_MAP_BY_TIME,
					    .addresses = addresses,
					    .count = 1}};
	struct batconv_frame f[5];
	struct batconv_error err;

	(void)state;
	assert_true(batconv_resolver_add(r, BOLTED, &err));
	assert_true(batconv_resolve_stacks(r, both, 2, f, 5, &err));
	assert_string_equal(f[0].library, "/srv/demo.bolt");
	assert_string_equal(f[0].function, "main");
	assert_int_equal(f[0].vaddr.v, MAIN_COLD);
	assert_int_equal(f[0].offset.v, MAIN_COLD); /* that segment has p_offset == p_vaddr */
	assert_string_equal(f[1].function, "main");
	assert_int_equal(f[1].function_offset, 0x10);
	assert_string_equal(f[2].library, "[unknown]");
	assert_string_equal(f[3].library, "[kernel]");
	assert_string_equal(f[4].library, "[unknown]"); /* no map of process 8 */
	assert_int_equal(f[4].raw.v, addresses[0].v);
	assert_false(f[4].has_map);
	for (int i = 0; i < 4; i++)
		assert_true(f[i].has_map && f[i].pid == 7 && f[i].map == 0);
	/* By time: which map it was is reported. */
	assert_true(batconv_snapshots_add_text(s, 7, 5, 4000, maps_text, strlen(maps_text), &err));
	for (uint64_t time = 3999; time <= 4000; time++) {
		assert_true(batconv_resolve(r, 7, time, addresses[0], f, &err));
		assert_true(f[0].has_map && f[0].pid == 7);
		assert_int_equal(f[0].map, time == 4000 ? 5 : 0);
	}
	assert_true(batconv_resolve(r, 7, 999, addresses[0], f, &err));
	assert_false(f[0].has_map);
	assert_true(batconv_resolve(r, 7, 5000, addresses[0], f, &err));
	assert_string_equal(f[0].function, "main");
	batconv_resolver_close(r);
	batconv_snapshots_free(s);
}

/* For this program: a call that the compiler was asked to inline, and where it is. */
static inline __attribute__((always_inline)) uint64_t inlined_here(uint64_t n)
{
	return n * __builtin_bswap64(n + UINT64_C(0x1234));
}
enum { INLINED_LINE = __LINE__ - 2 };

static __attribute__((noinline)) uint64_t has_inlined(uint64_t n)
{
	return inlined_here(n) ^ n;
}
enum { CALL_LINE = __LINE__ - 2 };

/* Among the addresses of a function the one of the inlined call; both of its lines. */
static void lines_of_frames(void **state)
{
	struct batconv_snapshots *s = batconv_snapshots_new();
	struct batconv_resolver *r = resolver_of(s, BATCONV_LOOKUP_LINES | BATCONV_LOOKUP_INLINES);
	struct batconv_inlined inlined;
	struct batconv_frame f[64];
	struct batconv_run_addr at[64];
	struct batconv_error err;
	unsigned found = 0;

	(void)state;
	assert_true(has_inlined((uint64_t)getpid()) != 1);
	assert_true(batconv_snapshots_add_process(s, (uint32_t)getpid(), &err));
	for (size_t i = 0; i < 64; i++)
		at[i].v = (uint64_t)(uintptr_t)has_inlined + i;
	for (size_t i = 0; i < 64; i++) {
		struct batconv_raw_stack stack = {.time = UINT64_MAX,
						  .pid = (uint32_t)getpid(),
						  .map = BATCONV_MAP_BY_TIME,
						  .addresses = &at[i],
						  .count = 1};
		if (batconv_resolve_stacks(r, &stack, 1, &f[i], 1, &err))
			continue;
		assert_int_equal(err.code, BATCONV_ERROR_UNSUPPORTED); /* no libdw */
		batconv_resolver_close(r);
		batconv_snapshots_free(s);
		return;
	}
	for (size_t i = 0; i < 64 && f[i].function && !strncmp(f[i].function, "has_inlined/", 12);
	     i++) {
		assert_false(batconv_frame_inlined(&f[i], f[i].inlined, &inlined));
		if (!f[i].inlined)
			continue;
		assert_true(batconv_frame_inlined(&f[i], 0, &inlined));
		assert_string_equal(inlined.function, "inlined_here");
		assert_int_equal(f[i].line, CALL_LINE);
		assert_non_null(strstr(f[i].file, "test_api.c"));
		found += inlined.line == INLINED_LINE && strstr(inlined.file, "test_api.c");
	}
	assert_true(found > 0 || !f[0].file); /* this program has DWARF, or has none */
	batconv_resolver_close(r);
	batconv_snapshots_free(s);
}

/* ---- translated addresses: facts of readelf and nm of both binaries, and of eu-addr2line of the
 * input ---- */

#define INPUT      BATCONV_SOURCE_DIR "/inputs/demo/demo"
#define INPUT_MAIN 0x10f0

static void translated_addresses(void **state)
{
	/* The cold part of main begins with what is at 0x221 of the input's; the second address is
	 * a return address. */
	static const struct batconv_vaddr at[] = {{MAIN_COLD}, {MAIN + 5}, {0x999999}, {0}};
	struct batconv_translator *t;
	struct batconv_location out[4];
	struct batconv_error err;

	(void)state;
	assert_true(batconv_translator_open(BOLTED, INPUT, 0, &t, &err));
	memset(out, 0xff, sizeof(out));
	assert_true(batconv_translate(t, BATCONV_ADDRESSES_CALL_STACK, at, 4, out, &err));
	assert_string_equal(out[0].input.function, "main");
	assert_int_equal(out[0].input.offset, 0x221);
	assert_true(out[0].has_vaddr);
	assert_int_equal(out[0].vaddr.v, INPUT_MAIN + 0x221);
	assert_null(out[0].file);
	assert_int_equal(out[0].inlined, 0);
	assert_int_equal(out[0].reserved[0] | out[0].reserved[1], 0);
	assert_int_equal(out[1].input.offset, 5);
	assert_int_equal(out[1].vaddr.v, INPUT_MAIN + 5);
	for (size_t i = 2; i < 4; i++) {
		assert_null(out[i].input.function);
		assert_false(out[i].has_vaddr);
	}
	/* As the beginning of a cold part, and as what follows the code before it. */
	assert_true(batconv_translate(t, BATCONV_ADDRESSES_INSTRUCTIONS,
				      &(struct batconv_vaddr){MAIN_COLD}, 1, out, &err));
	assert_int_equal(out[0].input.offset, 0x221);
	batconv_translator_close(t);

	assert_true(batconv_translator_open(BOLTED, NULL, 0, &t, &err));
	assert_true(batconv_translate(t, BATCONV_ADDRESSES_INSTRUCTIONS, at, 1, out, &err));
	assert_int_equal(out[0].input.offset, 0x221);
	assert_false(out[0].has_vaddr);
	batconv_translator_close(t);

	/* What was not BOLTed is its own input. */
	assert_true(batconv_translator_open(INPUT, NULL, 0, &t, &err));
	assert_true(batconv_translate(t, BATCONV_ADDRESSES_INSTRUCTIONS,
				      &(struct batconv_vaddr){INPUT_MAIN + 8}, 1, out, &err));
	assert_string_equal(out[0].input.function, "main");
	assert_int_equal(out[0].vaddr.v, INPUT_MAIN + 8);
	batconv_translator_close(t);
}

static void translated_lines(void **state)
{
	static const struct batconv_vaddr at[] = {{0x6000}, {0x6010}, {0x6343}};
	const char *inputs = getenv("INPUTS");
	char bolted[512], input[512];
	struct batconv_translator *t = NULL;
	struct batconv_location out[3];
	struct batconv_inlined call;
	struct batconv_error err;

	(void)state;
	snprintf(bolted, sizeof(bolted), "%s/lines/g4.b22", inputs ? inputs : ".");
	snprintf(input, sizeof(input), "%s/lines/g4", inputs ? inputs : ".");
	if (!inputs ||
	    (!batconv_translator_open(bolted, input, BATCONV_LOOKUP_LINES | BATCONV_LOOKUP_INLINES,
				      &t, &err) &&
	     err.code == BATCONV_ERROR_UNSUPPORTED)) {
		print_message("skipped: %s\n",
			      inputs ? err.text : "INPUTS does not name the unpacked inputs");
		skip();
	}
	assert_true(batconv_translate(t, BATCONV_ADDRESSES_INSTRUCTIONS, at, 3, out, &err));
	assert_string_equal(out[0].file, "/src/main.cc");
	assert_int_equal(out[0].line, 24);
	assert_int_equal(out[0].inlined, 0);
	/* atoi() of stdlib.h, which main calls in its line 25 */
	assert_string_equal(out[1].file, "/src/main.cc");
	assert_int_equal(out[1].line, 25);
	assert_int_equal(out[1].inlined, 1);
	assert_true(batconv_location_inlined(&out[1], 0, &call));
	assert_string_equal(call.function, "atoi");
	assert_string_equal(call.file, "/usr/include/stdlib.h");
	assert_int_equal(call.line, 364);
	assert_false(batconv_location_inlined(&out[1], 1, &call));
	assert_string_equal(out[2].input.function, "rare_c");
	assert_int_equal(out[2].vaddr.v, 0x1443);
	assert_int_equal(out[2].line, 8);
	batconv_translator_close(t);
}

static void translators_that_cannot_be(void **state)
{
	struct batconv_translator *t;
	struct batconv_error err;

	(void)state;
	assert_false(batconv_translator_open("/nowhere", NULL, 0, &t, &err));
	assert_int_equal(err.code, BATCONV_ERROR_IO);
	assert_false(batconv_translator_open(BOLTED, BATCONV_SOURCE_DIR "/LICENSE", 0, &t, &err));
	assert_int_equal(err.code, BATCONV_ERROR_FORMAT);
	assert_false(batconv_translator_open(BOLTED, NULL, BATCONV_LOOKUP_LINES, &t, &err));
	assert_int_equal(err.code, BATCONV_ERROR_NOTFOUND);
	batconv_translator_close(NULL);
}

/* Names of a file that llvm-bolt did not read would be found as well, and be wrong. */
static void inputs_of_other_binaries(void **state)
{
	static const struct {
		const char *bolted, *input, *why;
	} pairs[] = {
		{BOLTED, "/proc/self/exe", "/proc/self/exe: not the input binary: "},
		{BOLTED, BOLTED, BOLTED ": not the input binary: llvm-bolt wrote it"},
		{INPUT, BOLTED,
		 BOLTED ": not the input binary: llvm-bolt did not write " INPUT
			", which is its own input"},
		{INPUT, INPUT, INPUT ": not the input binary: llvm-bolt did not write " INPUT},
	};
	struct batconv_translator *t;
	struct batconv_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		assert_false(batconv_translator_open(pairs[i].bolted, pairs[i].input, 0, &t, &err));
		assert_int_equal(err.code, BATCONV_ERROR_MISMATCH);
		if (strncmp(err.text, pairs[i].why, strlen(pairs[i].why)))
			fail_msg("%s", err.text);
	}
}

/* ---- what address.h says of all calls ---- */

/* An error that nobody wants, and objects that could not be made. */
static void without_an_error(void **state)
{
	struct batconv_snapshots *s = snapshots_of_text();
	struct batconv_image *image = (struct batconv_image *)s;
	struct batconv_maps *maps = (struct batconv_maps *)s;
	struct batconv_resolver *r = (struct batconv_resolver *)s;
	struct batconv_translator *t = (struct batconv_translator *)s;

	(void)state;
	assert_false(batconv_image_open("/nowhere", &image, NULL));
	assert_false(batconv_maps_open_at(s, 8, 0, &maps, NULL));
	assert_false(batconv_maps_open_id(s, 7, 9, &maps, NULL));
	assert_false(batconv_resolver_open(s, 1u << 31, &r, NULL));
	assert_false(batconv_translator_open("/nowhere", NULL, 0, &t, NULL));
	assert_true(!image && !maps && !r && !t);
	assert_false(batconv_snapshots_add_text(s, 7, 0, 0, maps_text, strlen(maps_text), NULL));
	assert_false(batconv_snapshots_add_text(s, 7, 1, 0, "no map\n", 7, NULL));
	assert_false(batconv_snapshots_add_file(s, "/nowhere", NULL, NULL));
	batconv_image_close(NULL);
	batconv_maps_close(NULL);
	batconv_resolver_close(NULL);
	batconv_snapshots_free(NULL);
	batconv_translator_close(NULL);
	batconv_snapshots_free(s);
}

/* What a later release can ask for, and this one does not know: reported, not passed over. */
static void what_is_not_known(void **state)
{
	struct batconv_snapshots *s = snapshots_of_text();
	struct batconv_resolver *r = resolver_of(s, 0);
	struct batconv_run_addr at[3] = {{1}, {2}, {3}};
	struct batconv_raw_stack stacks[] = {{.pid = 7, .addresses = at, .count = 3},
					     {.pid = 7, .addresses = at, .count = 2}};
	struct batconv_frame out[6];
	struct batconv_translator *t;
	struct batconv_error err;

	(void)state;
	for (unsigned bit = 4; bit < 32; bit++) {
		struct batconv_resolver *none;
		assert_false(batconv_resolver_open(s, 1u << bit, &none, &err));
		assert_int_equal(err.code, BATCONV_ERROR_ARGUMENT);
		assert_false(batconv_translator_open(BOLTED, NULL, 1u << bit, &t, &err));
		assert_int_equal(err.code, BATCONV_ERROR_ARGUMENT);
	}
	assert_true(batconv_translator_open(
		BOLTED, NULL, BATCONV_LOOKUP_FUNCTIONS | BATCONV_LOOKUP_INPUT, &t, &err));
	assert_false(batconv_translate(t, (enum batconv_addresses)2, NULL, 0, NULL, &err));
	assert_int_equal(err.code, BATCONV_ERROR_ARGUMENT);
	assert_true(batconv_translate(t, BATCONV_ADDRESSES_CALL_STACK, NULL, 0, NULL, &err));
	batconv_translator_close(t);

	/* Room: frames of both stacks, and no more are written. */
	memset(out, 0x5a, sizeof(out));
	assert_false(batconv_resolve_stacks(r, stacks, 2, out, 4, &err));
	assert_int_equal(err.code, BATCONV_ERROR_ARGUMENT);
	assert_int_equal(out[0].raw.v, UINT64_C(0x5a5a5a5a5a5a5a5a));
	assert_true(batconv_resolve_stacks(r, stacks, 2, out, 5, &err));
	assert_int_equal(out[4].raw.v, 2);
	assert_int_equal(out[5].raw.v, UINT64_C(0x5a5a5a5a5a5a5a5a));
	stacks[1].reserved[1] = 1;
	assert_false(batconv_resolve_stacks(r, stacks, 2, out, 6, &err));
	assert_int_equal(err.code, BATCONV_ERROR_ARGUMENT);
	stacks[1] = (struct batconv_raw_stack){.pid = 7, .count = SIZE_MAX};
	assert_false(batconv_resolve_stacks(r, stacks, 2, out, 6, &err));
	assert_int_equal(err.code, BATCONV_ERROR_ARGUMENT);
	assert_true(batconv_resolve_stacks(r, NULL, 0, NULL, 0, &err));
	batconv_resolver_close(r);
	batconv_snapshots_free(s);
}

/* What is not known is NULL; and a resolver sees what is added to its snapshots later. */
static void what_is_not_there(void **state)
{
	static const char anonymous[] = "1000-2000 rw-p 00000000 00:00 0\n";
	struct batconv_snapshots *s = batconv_snapshots_new();
	struct batconv_resolver *r = resolver_of(s, 0);
	struct batconv_region region;
	struct batconv_frame frame;
	struct batconv_maps *maps;
	struct batconv_error err;

	(void)state;
	assert_true(
		batconv_resolve(r, 7, 10, (struct batconv_run_addr){0x55e11c26a010}, &frame, &err));
	assert_false(frame.has_map);
	assert_true(batconv_snapshots_add_text(s, 7, 0, 5, maps_text, strlen(maps_text), &err));
	assert_true(
		batconv_resolve(r, 7, 10, (struct batconv_run_addr){0x55e11c26a010}, &frame, &err));
	assert_true(frame.has_map);
	assert_string_equal(frame.library, "/srv/demo.bolt");
	assert_null(frame.function);
	assert_null(frame.file);
	assert_true(batconv_snapshots_add_text(s, 8, 0, 5, anonymous, strlen(anonymous), &err));
	assert_string_equal(frame.library, "/srv/demo.bolt");
	assert_true(batconv_maps_open_id(s, 8, 0, &maps, &err));
	assert_true(batconv_maps_region(maps, 0, &region));
	assert_true(!region.path && !region.build_id && !region.build_id_size &&
		    !region.go_build_id);
	assert_false(batconv_maps_region(maps, 1, &region));
	batconv_maps_close(maps);
	batconv_resolver_close(r);
	batconv_snapshots_free(s);
}

/* A file of which a part is there: what is whole is added, and the rest is reported. */
static void files_that_were_cut(void **state)
{
	struct batconv_snapshots *s = batconv_snapshots_new();
	FILE *whole = fopen(BATCONV_SOURCE_DIR "/inputs/demo/demo.perf.data", "rb");
	struct batconv_snapshot info;
	struct batconv_error err;
	char path[] = "/tmp/api-XXXXXX", bytes[4000];
	int fd = mkstemp(path);
	bool partial = false;

	(void)state;
	assert_non_null(whole);
	assert_int_equal(fread(bytes, 1, sizeof(bytes), whole), sizeof(bytes));
	fclose(whole);
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	close(fd);
	if (!batconv_snapshots_add_file(s, path, &partial, &err))
		fail_msg("%s", err.text);
	remove(path);
	assert_true(partial);
	assert_true(batconv_snapshots_get(s, 0, &info));
	batconv_snapshots_free(s);
}

static void snapshots_in_a_file(void **state)
{
	struct batconv_snapshots *s = snapshots_of_text(), *again = batconv_snapshots_new();
	struct batconv_snapshot info;
	struct batconv_error err;
	char path[] = "/tmp/api-XXXXXX";
	bool partial = true;

	(void)state;
	close(mkstemp(path));
	assert_true(batconv_snapshots_write(s, path, &err));
	assert_true(batconv_snapshots_add_file(again, path, &partial, &err));
	assert_false(partial);
	remove(path);
	assert_true(batconv_snapshots_get(again, 0, &info));
	assert_int_equal(info.pid, 7);
	assert_int_equal(info.time, 1000);
	assert_int_equal(info.regions, 5);
	assert_false(batconv_snapshots_get(again, 1, &info));
	assert_true(batconv_snapshots_add_process(again, (uint32_t)getpid(), &err));
	assert_true(batconv_snapshots_get(again, 1, &info));
	assert_int_equal(info.pid, getpid());
	batconv_snapshots_free(s);
	batconv_snapshots_free(again);
}

static void errors(void **state)
{
	struct batconv_snapshots *s = snapshots_of_text();
	struct batconv_image *image;
	struct batconv_error err;

	(void)state;
	assert_false(batconv_image_open("/nowhere", &image, &err));
	assert_int_equal(err.code, BATCONV_ERROR_IO);
	assert_false(batconv_image_open(BATCONV_SOURCE_DIR "/LICENSE", &image, &err));
	assert_int_equal(err.code, BATCONV_ERROR_FORMAT);
	assert_false(batconv_snapshots_add_text(s, 7, 1, 0, "no map\n", 7, &err));
	assert_int_equal(err.code, BATCONV_ERROR_FORMAT);
	assert_string_equal(err.text, "line 1: expected START-END");
	assert_false(batconv_snapshots_add_process(s, INT32_MAX, &err));
	assert_int_equal(err.code, BATCONV_ERROR_NOTFOUND);
	batconv_snapshots_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(structs_are_as_large_as_released),
		cmocka_unit_test(versions_agree),
		cmocka_unit_test(reserved_is_zero),
		cmocka_unit_test(an_image),
		cmocka_unit_test(input_addresses_and_back),
		cmocka_unit_test(maps_and_bases),
		cmocka_unit_test(frames_of_stacks),
		cmocka_unit_test(lines_of_frames),
		cmocka_unit_test(translated_addresses),
		cmocka_unit_test(translated_lines),
		cmocka_unit_test(translators_that_cannot_be),
		cmocka_unit_test(inputs_of_other_binaries),
		cmocka_unit_test(without_an_error),
		cmocka_unit_test(what_is_not_known),
		cmocka_unit_test(what_is_not_there),
		cmocka_unit_test(files_that_were_cut),
		cmocka_unit_test(snapshots_in_a_file),
		cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
