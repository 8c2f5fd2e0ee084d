/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/eh_frame.h"
#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"

#define EH_FRAME 0x4000

static struct bytes with_frames(const uint8_t *frames, size_t size)
{
	const struct build_section sections[] = {
		{.name = ".eh_frame",
		 .type = SHT_PROGBITS,
		 .flags = SHF_ALLOC,
		 .addr = EH_FRAME,
		 .data = frames,
		 .size = size},
		{0},
	};

	return build_elf(&(struct build_elf){.sections = sections});
}

/* Read the section; `text` is the error, NULL for none. */
static struct code_ranges ranges_of(const uint8_t *frames, size_t size, const char *text)
{
	struct bytes file = with_frames(frames, size);
	struct image image;
	struct code_ranges ranges = {0};
	struct bc_error err = {0};

	assert_true(image_open(file, &image, &err));
	bool done = eh_frame_ranges(&image, &ranges, &err);
	image_close(&image);
	build_elf_free(&file);
	if (!text && !done)
		fail_msg("%s", err.text);
	if (text) {
		assert_false(done);
		assert_int_equal(err.code, BC_FORMAT);
		assert_string_equal(err.text, text);
	}
	return ranges;
}

/* A CIE of 16 bytes with the augmentation zR, and an FDE of 24 after it. */
#define CIE(encoding) 13, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, (encoding)
#define CIE_SIZE      17

struct encoding_case {
	uint8_t encoding;
	uint8_t size; /* of each of the two fields */
	uint8_t start[8], length[8];
	uint64_t want_start, want_length;
};

static void test_encodings(void **state)
{
	const uint64_t field = EH_FRAME + CIE_SIZE + 8;
	const struct encoding_case cases[] = {
		{0x1b, 4, {0xf0, 0xff, 0xff, 0xff}, {0x20}, field - 16, 0x20},   /* pcrel sdata4 */
		{0x03, 4, {0, 0x10, 0, 0xf0}, {0x20}, 0xf0001000, 0x20},         /* udata4 */
		{0x0b, 4, {0, 0, 0, 0x80}, {1}, 0xffffffff80000000, 1},          /* sdata4 */
		{0x02, 2, {0x34, 0x82}, {3}, 0x8234, 3},                         /* udata2 */
		{0x0a, 2, {0x34, 0x82}, {3}, 0xffffffffffff8234, 3},             /* sdata2 */
		{0x04, 8, {8, 7, 6, 5, 4, 3, 2, 1}, {9}, 0x0102030405060708, 9}, /* udata8 */
		{0x1c, 8, {1}, {9}, field + 1, 9},                               /* pcrel sdata8 */
		{0x00, 8, {1, 2}, {9, 1}, 0x201, 0x109},                         /* absptr */
		{0x01, 2, {0x81, 0x01}, {0x82, 0x02}, 0x81, 0x102},              /* uleb128 */
		{0x09, 2, {0xff, 0x7f}, {0x05, 0}, UINT64_MAX, 5},               /* sleb128 */
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		const struct encoding_case *c = &cases[i];
		uint8_t frames[64] = {CIE(c->encoding)};
		uint8_t *fde = frames + CIE_SIZE;
		fde[0] = (uint8_t)(4 + 2 * c->size);
		fde[4] = CIE_SIZE + 4; /* back to the CIE */
		memcpy(fde + 8, c->start, c->size);
		memcpy(fde + 8 + c->size, c->length, c->size);
		struct code_ranges r = ranges_of(frames, CIE_SIZE + 8 + 2 * (size_t)c->size, NULL);
		assert_int_equal(r.count, 1);
		assert_int_equal(r.at[0].address, c->want_start);
		assert_int_equal(r.at[0].size, c->want_length);
		code_ranges_free(&r);
	}
}

