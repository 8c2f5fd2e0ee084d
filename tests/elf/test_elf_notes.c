/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Notes of an ELF file: the table's, and build-ids. */
#include "src/elf/image.h"

#include <string.h>

#include "src/elf/notes.h"
#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"

static const uint8_t code[16] = {0x90, 0xc3};

static const struct build_section text_only[] = {
	{.name = ".text",
	 .type = SHT_PROGBITS,
	 .flags = SHF_ALLOC | SHF_EXECINSTR,
	 .addr = 0x1000,
	 .data = code,
	 .size = sizeof(code)},
	{0},
};

static struct image open_image(struct bytes file)
{
	struct image image = {0};
	struct bc_error err = {0};

	if (!image_open(file, &image, &err))
		fail_msg("%s", err.text);
	return image;
}

/* A file with one section of notes. */
static struct bytes with_note(const char *section, uint32_t type, const void *data, size_t size)
{
	struct build_section sections[] = {
		{.name = ".text",
		 .type = SHT_PROGBITS,
		 .flags = SHF_ALLOC | SHF_EXECINSTR,
		 .addr = 0x1000,
		 .data = code,
		 .size = sizeof(code)},
		{.name = section, .type = type, .data = data, .size = size},
		{0},
	};

	return build_elf(&(struct build_elf){.sections = sections});
}

static void assert_bat_fails(const void *data, size_t size, uint32_t type, enum bc_code code_,
			     const char *text)
{
	struct bytes file = with_note(".note.bolt_bat", type, data, size), desc;
	struct image image = open_image(file);
	struct bc_error err = {0};

	assert_false(image_bat_note(&image, &desc, &err));
	assert_int_equal(err.code, code_);
	assert_string_equal(err.text, text);
	image_close(&image);
	build_elf_free(&file);
}

static void test_bat_note(void **state)
{
	uint8_t note[64];
	size_t size = build_note(note, "BOLT", 1, "table", 5);
	struct bytes file = with_note(".note.bolt_bat", SHT_NOTE, note, size), desc;
	struct image image = open_image(file);
	struct bc_error err = {0};

	(void)state;
	if (!image_bat_note(&image, &desc, &err))
		fail_msg("%s", err.text);
	assert_int_equal(desc.size, 5);
	assert_memory_equal(desc.data, "table", 5);
	image_close(&image);
	build_elf_free(&file);

	assert_bat_fails(note, size, SHT_PROGBITS, BC_FORMAT,
			 ".note.bolt_bat, byte 144: not a note");
	assert_bat_fails(note, size - 1, SHT_NOTE, BC_FORMAT,
			 ".note.bolt_bat, byte 144: not a note");
	/* Padded to four bytes as llvm-bolt does, and then more. */
	memset(note + size, 0, sizeof(note) - size);
	assert_bat_fails(note, size + 3 + 4, SHT_NOTE, BC_FORMAT,
			 ".note.bolt_bat, byte 172: 4 bytes after the note");
	assert_bat_fails(note, 0, SHT_NOTE, BC_FORMAT, ".note.bolt_bat, byte 144: not a note");
	size = build_note(note, "GNU", 1, "table", 5);
	assert_bat_fails(note, size, SHT_NOTE, BC_FORMAT,
			 ".note.bolt_bat, byte 144: a note of owner 'GNU' and type 1, not of "
			 "'BOLT' and 1");
	size = build_note(note, "BOLT", 4, "table", 5);
	assert_bat_fails(note, size, SHT_NOTE, BC_FORMAT,
			 ".note.bolt_bat, byte 144: a note of owner 'BOLT' and type 4, not of "
			 "'BOLT' and 1");
}

static void test_bat_absent_or_twice(void **state)
{
	uint8_t note[64];
	size_t size = build_note(note, "BOLT", 1, "table", 5);
	struct build_section sections[] = {
		{.name = ".note.bolt_bat", .type = SHT_NOTE, .data = note, .size = size},
		{.name = ".note.bolt_bat", .type = SHT_NOTE, .data = note, .size = size},
		{0},
	};
	struct bytes file = build_elf(&(struct build_elf){.sections = sections}), desc;
	struct image image = open_image(file);
	struct bc_error err = {0};

	(void)state;
	assert_false(image_bat_note(&image, &desc, &err));
	assert_int_equal(err.code, BC_FORMAT);
	assert_string_equal(err.text, ".note.bolt_bat, byte 96: a second section of this name");
	image_close(&image);
	build_elf_free(&file);

	file = build_elf(&(struct build_elf){.sections = text_only});
	image = open_image(file);
	assert_false(image_bat_note(&image, &desc, &err));
	assert_int_equal(err.code, BC_NOTFOUND);
	image_close(&image);
	build_elf_free(&file);
}

