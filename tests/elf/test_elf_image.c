/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/elf/image.h"

#include <stdio.h>
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

static void assert_fails(struct bytes file, enum bc_code code_, const char *text)
{
	struct image image = {0};
	struct bc_error err = {0};

	assert_false(image_open(file, &image, &err));
	assert_int_equal(err.code, code_);
	assert_string_equal(err.text, text);
	image_close(&image);
}

static struct image open_image(struct bytes file)
{
	struct image image = {0};
	struct bc_error err = {0};

	if (!image_open(file, &image, &err))
		fail_msg("%s", err.text);
	return image;
}

static void test_opens(void **state)
{
	struct bytes file = build_elf(&(struct build_elf){.sections = text_only});
	struct image image = open_image(file);

	(void)state;
	assert_int_equal(image.machine, MACHINE_X86_64);
	assert_true(image.position_independent);
	assert_int_equal(image.segment_count, 1);
	assert_true(image.segments[0].executable);
	assert_int_equal(image.section_count, 2);
	const struct section *text = image_section(&image, ".text");
	assert_non_null(text);
	assert_int_equal(text->index, 1);
	assert_memory_equal(image_section_bytes(&image, text).data, code, sizeof(code));
	assert_null(image_section(&image, ".tex"));
	assert_ptr_equal(image_section_at(&image, (struct vaddr){0x100f}), text);
	assert_null(image_section_at(&image, (struct vaddr){0x1010}));
	assert_ptr_equal(image_section_of_index(&image, 1), text);
	assert_null(image_section_of_index(&image, 0));
	assert_null(image_section_of_index(&image, 3));
	assert_int_equal(image.build_id.size, 0);
	image_close(&image);
	build_elf_free(&file);
}

/* A section that is not loaded has no address, whatever its header says; nor has .bss in a thread's
 * template. */
static void test_sections_without_addresses(void **state)
{
	static const struct build_section sections[] = {
		{.name = ".comment", .type = SHT_PROGBITS, .data = code, .size = sizeof(code)},
		{.name = ".tbss",
		 .type = SHT_NOBITS,
		 .flags = SHF_ALLOC | SHF_WRITE | SHF_TLS,
		 .addr = 0x1010,
		 .size = 32},
		{.name = ".text",
		 .type = SHT_PROGBITS,
		 .flags = SHF_ALLOC | SHF_EXECINSTR,
		 .addr = 0x1000,
		 .data = code,
		 .size = sizeof(code)},
		{0},
	};
	static const struct build_segment segments[] = {{PT_LOAD, PF_R | PF_X, 0, 0, 64, 64, 1},
							{0}};
	struct bytes file =
		build_elf(&(struct build_elf){.sections = sections, .segments = segments});
	struct image image = open_image(file);

	(void)state;
	assert_null(image_section_at(&image, (struct vaddr){0}));
	assert_null(image_section_at(&image, (struct vaddr){8}));
	assert_null(image_section_at(&image, (struct vaddr){0x1018}));
	assert_non_null(image_section_at(&image, (struct vaddr){0x1008}));
	image_close(&image);
	build_elf_free(&file);
}

struct patch {
	size_t byte;
	uint8_t value;
	enum bc_code code;
	const char *text;
};

/* One byte of the header changed. */
static void test_headers(void **state)
{
	static const struct patch patches[] = {
		{0, 'X', BC_FORMAT, "ELF header, byte 0: not an ELF file"},
		{EI_CLASS, ELFCLASS32, BC_UNSUPPORTED, "a 32-bit ELF file"},
		{EI_CLASS, 9, BC_FORMAT, "ELF header, byte 4: class 9 is not defined"},
		{EI_DATA, ELFDATA2MSB, BC_UNSUPPORTED, "a big-endian ELF file"},
		{EI_DATA, 0, BC_FORMAT, "ELF header, byte 5: byte order 0 is not defined"},
		{16, ET_REL, BC_UNSUPPORTED,
		 "a relocatable object file: its addresses are known when it is linked"},
		{16, ET_CORE, BC_UNSUPPORTED, "a core file"},
		{16, 77, BC_UNSUPPORTED, "neither an executable nor a shared library"},
		{18, EM_S390, BC_UNSUPPORTED,
		 "for a machine (number 22) that is none of x86-64, AArch64, RISC-V"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(patches); i++) {
		struct bytes file = build_elf(&(struct build_elf){.sections = text_only});
		((uint8_t *)(uintptr_t)file.data)[patches[i].byte] = patches[i].value;
		assert_fails(file, patches[i].code, patches[i].text);
		build_elf_free(&file);
	}
	assert_fails((struct bytes){NULL, 0}, BC_FORMAT, "ELF header, byte 0: not an ELF file");
	assert_fails((struct bytes){(const uint8_t *)ELFMAG, 4}, BC_FORMAT,
		     "ELF header, byte 4: the file ends in it");
}

static void test_machines(void **state)
{
	static const struct {
		uint16_t number;
		enum machine machine;
	} machines[] = {{EM_X86_64, MACHINE_X86_64},
			{EM_AARCH64, MACHINE_AARCH64},
			{EM_RISCV, MACHINE_RISCV64}};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(machines); i++) {
		struct bytes file = build_elf(&(struct build_elf){
			.type = ET_EXEC, .machine = machines[i].number, .sections = text_only});
		struct image image = open_image(file);
		assert_int_equal(image.machine, machines[i].machine);
		assert_false(image.position_independent);
		image_close(&image);
		build_elf_free(&file);
	}
}

