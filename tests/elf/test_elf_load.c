/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Numbers are worked out by hand from the formulas of src/elf/load.h. */
#include "src/elf/load.h"

#include <stdio.h>
#include <string.h>

#include "src/elf/notes.h"
#include "src/elf/rewrite.h"
#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"

/* The two worked examples of the document on addresses (docs/addresses.md). */
static void worked_example_of_a_pie(void **state)
{
	struct segment segment = {0xbd5fd4, 0xbd4fd4, 0x2f41d78, 0x2f41d78, 0x1000, true};
	struct image image = {
		.position_independent = true, .segments = &segment, .segment_count = 1};
	struct load_mapping mapping = {
		{0x55a1c0bd5000}, 0x55a1c3f17000 - 0x55a1c0bd5000, {0xbd4000}, true};
	uint64_t bases[LOAD_BASES], lowest = 1;
	struct file_off offset;

	(void)state;
	/* The document's mapping is longer than the segment (0x3342000 bytes), as if
	 * another one followed it in the same region. */
	assert_true(load_base_lowest(&image, &mapping, true, &lowest));
	assert_int_equal(lowest, 0x55a1c0000000);
	mapping.size = 0x2f42000;
	assert_int_equal(load_bases(&image, &mapping, bases), 1);
	assert_int_equal(bases[0], 0x55a1c0000000);
	struct vaddr at = {0x55a1c0bd6500 - bases[0]};
	assert_int_equal(at.v, 0xbd6500);
	assert_true(image_to_offset(&image, at, &offset));
	assert_int_equal(offset.v, 0xbd5500); /* the document prints 0xbd5000 */
}

static void worked_example_of_a_static_binary(void **state)
{
	struct segment segment = {0x401000, 0x1000, 0x2000, 0x2000, 0x1000, true};
	struct image image = {.segments = &segment, .segment_count = 1};
	struct load_mapping mapping = {{0x401000}, 0x2000, {0x1000}, true};
	uint64_t bases[LOAD_BASES] = {1}, lowest = 1;
	struct file_off offset;

	(void)state;
	assert_int_equal(load_bases(&image, &mapping, bases), 1);
	assert_int_equal(bases[0], 0);
	assert_true(load_base_lowest(&image, &mapping, false, &lowest));
	assert_int_equal(lowest, 0);
	assert_true(image_to_offset(&image, (struct vaddr){0x401500}, &offset));
	assert_int_equal(offset.v, 0x1500);
}

/* As lld lays out: each segment begins in the file page where the one before ends,
 * and a page further on in memory. */
static struct segment lld[] = {
	{0x0, 0x0, 0x9a4, 0x9a4, 0x1000, false},
	{0x19b0, 0x9b0, 0x1320, 0x1320, 0x1000, true},
	{0x3cd0, 0x1cd0, 0x1a8, 0x330, 0x1000, false},
	{0x200000, 0x200000, 0x42000, 0x41800, 0x200000, true}, /* BOLT's */
};
static const struct image lld_image = {
	.position_independent = true, .segments = lld, .segment_count = 4};
#define BASE UINT64_C(0x7f0000003000) /* no multiple of 2 MiB */

static const struct {
	uint64_t vaddr, size, offset;
	bool executable;
	size_t count;
} parts[] = {
	{0x0, 0x1000, 0x0, false, 1},
	{0x1000, 0x2000, 0x0, true, 1},
	{0x3000, 0x1000, 0x1000, false, 1},
	{0x2000, 0x1000, 0x1000, true, 1}, /* split by mprotect */
	{0x200000, 0x42000, 0x200000, true, 1},
	{0x240000, 0x2000, 0x240000, true, 1},
	{0x200000, 0x43000, 0x200000, true, 1}, /* all of it and more */
	{0x100000, 0x1000, 0x100000, true, 0},  /* between the segments */
	{0x0, 0x1000, UINT64_MAX - 0xfff, true, 0},
	{0x0, 0, 0x0, false, 0},
};

static void every_mapping_leads_to_the_same_base(void **state)
{
	uint64_t bases[LOAD_BASES];

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct load_mapping m = {{BASE + parts[i].vaddr},
					 parts[i].size,
					 {parts[i].offset},
					 parts[i].executable};
		if (load_bases(&lld_image, &m, bases) != parts[i].count)
			fail_msg("part %zu", i);
		if (parts[i].count)
			assert_int_equal(bases[0], BASE);
	}
}

