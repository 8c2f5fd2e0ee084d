/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* BOLT's rules on functions, one by one: docs/conversion.md, "Functions". */
#include "tests/elf/test_elf_want.h"

/* Symbols in a .text full of nops; `relocatable` as ld --emit-relocs leaves it. */
static void check_symbols(const struct build_symbol *symbols, const struct want *want, size_t count)
{
	uint8_t nops[TEXT_SIZE];
	const struct build_section sections[] = {
		{.name = ".text", CODE(TEXT), .data = nops, .size = sizeof(nops)},
		{.name = ".data", DATA(0x3000), .size = 64},
		{.name = ".comment", .type = SHT_PROGBITS, .size = 64},
		{0},
	};

	memset(nops, 0x90, sizeof(nops));
	check(&(struct build_elf){.sections = sections, .symbols = symbols}, want, count);
}

static void test_local_names(void **state)
{
	static const struct build_symbol symbols[] = {
		FILE_SYMBOL("a.c"),
		LOCAL_FUNC("f", 0x1040, 16),
		{"f", 0x3000, 4, STT_OBJECT, STB_LOCAL, ".data"}, /* counts, by address */
		LOCAL_FUNC("g", 0x1020, 16),
		FILE_SYMBOL("b.c"),
		LOCAL_FUNC("f", 0x1010, 16),
		{"f", 0x10, 4, STT_OBJECT, STB_LOCAL, ".comment"}, /* not in memory */
		FILE_SYMBOL(""),
		LOCAL_FUNC("f", 0x1060, 16), /* no file */
		FILE_SYMBOL("a.c"),          /* another of the same name */
		LOCAL_FUNC("f", 0x1080, 16),
		GLOBAL_FUNC("f", 0x1000, 16),
		{0},
	};
	static const struct want want[] = {
		{0x1000, 16, 16, "f", NULL},        {0x1010, 16, 16, "f/1", "f/b.c/1"},
		{0x1020, 16, 32, "g/1", "g/a.c/1"}, {0x1040, 16, 32, "f/2", "f/a.c/1"},
		{0x1060, 16, 32, "f/3", "f/3"},     {0x1080, 16, 128, "f/4", "f/a.c/2"},
	};

	(void)state;
	check_symbols(symbols, want, BC_COUNT(want));
}

static void test_aliases(void **state)
{
	static const struct build_symbol symbols[] = {
		FILE_SYMBOL("a.c"),
		{"t", 0x1000, 0, STT_NOTYPE, STB_LOCAL, ".text"}, /* no name of f */
		LOCAL_FUNC("loc", 0x1000, 8),
		GLOBAL_FUNC("f", 0x1000, 16),
		GLOBAL_FUNC("g", 0x1020, 16),
		LOCAL_FUNC("alias", 0x1020, 32), /* local symbols are before global ones */
		{"data", 0x1000, 0, STT_OBJECT, STB_GLOBAL, ".text"},
		{0},
	};
	static const struct want want[] = {
		{0x1000, 16, 32, "loc/1", "loc/a.c/1"},
		{0x1020, 32, 0xe0, "g", "alias/a.c/1"},
	};

	(void)state;
	check_symbols(symbols, want, BC_COUNT(want));
}

static void test_what_starts_no_function(void **state)
{
	static const struct build_symbol symbols[] = {
		GLOBAL_FUNC("f", 0x1000, 0x20),
		GLOBAL_FUNC("inside", 0x1010, 4),
		LABEL("label", 0x1018),
		{"global_label", 0x101c, 0, STT_NOTYPE, STB_GLOBAL, ".text"},
		{"end", 0x1100, 0, STT_NOTYPE, STB_GLOBAL, ".text"},
		{"too_long", 0x10f0, 0x20, STT_FUNC, STB_GLOBAL, ".text"},
		{"elsewhere", 0x5000, 4, STT_FUNC, STB_GLOBAL, ".text"},
		{"undefined", 0x1030, 4, STT_FUNC, STB_GLOBAL, NULL},
		{"zero", 0, 0, STT_FUNC, STB_GLOBAL, "*ABS*"},
		{"__hot_start", 0x1040, 0, STT_NOTYPE, STB_GLOBAL, ".text"},
		{"__hot_end", 0x1050, 0, STT_NOTYPE, STB_GLOBAL, ".text"},
		{"absolute", 0x1060, 0, STT_NOTYPE, STB_LOCAL, "*ABS*"},
		{0},
	};
	static const struct want want[] = {{0x1000, 0x20, 0x100, "f", NULL}};

	(void)state;
	check_symbols(symbols, want, BC_COUNT(want));
}