static void test_build_id(void **state)
{
	static const uint8_t id[20] = {0x0b, 0x44, 0x3b};
	uint8_t notes[128];
	size_t size = build_note(notes, "GNU", 1, "abi!", 4); /* another note before it */
	char text[2 * BUILD_ID_MAX + 1];

	(void)state;
	size += build_note(notes + size, "GNU", NT_GNU_BUILD_ID, id, sizeof(id));
	struct bytes file = with_note(".note.gnu.build-id", SHT_NOTE, notes, size);
	struct image image = open_image(file);
	build_id_format(&image.build_id, text);
	assert_string_equal(text, "0b443b0000000000000000000000000000000000");
	image_close(&image);
	build_elf_free(&file);

	/* Without sections that show: from the segment. */
	struct build_section sections[] = {
		{.name = ".other", .type = SHT_PROGBITS, .data = notes, .size = size}, {0}};
	struct build_segment segments[] = {{PT_NOTE, PF_R, 0, 0, size, size, 4}, {0}};
	file = build_elf(&(struct build_elf){.sections = sections, .segments = segments});
	segments[0].offset = build_elf_offset(file, ".other");
	build_elf_free(&file);
	file = build_elf(&(struct build_elf){.sections = sections, .segments = segments});
	image = open_image(file);
	assert_int_equal(image.build_id.size, 20);
	assert_memory_equal(image.build_id.data, id, 20);
	image_close(&image);
	build_elf_free(&file);
}

static void test_note_alignment(void **state)
{
	/* Owner of 4 bytes: the descriptor is at 16 either way; the next note is
	 * at 16 + 4 = 20, or with an alignment of 8 at 24. */
	uint8_t notes[64] = {0};
	struct note note;

	(void)state;
	build_note(notes, "GNU", 5, "abcd", 4);
	build_note(notes + 24, "X", 6, "", 0);
	struct bytes rest = {notes, 40};
	assert_true(note_next(&rest, 8, &note));
	assert_int_equal(note.desc.size, 4);
	assert_true(note_next(&rest, 8, &note));
	assert_int_equal(note.type, 6);
	assert_true(text_is(note.owner, "X"));
	assert_false(note_next(&rest, 8, &note));
}

static struct build_id parse(const char *hex)
{
	struct build_id id = {0};

	assert_true(build_id_parse(text_of(hex), &id));
	return id;
}

static void test_build_id_text(void **state)
{
	struct build_id id = parse("00fFa5");
	char text[2 * BUILD_ID_MAX + 1];

	(void)state;
	assert_int_equal(id.size, 3);
	build_id_format(&id, text);
	assert_string_equal(text, "00ffa5");
	assert_false(build_id_parse(text_of(""), &id));
	assert_false(build_id_parse(text_of("abc"), &id));
	assert_false(build_id_parse(text_of("0x12"), &id));
	assert_false(build_id_parse(text_of("zz"), &id));
	char longest[2 * BUILD_ID_MAX + 3];
	memset(longest, 'a', sizeof(longest));
	assert_true(build_id_parse((struct text){longest, 2 * BUILD_ID_MAX}, &id));
	assert_false(build_id_parse((struct text){longest, sizeof(longest) - 1}, &id));
}

static void test_build_id_equal(void **state)
{
	static const char full[] = "0123456789abcdef0123456789abcdef01234567";
	static const struct {
		const char *a, *b;
		bool equal;
	} cases[] = {
		{full, full, true},
		{full, "0123456789abcdef0123456789abcdef01234566", false},
		{"0123456789abcdef", "0123456789abcdef000000000000000000000000", true}, /* padded */
		{"0123456789abcdef", "0123456789abcdef000000000000000000000001", false},
		{full, "0123456789abcdef0123456789abcdef0123456789abcdef", true}, /* cut */
		{"0123", "012300", false}, /* neither has perf's size */
		{"0123", "0124", false},
	};
	struct build_id none = {0}, a = parse(full);

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		struct build_id x = parse(cases[i].a), y = parse(cases[i].b);
		assert_int_equal(build_id_equal(&x, &y), cases[i].equal);
		assert_int_equal(build_id_equal(&y, &x), cases[i].equal);
	}
	assert_false(build_id_equal(&none, &a));
	assert_false(build_id_equal(&none, &none));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bat_note),      cmocka_unit_test(test_bat_absent_or_twice),
		cmocka_unit_test(test_build_id),      cmocka_unit_test(test_note_alignment),
		cmocka_unit_test(test_build_id_text), cmocka_unit_test(test_build_id_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