/* A segment that ends with a page: what is mapped from within it ends there, too. */
static void a_mapping_ends_with_the_last_page(void **state)
{
	struct segment segment = {0x1000, 0x1000, 0x2000, 0x2000, 0x1000, true};
	struct image image = {
		.position_independent = true, .segments = &segment, .segment_count = 1};
	struct load_mapping m = {{BASE + 0x2000}, 0x1000, {0x2000}, true};
	uint64_t bases[LOAD_BASES];

	(void)state;
	assert_int_equal(load_bases(&image, &m, bases), 1);
	assert_int_equal(bases[0], BASE);
	m.size = 0x2000;
	assert_int_equal(load_bases(&image, &m, bases), 0);
	segment.filesz = segment.memsz = 0x2001; /* a byte of the next page */
	assert_int_equal(load_bases(&image, &m, bases), 1);
	m.size = 0x3000;
	assert_int_equal(load_bases(&image, &m, bases), 0);
	/* In front of it likewise. */
	m = (struct load_mapping){{BASE}, 0x2000, {0}, true};
	assert_int_equal(load_bases(&image, &m, bases), 0);
	segment.vaddr--;
	segment.offset--;
	assert_int_equal(load_bases(&image, &m, bases), 1);
}

/* Rounding down to p_align, 2 MiB for one segment, would give another base. */
static void the_lowest_segments_lead_to_the_same_base(void **state)
{
	struct load_mapping first = {{BASE}, 0x1000, {0}, false},
			    text = {{BASE + 0x1000}, 0x2000, {0}, true};
	uint64_t base;

	(void)state;
	assert_true(load_base_lowest(&lld_image, &first, false, &base));
	assert_int_equal(base, BASE);
	assert_true(load_base_lowest(&lld_image, &text, true, &base));
	assert_int_equal(base, BASE);
	/* Text begins in the page where the lowest segment begins, which is none of code. */
	assert_false(load_base_lowest(&lld_image, &text, false, &base));
	assert_false(load_base_lowest(&lld_image, &first, true, &base));
	text.offset.v = 0x1000; /* the first page of the text is not mapped */
	assert_false(load_base_lowest(&lld_image, &text, true, &base));
}

static void static_images_have_no_other_base(void **state)
{
	struct segment segment = {0x100400000, 0x0, 0x1000, 0x1000, 0x1000, true}; /* above 4 GiB */
	struct image image = {.segments = &segment, .segment_count = 1};
	uint64_t bases[LOAD_BASES];
	struct load_mapping m = {{0x100400000}, 0x1000, {0}, true};

	(void)state;
	assert_int_equal(load_bases(&image, &m, bases), 1);
	assert_int_equal(bases[0], 0);
	m.start.v += 0x1000;
	assert_int_equal(load_bases(&image, &m, bases), 0);
}

static void alignment(void **state)
{
	static const struct {
		uint64_t vaddr, offset, align;
		enum alignment moving, fixed; /* of type DYN and EXEC */
	} rows[] = {
		{0xbd5fd4, 0xbd4fd4, 0x1000, ALIGNED, ALIGNED},
		{0x401000, 0x1000, 0x1000, ALIGNED, ALIGNED},
		{0x401000, 0x2000, 0x200000, NOT_ALIGNED, ALIGNED_BY_PAGES},
		{0x210000, 0x200000, 0x200000, NOT_ALIGNED, ALIGNED_BY_PAGES},
		{0x210010, 0x200000, 0x200000, NOT_ALIGNED, NOT_ALIGNED},
		{0x3cd0, 0x1cd0, 0x10000, NOT_ALIGNED, ALIGNED_BY_PAGES},
		{0x1010, 0x1008, 16, NOT_ALIGNED, NOT_ALIGNED}, /* less than a page */
		{5, 9, 0, ALIGNED, ALIGNED},
		{5, 9, 1, ALIGNED, ALIGNED},
		{6, 12, 6, NOT_ALIGNED, NOT_ALIGNED},
	};
	const struct image moving = {.position_independent = true}, fixed = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct segment s = {
			.vaddr = rows[i].vaddr, .offset = rows[i].offset, .align = rows[i].align};
		if (segment_alignment(&moving, &s) != rows[i].moving ||
		    segment_alignment(&fixed, &s) != rows[i].fixed)
			fail_msg("row %zu", i);
	}
}