static void test_bad_segments(void **state)
{
	static const struct {
		struct build_segment segment;
		const char *text;
	} bad[] = {
		{{PT_LOAD, PF_R, 0, 0, 1u << 20, 1u << 20, 1},
		 "program header 0, byte 0: the segment reaches beyond the end of the file"},
		{{PT_LOAD, PF_R, UINT64_MAX, 0, 2, 2, 1},
		 "program header 0, byte 18446744073709551615: the segment reaches beyond the end "
		 "of the file"},
		{{PT_LOAD, PF_R, 0, 0, 16, 15, 1},
		 "program header 0, byte 0: the segment is larger in the file than in memory"},
		{{PT_LOAD, PF_R, 0, UINT64_MAX - 14, 16, 16, 1},
		 "program header 0, byte 0: the segment reaches beyond the address space"},
		{{PT_LOAD, PF_R | PF_X, 16, 0x1000, 16, 16, 0x1000},
		 "program header 0, byte 16: the segment has an address and an offset that "
		 "differ modulo its alignment"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(bad); i++) {
		struct build_segment list[] = {bad[i].segment, {0}};
		struct bytes file =
			build_elf(&(struct build_elf){.sections = text_only, .segments = list});
		assert_fails(file, BC_FORMAT, bad[i].text);
		build_elf_free(&file);
	}
	struct build_segment overlap[] = {
		{PT_LOAD, PF_R, 64, 0x1010, 16, 16, 1}, {PT_LOAD, PF_R, 0, 0x1000, 16, 17, 1}, {0}};
	struct bytes file =
		build_elf(&(struct build_elf){.sections = text_only, .segments = overlap});
	assert_fails(file, BC_FORMAT,
		     "program headers, byte 64: the segments at 0x1000 and 0x1010 overlap");
	build_elf_free(&file);
}

static void assert_disagrees(struct bytes file, uint64_t offset, const char *modulo)
{
	struct image image = {0};
	struct bc_error err = {0};
	char text[128];

	snprintf(text, sizeof(text),
		 "program header 0, byte %llu: the segment has an address and an offset that "
		 "differ modulo %s",
		 (unsigned long long)offset, modulo);
	assert_fails(file, BC_FORMAT, text);
	assert_false(image_open(file, &image, &err));
	assert_non_null(bc_error_hint(&err));
	assert_string_equal(bc_error_hint(&err), "llvm-strip 14 and its objcopy damage a BOLTed "
						 "file so: give the file from before");
	image_close(&image);
}

/* Linux asks of a program at fixed addresses for whole pages, ld.so of others for all. */
static void test_page_alignment(void **state)
{
	static const struct {
		uint64_t vaddr, offset, align;
		const char *modulo; /* where they differ; NULL: Linux runs it */
	} rows[] = {
		{0x210000, 0, 0x200000, NULL}, /* llvm-bolt, of a program at 0x10000 */
		{0x211010, 0x10, 0x10000, NULL},
		{0x210010, 0x20, 0x200000, "the page size"},
		{0x210010, 0x20, 0x1000, "its alignment"},
		{0x210010, 0x18, 16, "its alignment"},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct build_segment list[] = {{PT_LOAD, PF_R | PF_X, rows[i].offset, rows[i].vaddr,
						16, 16, rows[i].align},
					       {0}};
		struct build_elf recipe = {
			.type = ET_EXEC, .sections = text_only, .segments = list};
		struct bytes file = build_elf(&recipe);
		if (rows[i].modulo) {
			assert_disagrees(file, rows[i].offset, rows[i].modulo);
		} else {
			struct image image = open_image(file);
			assert_false(image.position_independent);
			image_close(&image);
		}
		build_elf_free(&file);
		recipe.type = ET_DYN;
		file = build_elf(&recipe);
		assert_disagrees(file, rows[i].offset, "its alignment");
		build_elf_free(&file);
	}
}

static void test_bad_section(void **state)
{
	struct bytes file = build_elf(&(struct build_elf){.sections = text_only});
	Elf64_Ehdr header;
	Elf64_Shdr text;
	uint8_t *at;

	(void)state;
	memcpy(&header, file.data, sizeof(header));
	at = (uint8_t *)(uintptr_t)file.data + header.e_shoff + sizeof(text);
	memcpy(&text, at, sizeof(text));
	text.sh_size = file.size;
	memcpy(at, &text, sizeof(text));
	struct image image;
	struct bc_error err = {0};
	assert_false(image_open(file, &image, &err));
	assert_int_equal(err.code, BC_FORMAT);
	assert_string_equal(err.text,
			    "section .text, byte 128: reaches beyond the end of the file");
	build_elf_free(&file);
}

/* For a long name 64 bytes are reported. */
static void test_bad_section_of_a_long_name(void **state)
{
	static const char letters[] =
		".abcdefghijklmnopqrstuvwxyz.abcdefghijklmnopqrstuvwxyz.abcdefghijklmnopqrstuvwxyz";
	char told[128];

	(void)state;
	for (size_t length = 63; length <= 66; length++) {
		char name[sizeof(letters)] = "";
		memcpy(name, letters, length);
		const struct build_section sections[] = {
			{.name = name, .type = SHT_PROGBITS, .data = code, .size = sizeof(code)},
			{0}};
		struct bytes file = build_elf(&(struct build_elf){.sections = sections});
		Elf64_Ehdr header;
		Elf64_Shdr section;
		memcpy(&header, file.data, sizeof(header));
		uint8_t *at = (uint8_t *)(uintptr_t)file.data + header.e_shoff + sizeof(section);
		memcpy(&section, at, sizeof(section));
		section.sh_size = file.size;
		memcpy(at, &section, sizeof(section));
		snprintf(told, sizeof(told),
			 "section %.*s, byte %llu: reaches beyond the end of the file",
			 length < 64 ? (int)length : 64, letters,
			 (unsigned long long)section.sh_offset);
		assert_fails(file, BC_FORMAT, told);
		build_elf_free(&file);
	}
}

/* A table of section names that is not in the file, or reaches beyond it, has no names. */
static void test_no_names(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct bytes file = build_elf(&(struct build_elf){.sections = text_only});
		Elf64_Ehdr header;
		Elf64_Shdr names;
		memcpy(&header, file.data, sizeof(header));
		uint8_t *at = (uint8_t *)(uintptr_t)file.data + header.e_shoff +
			      header.e_shstrndx * sizeof(names);
		memcpy(&names, at, sizeof(names));
		if (i == 0)
			names.sh_type = SHT_NOBITS;
		else if (i == 1)
			names.sh_offset = file.size - names.sh_size + 1;
		else
			names.sh_size = UINT64_MAX;
		memcpy(at, &names, sizeof(names));
		assert_fails(file, BC_FORMAT,
			     "section header 1, byte 1: the name lies outside the table of names");
		build_elf_free(&file);
	}
}