/* Several CIEs: one without augmentation, one with all letters. */
static void test_augmentations(void **state)
{
	/* clang-format off */
	static const uint8_t frames[] = {
		/* 0: version 3, no augmentation: absolute addresses of 8 bytes */
		9, 0, 0, 0, 0, 0, 0, 0, 3, 0, 1, 0x78, 16,
		/* 13 */
		20, 0, 0, 0, 17, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0,
		/* 37: zPLRSBG; personality udata4, LSDA udata4, FDE udata4 */
		26, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'P', 'L', 'R', 'S', 'B', 'G', 0, 1, 0x78, 16, 7,
		3, 1, 2, 3, 4, 3, 3, 0, 0,
		/* 67 */
		12, 0, 0, 0, 34, 0, 0, 0, 0, 0x10, 0, 0, 7, 0, 0, 0,
		/* 83: an extended length */
		0xff, 0xff, 0xff, 0xff, 12, 0, 0, 0, 0, 0, 0, 0, 58, 0, 0, 0, 0, 0x30, 0, 0, 8, 0,
		0, 0,
		/* 107: the end; what follows does not count */
		0, 0, 0, 0, 0xff, 0xff,
	};
	/* clang-format on */
	static const struct code_range want[] = {{0x1000, 7}, {0x2000, 5}, {0x3000, 8}};
	struct code_ranges r = ranges_of(frames, sizeof(frames), NULL);

	(void)state;
	assert_int_equal(r.count, BC_COUNT(want));
	for (size_t i = 0; i < r.count; i++) {
		assert_int_equal(r.at[i].address, want[i].address);
		assert_int_equal(r.at[i].size, want[i].size);
	}
	code_ranges_free(&r);
}

static void test_damage(void **state)
{
	static const struct {
		uint8_t size, bytes[48];
		const char *text;
	} cases[] = {
		{2, {1, 0}, ".eh_frame, byte 0 of the section: the entry ends too early"},
		{4, {1, 0, 0, 0}, ".eh_frame, byte 4 of the section: the entry ends too early"},
		{8,
		 {0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0},
		 ".eh_frame, byte 4 of the section: the entry ends too early"},
		{8,
		 {4, 0, 0, 0, 9, 0, 0, 0},
		 ".eh_frame, byte 8 of the section: an FDE without a CIE"},
		{8,
		 {4, 0, 0, 0, 4, 0, 0, 0},
		 ".eh_frame, byte 8 of the section: an FDE without a CIE"},
		{CIE_SIZE + 8,
		 {CIE(0x1b), 4, 0, 0, 0, CIE_SIZE + 4, 0, 0, 0},
		 ".eh_frame, byte 25 of the section: the entry ends too early"},
		{CIE_SIZE + 16,
		 {CIE(0x05), 12, 0, 0, 0, CIE_SIZE + 4, 0, 0, 0},
		 ".eh_frame, byte 25 of the section: unknown pointer format"},
		{CIE_SIZE + 16,
		 {CIE(0x3b), 12, 0, 0, 0, CIE_SIZE + 4, 0, 0, 0},
		 ".eh_frame, byte 29 of the section: a code address that is neither absolute nor "
		 "relative to itself"},
		{CIE_SIZE + 16,
		 {CIE(0x9b), 12, 0, 0, 0, CIE_SIZE + 4, 0, 0, 0},
		 ".eh_frame, byte 29 of the section: a code address that is neither absolute nor "
		 "relative to itself"},
		{29,
		 {9, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0x78, 16, 12, 0, 0, 0, 17},
		 ".eh_frame, byte 21 of the section: unknown version of a CIE"},
		{31,
		 {11, 0, 0, 0, 0, 0, 0, 0, 1, 'e', 'h', 0, 1, 0x78, 16, 12, 0, 0, 0, 19},
		 ".eh_frame, byte 23 of the section: unknown augmentation of a CIE"},
		{32,
		 {12, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'Q', 0, 1, 0x78, 16, 0, 12, 0, 0, 0, 20},
		 ".eh_frame, byte 24 of the section: unknown augmentation of a CIE"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++)
		ranges_of(cases[i].bytes, cases[i].size, cases[i].text);
}

/* A CIE is read again for each FDE after one of another CIE: it must not be long. */
static void test_long_augmentation(void **state)
{
	enum { LONG = 1000, SIZE = 4 + LONG + 24 };
	uint8_t frames[SIZE] = {(LONG & 0xff), LONG >> 8, 0, 0, 0, 0, 0, 0, 1, 'z'};
	uint8_t *fde = frames + 4 + LONG;

	(void)state;
	memset(frames + 10, 'S', LONG - 16);
	fde[0] = 20;
	fde[4] = (4 + LONG + 4) & 0xff;
	fde[5] = (4 + LONG + 4) >> 8;
	ranges_of(frames, SIZE, ".eh_frame, byte 1012 of the section: the entry ends too early");
}

static void test_none(void **state)
{
	struct code_ranges r = ranges_of(NULL, 0, NULL);

	(void)state;
	assert_int_equal(r.count, 0);
	code_ranges_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_augmentations),
		cmocka_unit_test(test_long_augmentation),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