static void test_sizes(void **state)
{
	static const struct build_symbol symbols[] = {
		GLOBAL_FUNC("no_size", 0x1000, 0),
		LABEL("local_label", 0x1008),                                 /* belongs to it */
		{"global_label", 0x1010, 0, STT_NOTYPE, STB_GLOBAL, ".text"}, /* a function */
		GLOBAL_FUNC("f", 0x1020, 8),
		LABEL("behind_f", 0x1030), /* after f's end: a function */
		{"object", 0x1040, 8, STT_OBJECT, STB_LOCAL, ".text"},
		{0},
	};
	static const struct want want[] = {
		{0x1000, 0x10, 0x10, "no_size", NULL}, {0x1010, 0x10, 0x10, "global_label", NULL},
		{0x1020, 8, 0x10, "f", NULL},          {0x1030, 0x10, 0x10, "behind_f/1", NULL},
		{0x1040, 8, 0xc0, "object/1", NULL},
	};

	(void)state;
	check_symbols(symbols, want, BC_COUNT(want));
}

/* BOLT moves names out of the assembler's space for labels. */
static void test_odd_names(void **state)
{
	static const struct build_symbol symbols[] = {
		LOCAL_FUNC(".Lf", 0x1000, 16),
		GLOBAL_FUNC(".Lg", 0x1010, 16),
		GLOBAL_FUNC("", 0x1020, 16),
		LOCAL_FUNC("a/b", 0x1030, 16), /* a/b/1 has two slashes */
		GLOBAL_FUNC("x", 0x1040, 16),
		GLOBAL_FUNC("y/2/3", 0x1040, 16),
		{0},
	};
	static const struct want want[] = {
		{0x1000, 16, 16, "PG.Lf/1", NULL},     {0x1010, 16, 16, "PG.Lg", NULL},
		{0x1020, 16, 16, "ANONYMOUS.0", NULL}, {0x1030, 16, 16, "a/b/1", NULL},
		{0x1040, 16, 0xc0, "x", "y/2/3"},
	};

	(void)state;
	check_symbols(symbols, want, BC_COUNT(want));
}

static void test_section_symbols(void **state)
{
	static const struct build_section sections[] = {
		{.name = ".init", CODE(0x500), .size = 0x20},
		{.name = ".plt", CODE(0x600), .size = 0x20},
		{0},
	};
	static const struct build_symbol symbols[] = {
		{"", 0x500, 0, STT_SECTION, STB_LOCAL, ".init"},
		{"", 0x600, 0, STT_SECTION, STB_LOCAL, ".plt"},
		{0},
	};
	static const struct want want[] = {
		{0x500, 0x20, 0x20, ".init/1", NULL},
		{0x600, 0x20, 0x20, "__BOLT_PSEUDO_.plt", NULL},
	};

	(void)state;
	check(&(struct build_elf){.sections = sections, .symbols = symbols}, want, BC_COUNT(want));
}

/* `gap` is between f, of 16 bytes, and g. */
static void check_gap(uint16_t machine, const void *gap, size_t size, bool relocatable,
		      bool is_padding)
{
	uint8_t text[TEXT_SIZE] = {0};
	struct build_section sections[] = {
		{.name = ".text", CODE(TEXT), .data = text, .size = 16 + size + 16},
		{.name = relocatable ? ".rela.text" : ".other", .type = SHT_PROGBITS, .size = 24},
		{0},
	};
	struct build_symbol symbols[] = {
		GLOBAL_FUNC("f", TEXT, 16), GLOBAL_FUNC("g", TEXT + 16 + size, 16), {0}};
	struct want want[] = {{TEXT, 16, 16 + (is_padding ? size : 0), "f", NULL},
			      {TEXT + 16 + size, 16, 16, "g", NULL}};

	memcpy(text + 16, gap, size);
	check(&(struct build_elf){.machine = machine, .sections = sections, .symbols = symbols},
	      want, 2);
}