/* The worked examples of docs/addresses.md, scaled down to a small file: what
 * matters are differences. */
static void test_conversions(void **state)
{
	static const struct build_segment segments[] = {
		{PT_LOAD, PF_R, 0, 0, 64, 64, 0x10},
		{PT_LOAD, PF_R | PF_X, 0x54, 0x1054, 0x20, 0x20, 0x10},
		{PT_LOAD, PF_R | PF_W, 0x80, 0x3080, 0x10, 0x40, 0x10}, /* with .bss */
		{0},
	};
	static const struct {
		uint64_t vaddr;
		bool is_mapped;
		uint64_t offset;
	} cases[] = {
		{0, true, 0},       {63, true, 63},       {64, false, 0},
		{0x1053, false, 0}, {0x1054, true, 0x54}, {0x1073, true, 0x73},
		{0x1074, false, 0}, {0x3080, true, 0x80}, {0x308f, true, 0x8f},
		{0x3090, false, 0}, {0x30bf, false, 0},   {UINT64_MAX, false, 0},
	};
	struct bytes file =
		build_elf(&(struct build_elf){.sections = text_only, .segments = segments});
	struct image image = open_image(file);

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		struct vaddr at = {cases[i].vaddr}, back;
		struct file_off offset = {0};
		assert_int_equal(image_to_offset(&image, at, &offset), cases[i].is_mapped);
		assert_int_equal(image_bytes_at(&image, at).size > 0, cases[i].is_mapped);
		if (!cases[i].is_mapped)
			continue;
		assert_int_equal(offset.v, cases[i].offset);
		assert_true(image_to_vaddr(&image, offset, &back));
		assert_int_equal(back.v, at.v);
		assert_ptr_equal(image_bytes_at(&image, at).data, file.data + offset.v);
	}
	assert_false(image_to_vaddr(&image, (struct file_off){64}, &(struct vaddr){0}));
	image_close(&image);
	build_elf_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_opens),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_machines),
		cmocka_unit_test(test_bad_segments),
		cmocka_unit_test(test_page_alignment),
		cmocka_unit_test(test_sections_without_addresses),
		cmocka_unit_test(test_bad_section),
		cmocka_unit_test(test_bad_section_of_a_long_name),
		cmocka_unit_test(test_no_names),
		cmocka_unit_test(test_conversions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
