/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Facts by sections and symbols; limits as llvm-bolt 16 to 24 have them (docs/first-profile.md). */
#include "src/elf/bolt_input.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"

static const uint8_t code[16] = {0x90, 0xc3};

#define TEXT                                                                                       \
	{.name = ".text",                                                                          \
	 .type = SHT_PROGBITS,                                                                     \
	 .flags = SHF_ALLOC | SHF_EXECINSTR,                                                       \
	 .addr = 0x1000,                                                                           \
	 .data = code,                                                                             \
	 .size = sizeof(code)}

static struct bolt_input input_of(const struct build_section *sections, struct image *image)
{
	struct bc_error err = {0};

	if (!image_open(build_elf(&(struct build_elf){.sections = sections}), image, &err))
		fail_msg("%s", err.text);
	return bolt_input_of(image);
}

static void forget(struct image *image)
{
	void *file = (void *)image->file.data;

	image_close(image);
	free(file);
}

/* Keys of the limits, each followed by a blank. */
static void assert_limits(const struct bolt_input *input, const char *keys)
{
	char got[256] = "";

	for (int limit = 0; limit < BOLT_LIMIT_COUNT; limit++)
		if (bolt_input_has(input, (enum bolt_limit)limit)) {
			strcat(got, bolt_limit_key((enum bolt_limit)limit));
			strcat(got, " ");
		}
	assert_string_equal(got, keys);
}

static void by_sections(void **state)
{
	const Elf64_Sym undefined[] = {
		{0},
		{.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC)},
		{.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), .st_shndx = 1}};
	const Elf64_Sym defined[] = {
		{0}, {.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC), .st_shndx = 1}};
	const struct build_section bare[] = {TEXT, {0}};
	const struct build_section data[] = {
		TEXT,
		{.name = ".rela.text", .type = SHT_RELA, .data = code, .size = 0},
		{.name = ".symtab",
		 .type = SHT_SYMTAB,
		 .data = undefined,
		 .size = sizeof(undefined)},
		{.name = ".debug_info", .type = SHT_PROGBITS, .data = code, .size = sizeof(code)},
		{0},
	};
	const struct build_section full[] = {
		TEXT,
		{.name = ".symtab", .type = SHT_SYMTAB, .data = defined, .size = sizeof(defined)},
		{.name = ".debug_info",
		 .type = SHT_PROGBITS,
		 .flags = SHF_COMPRESSED,
		 .data = code,
		 .size = sizeof(code)},
		{0},
	};
	const struct build_section go[] = {
		TEXT,
		{.name = ".data.rel.ro.gopclntab", .type = SHT_PROGBITS, .data = code, .size = 16},
		{0},
	};
	struct image image;

	(void)state;
	struct bolt_input input = input_of(go, &image);
	assert_limits(&input, "go stripped no_build_id ");
	forget(&image);
	input = input_of(bare, &image);
	assert_limits(&input, "no_relocations stripped no_build_id ");
	forget(&image);
	input = input_of(data, &image);
	assert_limits(&input, "no_function_symbols no_build_id debug_info ");
	forget(&image);
	input = input_of(full, &image);
	assert_limits(&input, "no_relocations no_build_id compressed_debug_info ");
	forget(&image);
}

static void by_kind(void **state)
{
	struct bolt_input input = {.machine = MACHINE_AARCH64,
				   .code = true,
				   .symbols = BOLT_SYMBOLS_FUNCTIONS,
				   .build_id = true};

	(void)state;
	assert_limits(&input, "no_relocations aarch64_without_relocations ");
	input.machine = MACHINE_RISCV64;
	assert_limits(&input, "no_relocations riscv_without_relocations ");
	input.go = true;
	assert_limits(&input, "go ");
	assert_false(bolt_input_will_do(&input));
	input.go = false;
	assert_true(bolt_input_will_do(&input));
	input.kernel = true; /* it never has a use of relocations */
	assert_limits(&input, "kernel ");
	input.relocations = true;
	assert_limits(&input, "kernel ");
	input.kernel = false;
	assert_limits(&input, "");
	input.code = false;
	assert_limits(&input, "no_code ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_sections),
		cmocka_unit_test(by_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