static void test_x86_padding(void **state)
{
	static const struct {
		const char *what;
		uint8_t size, bytes[16];
		bool is_padding;
	} gaps[] = {
		{"int3", 3, {0xcc, 0xcc, 0xcc}, true},
		{"nop", 2, {0x90, 0x90}, true},
		{"zeros", 3, {0}, true},
		{"xchg ax, ax", 2, {0x66, 0x90}, true},
		{"nopl", 4, {0x0f, 0x1f, 0x40, 0x00}, true},
		{"nopl sib", 5, {0x0f, 0x1f, 0x44, 0x00, 0x00}, true},
		{"nopl disp32", 7, {0x0f, 0x1f, 0x80, 0, 0, 0, 0}, true},
		{"cs nopw", 10, {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0}, true},
		{"nopl rip", 7, {0x0f, 0x1f, 0x05, 0, 0, 0, 0}, true},
		{"REX nop", 2, {0x40, 0x90}, true},
		{"xchg eax, r8d", 2, {0x41, 0x90}, false},
		{"pause", 2, {0xf3, 0x90}, false},
		{"rep nopl", 4, {0xf3, 0x0f, 0x1f, 0x00}, true},
		{"data16 jump", 3, {0x66, 0xeb, 0x00}, true},
		{"call", 5, {0xe8, 0, 0, 0, 0}, false},
		{"cut nop", 4, {0x90, 0x0f, 0x1f, 0x44}, false},
		{"jump over zeros", 4, {0xeb, 0x02, 0, 0}, true},
		{"long jump to the end", 5, {0xe9, 0, 0, 0, 0}, true},
		{"jump beyond the end", 2, {0xeb, 0x01}, false},
		{"jump back", 2, {0xeb, 0xfe}, false},
		{"int3, then nop", 2, {0xcc, 0x90}, true},
		{"nop, then int3", 2, {0x90, 0xcc}, false},
		{"ret", 2, {0xc3, 0x90}, false},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(gaps); i++) {
		print_message("%s\n", gaps[i].what);
		check_gap(EM_X86_64, gaps[i].bytes, gaps[i].size, false, gaps[i].is_padding);
		check_gap(EM_X86_64, gaps[i].bytes, gaps[i].size, true, true);
	}
}

static void test_aarch64_padding(void **state)
{
	static const struct {
		uint8_t words;
		uint32_t word[3];
		bool is_padding;
	} gaps[] = {
		{2, {0xd503201f, 0}, true},                      /* nop, zeros */
		{2, {0xd4200000, 0xd4200020}, true},             /* brk */
		{3, {0x90000010, 0x91014210, 0xd61f0200}, true}, /* veneer */
		{1, {0xd65f03c0}, false},                        /* ret */
		{2, {0xd503201f, 0x91000210}, false},
	};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(gaps); i++)
		check_gap(EM_AARCH64, gaps[i].word, gaps[i].words * 4, false, gaps[i].is_padding);
	static const uint32_t code[] = {0xd65f03c0, 0xd65f03c0};
	check_gap(EM_RISCV, code, sizeof(code), false, true); /* not looked at */
}

/* Literals after a function are its own, up to the next $x. */
static void test_mapping_symbols(void **state)
{
	static const uint32_t text[] = {0xd65f03c0, 0x12345678, 0x12345678,
					0xd503201f, 0xd65f03c0, 0x12345678};
	static const struct build_section sections[] = {
		{.name = ".text", CODE(TEXT), .data = text, .size = sizeof(text)}, {0}};
	static const struct build_symbol symbols[] = {
		LABEL("$x", TEXT),
		LABEL("$d", TEXT + 4),
		LABEL("$x.5", TEXT + 12),
		LOCAL_FUNC("f", TEXT, 4),
		LOCAL_FUNC("g", TEXT + 16, 4),
		LABEL("$dx", TEXT + 20),
		{0},
	};
	static const struct want want[] = {
		{TEXT, 4, 16, "f/1", NULL},
		{TEXT + 16, 4, 4, "g/1", NULL},
		{TEXT + 20, 4, 4, "$dx/1", NULL},
	};
	static const struct want x86_want[] = {
		{TEXT, 4, 4, "f/1", NULL}, /* $d is a name like any other */
		{TEXT + 4, 12, 12, "$d/1", NULL},
		{TEXT + 16, 4, 4, "g/1", NULL},
		{TEXT + 20, 4, 4, "$dx/1", NULL},
	};

	(void)state;
	check(&(struct build_elf){.machine = EM_AARCH64, .sections = sections, .symbols = symbols},
	      want, BC_COUNT(want));
	check(&(struct build_elf){.sections = sections, .symbols = symbols}, x86_want,
	      BC_COUNT(x86_want));
}

