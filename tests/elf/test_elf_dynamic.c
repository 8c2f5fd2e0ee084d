/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that the dynamic symbols name: PLT entries of each machine, and functions of a stripped
 * file. */
#include "tests/elf/test_elf_want.h"

/* Relocations that fill slots of the GOT. */
static size_t build_relocations(uint8_t *out, const uint64_t (*items)[3], size_t count)
{
	for (size_t i = 0; i < count; i++)
		memcpy(out + i * 24, items[i], 24);
	return count * 24;
}

#define RELOCATION(slot, symbol, type, addend) {(slot), (uint64_t)(symbol) << 32 | (type), (addend)}

/* .dynsym: 1 `puts`, undefined; 2 `own`, at 0x1000. */
static const char dynstr[] = "\0puts\0own";
static const Elf64_Sym dynsym[] = {
	{0},
	{.st_name = 1, .st_info = 0x12},
	{.st_name = 6, .st_info = 0x12, .st_shndx = 1, .st_value = 0x1000, .st_size = 16},
};

#define DYNAMIC_SECTIONS                                                                           \
	{.name = ".dynstr",                                                                        \
	 .type = SHT_STRTAB,                                                                       \
	 .flags = SHF_ALLOC,                                                                       \
	 .addr = 0x8000,                                                                           \
	 .data = dynstr,                                                                           \
	 .size = sizeof(dynstr)},                                                                  \
	{                                                                                          \
		.name = ".dynsym", .type = SHT_DYNSYM, .flags = SHF_ALLOC, .addr = 0x8100,         \
		.data = dynsym, .size = sizeof(dynsym), .link = ".dynstr",                         \
		.entsize = sizeof(dynsym[0])                                                       \
	}

static void test_x86_plt(void **state)
{
	static const uint8_t plt[] = {
		0xff, 0x35, 0,    0,    0,    0,    0xff, 0x25,
		0,    0,    0,    0,    0x0f, 0x1f, 0x40, 0, /* first */
		0xff, 0x25, 0xea, 0x4f, 0,    0,    0x68, 0,
		0,    0,    0,    0xe9, 0,    0,    0,    0, /* 7000 */
		0xff, 0x25, 0xe2, 0x4f, 0,    0,    0x68, 1,
		0,    0,    0,    0xe9, 0,    0,    0,    0, /* 7008 */
		0xff, 0x25, 0xda, 0x4f, 0,    0,    0x68, 2,
		0,    0,    0,    0xe9, 0,    0,    0,    0, /* 7010 */
		0xff, 0x25, 0xd2, 0x4f, 0,    0,    0x68, 3,
		0,    0,    0,    0xe9, 0,    0,    0,    0, /* 7018 */
	};
	static const uint8_t plt_sec[] = {
		0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25, 0xf5, 0x4e, 0, 0, 0x0f, 0x1f, 0x44, 0, 0,
	};
	static const uint8_t plt_got[] = {0xff, 0x25, 0xfa, 0x4d, 0, 0, 0x66, 0x90};
	static const uint64_t items[][3] = {
		RELOCATION(0x7008, 2, R_X86_64_JUMP_SLOT, 0),
		RELOCATION(0x7000, 1, R_X86_64_JUMP_SLOT, 0),
		RELOCATION(0x7010, 0, R_X86_64_IRELATIVE, 0x1010),
		RELOCATION(0x7018, 0, R_X86_64_RELATIVE, 0x1010), /* no reason for a name */
	};
	uint8_t relocations[256], nops[64];
	size_t size = build_relocations(relocations, items, BC_COUNT(items));
	struct build_section sections[] = {
		{.name = ".text", CODE(TEXT), .data = nops, .size = sizeof(nops)},
		{.name = ".plt", CODE(0x2000), .data = plt, .size = sizeof(plt)},
		{.name = ".plt.sec", CODE(0x2100), .data = plt_sec, .size = sizeof(plt_sec)},
		{.name = ".plt.got", CODE(0x2200), .data = plt_got, .size = sizeof(plt_got)},
		{.name = ".dynamic", .type = SHT_DYNAMIC, .flags = SHF_ALLOC, .addr = 0x6000},
		DYNAMIC_SECTIONS,
		{.name = ".rela.plt",
		 .type = SHT_RELA,
		 .flags = SHF_ALLOC,
		 .addr = 0x9000,
		 .data = relocations,
		 .size = size,
		 .link = ".dynsym",
		 .entsize = 24},
		{0},
	};
	static const struct build_symbol symbols[] = {LOCAL_FUNC("first", 0x1000, 16),
						      GLOBAL_FUNC("own", 0x1000, 16),
						      GLOBAL_FUNC("resolver", 0x1010, 48),
						      {0}};
	static const struct want want[] = {
		{0x1000, 16, 16, "first/1", NULL},
		{0x1010, 48, 48, "resolver", NULL},
		{0x2000, 16, 16, "__BOLT_PSEUDO_.plt", NULL},
		{0x2010, 16, 16, "puts@PLT", NULL},
		{0x2020, 16, 16, "first/1@PLT", NULL},  /* own: the first name there */
		{0x2030, 32, 32, "resolver@PLT", NULL}, /* up to the end: the next is none */
		{0x2100, 16, 16, "puts@PLT", NULL},
		{0x2200, 8, 8, "puts@PLT", NULL},
	};

	(void)state;
	memset(nops, 0x90, sizeof(nops));
	check(&(struct build_elf){.sections = sections, .symbols = symbols}, want, BC_COUNT(want));

	struct fixture f =
		open_recipe(&(struct build_elf){.sections = sections, .symbols = symbols});
	assert_int_equal(f.table.at[0].kind, FUNCTION_CODE);
	for (size_t i = 2; i < f.table.count; i++)
		assert_int_equal(f.table.at[i].kind, FUNCTION_PLT);
	close_fixture(&f);
}