static void go_build_id_of_notes(void **state)
{
	static const char id[] = "abc/def/ghi/jkl";
	uint8_t notes[128];
	size_t size = build_note(notes, "GNU", 3, "\1\2\3\4", 4);

	(void)state;
	assert_int_equal(notes_go_build_id((struct bytes){notes, size}, 4).len, 0);
	size += build_note(notes + size, "Go", 4, id, sizeof(id) - 1);
	struct text found = notes_go_build_id((struct bytes){notes, size}, 4);
	assert_true(text_is(found, id));
}

/* .note.go.buildid of Debian 12's /usr/sbin/gosu, whose section and segment have the last byte,
 * too, and of fzf, which has a GNU build-id as well. */
static const char gosu_id[] =
	"7rJDveY73PfWMkY6X8qv/lx4aaLPlZACNaQL8lUix/Y9OB3agUbwlQyE8rG77W/Cewoyo6oj4D-GMJN_Uqn";
static const uint8_t go_head[] = {4, 0, 0, 0, 0x53, 0, 0, 0, 4, 0, 0, 0, 'G', 'o', 0, 0};

static size_t real_go_note(uint8_t *out)
{
	memcpy(out, go_head, sizeof(go_head));
	memcpy(out + sizeof(go_head), gosu_id, sizeof(gosu_id)); /* with the NUL after it */
	return sizeof(go_head) + sizeof(gosu_id);
}

static void go_build_id_of_a_real_program(void **state)
{
	uint8_t notes[256];
	size_t size = real_go_note(notes);

	(void)state;
	assert_int_equal(size, 0x64); /* readelf -SW */
	for (uint64_t align = 0; align <= 8; align += 4) {
		struct text found = notes_go_build_id((struct bytes){notes, size}, align);
		assert_true(text_is(found, gosu_id));
		/* The padding after the last descriptor can be missing; the descriptor cannot. */
		assert_true(text_is(notes_go_build_id((struct bytes){notes, size - 1}, align),
				    gosu_id));
		assert_int_equal(notes_go_build_id((struct bytes){notes, size - 2}, align).len, 0);
	}
	notes[12 + 2] = 'x'; /* another owner */
	assert_int_equal(notes_go_build_id((struct bytes){notes, size}, 4).len, 0);
}

/* An owner's name of 3 to 9 bytes, after a note that is padded to 8 bytes where the table says so.
 */
static void go_build_id_with_every_padding(void **state)
{
	static const char id[] = "abc/def";

	(void)state;
	for (uint64_t align = 4; align <= 8; align += 4)
		for (uint32_t owner = 3; owner < 10; owner++) {
			uint8_t notes[128] = {0};
			uint32_t head[] = {owner, sizeof(id) - 1, 4};
			build_note(notes, "GNU", 5, "abcd", 4);
			size_t at = align == 8 ? 24 : 20,
			       desc = (at + 12 + owner + align - 1) / align * align;
			memcpy(notes + at, head, sizeof(head));
			memcpy(notes + at + sizeof(head), "Go", 2);
			memcpy(notes + desc, id, sizeof(id));
			struct bytes all = {notes, desc + sizeof(id) - 1};
			if (!text_is(notes_go_build_id(all, align), id))
				fail_msg("owner of %u bytes, alignment %u", owner, (unsigned)align);
		}
}

static void go_build_id_of_an_image(void **state)
{
	static const uint8_t gnu[20] = {0x5e, 0x5f};
	uint8_t go[128], both[256];
	size_t size = real_go_note(go), gnu_size = build_note(both, "GNU", 3, gnu, sizeof(gnu));
	struct build_section sections[] = {
		{.name = ".note.gnu.build-id", .type = SHT_NOTE, .data = both, .size = gnu_size},
		{.name = ".note.go.buildid", .type = SHT_NOTE, .data = go, .size = size},
		{0}};
	struct bytes file = build_elf(&(struct build_elf){.sections = sections});
	struct bc_error err = {0};
	struct image image;

	(void)state;
	assert_true(image_open(file, &image, &err));
	assert_true(text_is(image.go_build_id, gosu_id));
	assert_int_equal(image.build_id.size, 20);
	image_close(&image);
	build_elf_free(&file);

	/* No note section: the segment shows. */
	sections[1].type = SHT_PROGBITS;
	struct build_segment segments[] = {{PT_NOTE, PF_R, 0, 0, size, size, 4}, {0}};
	for (int i = 0; i < 2; i++) {
		file = build_elf(&(struct build_elf){.sections = sections, .segments = segments});
		segments[0].offset = build_elf_offset(file, ".note.go.buildid");
		if (!i)
			build_elf_free(&file);
	}
	assert_true(image_open(file, &image, &err));
	assert_true(text_is(image.go_build_id, gosu_id));
	image_close(&image);
	build_elf_free(&file);
}