/* .eh_frame: one CIE ("zR", absolute addresses) and FDEs. */
static size_t build_frames(uint8_t *out, const uint64_t (*ranges)[2], size_t count)
{
	static const uint8_t cie[] = {12, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1};
	size_t at = sizeof(cie);

	/* The CIE's last field, the encoding, is DW_EH_PE_absptr (0). */
	memcpy(out, cie, sizeof(cie));
	out[0] = 13;
	out[at++] = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t header[2] = {4 + 16 + 1, (uint32_t)at + 4};
		memcpy(out + at, header, 8);
		memcpy(out + at + 8, ranges[i], 16);
		out[at + 24] = 0;
		at += 25;
	}
	memset(out + at, 0, 4);
	return at + 4;
}

static void test_frames(void **state)
{
	static const uint64_t ranges[][2] = {
		{0x10a0, 8},                               /* no symbol there */
		{0x1000, 0x18},                            /* longer than f's symbol */
		{0x1030, 8},                               /* shorter than g's */
		{0x1044, 4},                               /* inside g */
		{0x10a4, 4},                               /* inside the one above */
		{0x10b0, 0},                               /* the first that is not empty counts */
		{0x10b0, 4},    {0x10b0, 12}, {0x9000, 4}, /* nowhere */
		{0x3000, 4},                               /* not code */
	};
	static const struct build_symbol symbols[] = {
		GLOBAL_FUNC("f", 0x1000, 16), GLOBAL_FUNC("g", 0x1030, 0x30), {0}};
	static const struct want want[] = {
		{0x1000, 0x18, 0x30, "f", NULL},
		{0x1030, 0x30, 0x70, "g", NULL},
		{0x10a0, 8, 0x10, "__BOLT_FDE_FUNCat10a0", NULL},
		{0x10b0, 4, 0x50, "__BOLT_FDE_FUNCat10b0", NULL},
	};
	uint8_t frames[512], nops[TEXT_SIZE];
	size_t size = build_frames(frames, ranges, BC_COUNT(ranges));
	struct build_section sections[] = {
		{.name = ".text", CODE(TEXT), .data = nops, .size = sizeof(nops)},
		{.name = ".data", DATA(0x3000), .size = 64},
		{.name = ".eh_frame",
		 .type = SHT_PROGBITS,
		 .flags = SHF_ALLOC,
		 .addr = 0x4000,
		 .data = frames,
		 .size = size},
		{0},
	};

	(void)state;
	memset(nops, 0x90, sizeof(nops));
	check(&(struct build_elf){.sections = sections, .symbols = symbols}, want, BC_COUNT(want));
}

static void test_nothing(void **state)
{
	(void)state;
	struct fixture f = open_recipe(&(struct build_elf){0});
	assert_int_equal(f.table.count, 0);
	assert_null(functions_find(&f.table, (struct vaddr){0}));
	close_fixture(&f);
}

static void test_find(void **state)
{
	static const struct build_symbol symbols[] = {
		GLOBAL_FUNC("f", 0x1010, 8), GLOBAL_FUNC("g", 0x1020, 8), {0}};
	static const uint8_t text[0x40] = {[0x1a] = 0xc3}; /* f's gap is no padding */
	static const struct build_section sections[] = {
		{.name = ".text", CODE(TEXT), .data = text, .size = sizeof(text)}, {0}};
	static const struct {
		uint64_t at;
		const char *name;
	} cases[] = {{0, NULL},      {0x100f, NULL},    {0x1010, "f"}, {0x1017, "f"},
		     {0x1018, NULL}, {0x101f, NULL},    {0x1020, "g"}, {0x103f, "g"},
		     {0x1040, NULL}, {UINT64_MAX, NULL}};
	struct fixture f =
		open_recipe(&(struct build_elf){.sections = sections, .symbols = symbols});

	(void)state;
	for (size_t i = 0; i < BC_COUNT(cases); i++) {
		const struct function *found =
			functions_find(&f.table, (struct vaddr){cases[i].at});
		assert_int_equal(found != NULL, cases[i].name != NULL);
		if (found)
			assert_string_equal(found->primary, cases[i].name);
	}
	close_fixture(&f);
}

