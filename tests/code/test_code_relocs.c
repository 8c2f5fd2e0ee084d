/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Relocations that are in no order: each word of data is found all the same. */
#include "src/code/labels.h"

#include <elf.h>
#include <stdlib.h>

#include "src/elf/image.h"
#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"

enum { COUNT = 64, DATA = 0x2000 };

/* Word i of .data is at DATA + 8 * i; 37 and COUNT have no common divisor. */
static uint64_t word(unsigned i)
{
	return DATA + 8 * (i * 37 % COUNT);
}

static void any_order(void **state)
{
	static uint8_t code[0x100];
	static uint64_t data[COUNT];
	Elf64_Rela relas[COUNT];

	(void)state;
	for (unsigned i = 0; i < COUNT; i++)
		relas[i] =
			(Elf64_Rela){.r_offset = word(i), .r_info = ELF64_R_INFO(1, R_X86_64_64)};
	const struct build_section sections[] = {
		{.name = ".text",
		 .type = SHT_PROGBITS,
		 .flags = SHF_ALLOC | SHF_EXECINSTR,
		 .addr = 0x1000,
		 .data = code,
		 .size = sizeof(code)},
		{.name = ".data",
		 .type = SHT_PROGBITS,
		 .flags = SHF_ALLOC | SHF_WRITE,
		 .addr = DATA,
		 .data = data,
		 .size = sizeof(data)},
		{.name = ".rela.text",
		 .type = SHT_RELA,
		 .link = ".symtab",
		 .info = ".text",
		 .entsize = sizeof(Elf64_Rela)},
		{.name = ".rela.data",
		 .type = SHT_RELA,
		 .link = ".symtab",
		 .info = ".data",
		 .data = relas,
		 .size = sizeof(relas),
		 .entsize = sizeof(Elf64_Rela)},
		{0},
	};
	const struct build_symbol symbols[] = {
		{.name = "f",
		 .address = 0x1000,
		 .size = 0x100,
		 .type = STT_FUNC,
		 .binding = STB_GLOBAL,
		 .section = ".text"},
		{0},
	};
	struct bytes file =
		build_elf(&(struct build_elf){.sections = sections, .symbols = symbols});
	struct image image;
	struct function_table functions;
	struct bc_error err = {0};
	struct relocs relocs;
	struct label_vec labels = {0};
	const uint32_t at[] = {0};

	assert_true(image_open(file, &image, &err));
	assert_true(functions_build(&image, NUMBERS_BY_ADDRESS, &functions, &err));
	const struct chosen chosen = {&image, &functions, at, 1};
	assert_true(labels_of_relocs(&chosen, &relocs, &labels));
	assert_true(relocs.present);
	assert_int_equal(relocs.absolute.len, COUNT);
	for (unsigned i = 0; i < COUNT; i++) {
		assert_true(relocs_has(&relocs.absolute, word(i)));
		assert_false(relocs_has(&relocs.absolute, word(i) + 1));
	}
	relocs_free(&relocs);
	free(labels.at);
	functions_free(&functions);
	image_close(&image);
	build_elf_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