static void test_other_plts(void **state)
{
	static const uint32_t aarch64[] = {
		0xa9bf7bf0, 0x90000030, 0xf9400211, 0x91000210, 0xd61f0220, /* first */
		0xd503201f, 0xd503201f, 0xd503201f, 0xb0000030, 0xf9400211,
		0x91000210, 0xd61f0220, /* x16: 7000 */
	};
	static const uint32_t riscv[] = {
		0x00005397, 0x41c30333, 0xfe03be03, 0xfd430313,
		0x00038293, 0x00135313, 0x0082b283, 0x000e0067, /* first */
		0x00005e17, 0xfe0e3e03, 0x000e0367, 0x00000013, /* 2020 + 5000 - 20 */
	};
	static const struct {
		uint16_t machine;
		const uint32_t *code;
		size_t size;
	} plts[] = {
		{EM_AARCH64, aarch64, sizeof(aarch64)},
		{EM_RISCV, riscv, sizeof(riscv)},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(plts); i++) {
		const uint64_t items[][3] = {RELOCATION(0x7000, 1, R_AARCH64_JUMP_SLOT, 0)};
		uint8_t relocations[24];
		build_relocations(relocations, items, 1);
		struct build_section sections[] = {
			{.name = ".plt", CODE(0x2000), .data = plts[i].code, .size = plts[i].size},
			{.name = ".dynamic",
			 .type = SHT_DYNAMIC,
			 .flags = SHF_ALLOC,
			 .addr = 0x6000},
			DYNAMIC_SECTIONS,
			{.name = ".rela.plt",
			 .type = SHT_RELA,
			 .flags = SHF_ALLOC,
			 .addr = 0x9000,
			 .data = relocations,
			 .size = 24,
			 .link = ".dynsym",
			 .entsize = 24},
			{0},
		};
		struct want want[] = {
			{0x2000, 0x20, 0x20, "__BOLT_PSEUDO_.plt", NULL},
			{0x2020, 0x10, 0x10, "puts@PLT", NULL},
		};
		static const struct build_symbol symbols[] = {{0}};
		check(&(struct build_elf){.machine = plts[i].machine,
					  .sections = sections,
					  .symbols = symbols},
		      want, 2);
	}
}

static void test_stripped(void **state)
{
	uint8_t nops[64];
	const struct build_section sections[] = {
		{.name = ".text", CODE(TEXT), .data = nops, .size = sizeof(nops)},
		DYNAMIC_SECTIONS,
		{0},
	};
	static const struct want want[] = {{0x1000, 16, 64, "own", NULL}};

	(void)state;
	memset(nops, 0x90, sizeof(nops));
	check(&(struct build_elf){.sections = sections}, want, 1);
	struct fixture f = open_recipe(&(struct build_elf){.sections = sections});
	assert_true(f.table.stripped);
	close_fixture(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86_plt),
		cmocka_unit_test(test_other_plts),
		cmocka_unit_test(test_stripped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