/* AArch64's pages have 4, 16 or 64 KiB: as many as what is mapped allows. */
static void load_of_large_pages(void **state)
{
	struct segment segment = {0x13000, 0x3000, 0x9000, 0x9000, 0x10000, true};
	struct image image = {.machine = MACHINE_AARCH64,
			      .position_independent = true,
			      .segments = &segment,
			      .segment_count = 1};
	struct load_mapping m = {{0x7f0000010000}, 0x10000, {0}, true};
	uint64_t bases[LOAD_BASES], lowest;

	(void)state;
	assert_int_equal(load_bases(&image, &m, bases), 1);
	assert_int_equal(bases[0], 0x7f0000000000);
	assert_true(load_base_lowest(&image, &m, true, &lowest));
	assert_int_equal(lowest, 0x7f0000000000);
	m = (struct load_mapping){{0x7f0000013000}, 0x9000, {0x3000}, true};
	assert_true(load_base_lowest(&image, &m, true, &lowest)); /* in pages of 4 KiB */
	assert_int_equal(lowest, 0x7f0000000000);
	segment.executable = false;
	assert_false(load_base_lowest(&image, &m, true, &lowest));
	image.segment_count = 0;
	assert_false(load_base_lowest(&image, &m, false, &lowest));
	assert_int_equal(load_bases(&image, &m, bases), 0);
}

/* A section that is loaded keeps its address; one after all segments can move. */
static void replacing_sections(void **state)
{
	static const struct build_section sections[] = {
		{.name = ".text",
		 .type = SHT_PROGBITS,
		 .flags = SHF_ALLOC | SHF_EXECINSTR,
		 .addr = 0x1000,
		 .size = 16},
		{.name = ".data", .type = SHT_PROGBITS, .size = 16},
		{0},
	};
	struct bytes file = build_elf(&(struct build_elf){.sections = sections});
	const struct section *section;
	struct replacement plan;
	struct image image;
	struct bc_error err = {0};
	Elf64_Phdr header;

	(void)state;
	assert_true(image_open(file, &image, &err));
	assert_true(image_program_header(&image, 0, &header));
	assert_int_equal(header.p_vaddr, 0x1000);
	assert_false(image_program_header(&image, 1, &header));
	section = image_section(&image, ".text");
	assert_false(replacement_plan(&image, section, 8, &plan, &err));
	assert_int_equal(err.code, BC_UNSUPPORTED);
	char told[128];
	snprintf(told, sizeof(told), "section .text, byte %llu: it is loaded into memory",
		 (unsigned long long)section->offset);
	assert_string_equal(err.text, told);
	section = image_section(&image, ".data");
	assert_true(replacement_plan(&image, section, 16, &plan, &err));
	assert_int_equal(plan.at, section->offset);
	assert_int_equal(plan.file_size, file.size);
	assert_true(replacement_plan(&image, section, 17, &plan, &err));
	assert_int_equal(plan.at % 16, 0);
	assert_in_range(plan.at, file.size, file.size + 15);
	assert_int_equal(plan.file_size, plan.at + 17);
	/* Not marked as loaded, but inside a segment all the same. */
	image.segments[0].offset = section->offset + 15;
	assert_false(replacement_plan(&image, section, 8, &plan, &err));
	assert_non_null(strstr(err.text, "section .data"));
	image_close(&image);
	build_elf_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(worked_example_of_a_pie),
		cmocka_unit_test(worked_example_of_a_static_binary),
		cmocka_unit_test(every_mapping_leads_to_the_same_base),
		cmocka_unit_test(a_mapping_ends_with_the_last_page),
		cmocka_unit_test(the_lowest_segments_lead_to_the_same_base),
		cmocka_unit_test(static_images_have_no_other_base),
		cmocka_unit_test(alignment),
		cmocka_unit_test(go_build_id_of_notes),
		cmocka_unit_test(go_build_id_of_a_real_program),
		cmocka_unit_test(go_build_id_with_every_padding),
		cmocka_unit_test(go_build_id_of_an_image),
		cmocka_unit_test(load_of_large_pages),
		cmocka_unit_test(replacing_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