/* For bat_fix_parents(): which symbols are under which FILE symbol. */
static void test_file_ordinals(void **state)
{
	static const struct build_symbol symbols[] = {LOCAL_FUNC("before", 0x1000, 4),
						      FILE_SYMBOL("a.c"),
						      LOCAL_FUNC("a", 0x1010, 4),
						      FILE_SYMBOL("b.c"),
						      LOCAL_FUNC("b", 0x1008, 4),
						      GLOBAL_FUNC("g", 0x1020, 4),
						      {0}};
	static const struct {
		const char *name;
		uint32_t file, order;
	} want[] = {{"before", 0, 1}, {"b", 2, 5}, {"a", 1, 3}, {"g", 0, 6}};
	static const struct build_section sections[] = {
		{.name = ".text", CODE(TEXT), .size = TEXT_SIZE}, {0}};
	struct fixture f =
		open_recipe(&(struct build_elf){.sections = sections, .symbols = symbols});

	(void)state;
	assert_int_equal(f.table.symbols.count, BC_COUNT(want));
	for (size_t i = 0; i < BC_COUNT(want); i++) {
		const struct symbol *s = &f.table.symbols.at[i];
		assert_string_equal(s->name, want[i].name);
		assert_int_equal(s->file, want[i].file);
		assert_int_equal(s->order, want[i].order);
	}
	close_fixture(&f);
}

static void assert_fails(const struct build_section *sections, const char *text)
{
	struct bytes file = build_elf(&(struct build_elf){.sections = sections});
	struct image image;
	struct function_table table = {0};
	struct bc_error err = {0};

	assert_true(image_open(file, &image, &err));
	assert_false(functions_build(&image, NUMBERS_BY_ADDRESS, &table, &err));
	assert_int_equal(err.code, BC_FORMAT);
	assert_string_equal(err.text, text);
	assert_null(table.at);
	image_close(&image);
	build_elf_free(&file);
}

static void test_bad_symbols(void **state)
{
	static const Elf64_Sym far_name = {.st_name = 99};
	struct build_section sections[] = {
		{.name = ".symtab",
		 .type = SHT_SYMTAB,
		 .data = &far_name,
		 .size = sizeof(far_name),
		 .link = ".strtab",
		 .entsize = sizeof(far_name)},
		{.name = ".strtab", .type = SHT_STRTAB, .data = "", .size = 1},
		{0},
	};

	(void)state;
	assert_fails(sections, "symbol 0, byte 64: the name lies outside the string table");
	sections[0].size--;
	assert_fails(sections, "symbol table, byte 64: its size or that of its entries is odd");
	sections[0].size++;
	sections[0].entsize = 16;
	assert_fails(sections, "symbol table, byte 64: its size or that of its entries is odd");
	sections[0].entsize = sizeof(far_name);
	sections[0].link = NULL;
	assert_fails(sections, "symbol table, byte 64: section 0 is no string table");
	sections[0].link = ".strtab";
	sections[1].data = "a";
	assert_fails(sections, "string table, byte 96: does not end in a zero byte");
	sections[1].size = 0;
	assert_fails(sections, "string table, byte 96: does not end in a zero byte");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_local_names),
		cmocka_unit_test(test_aliases),
		cmocka_unit_test(test_what_starts_no_function),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_odd_names),
		cmocka_unit_test(test_section_symbols),
		cmocka_unit_test(test_x86_padding),
		cmocka_unit_test(test_aarch64_padding),
		cmocka_unit_test(test_mapping_symbols),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_file_ordinals),
		cmocka_unit_test(test_bad_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
