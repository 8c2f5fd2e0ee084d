/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Rows of call frame information: by hand, and of real binaries compared with what libdw makes of
 * the same bytes. */
#include "src/verify/cfi.h"

#include <inttypes.h>
#include <string.h>

#include "src/base/file.h"
#include "tests/support/build_elf.h"
#include "tests/support/cmocka.h"
#ifdef BATCONV_HAVE_LIBDW
#include <elfutils/libdw.h>
#endif

#define EH_FRAME  0x4000
#define CODE      0x1000
#define CODE_SIZE 0x100

/* A CIE "zR" with absolute addresses: rsp+8, the return address at CFA-8; then one FDE with these
 * instructions. */
static size_t put_frames(const uint8_t *program, size_t size, uint8_t out[512])
{
	static const uint8_t cie[] = {20, 0,    0,  0, 0,    0,    0, 0, 1,    'z', 'R', 0,
				      1,  0x78, 16, 1, 0x03, 0x0c, 7, 8, 0x90, 1,   0,   0};
	const uint8_t head[] = {(uint8_t)(13 + size),
				0,
				0,
				0,
				sizeof(cie) + 4,
				0,
				0,
				0,
				0,
				0x10,
				0,
				0,
				0,
				1,
				0,
				0,
				0};

	assert_true(size < 200);
	memcpy(out, cie, sizeof(cie));
	memcpy(out + sizeof(cie), head, sizeof(head));
	memcpy(out + sizeof(cie) + sizeof(head), program, size);
	return sizeof(cie) + sizeof(head) + size;
}

struct rows_case {
	const char *name;
	uint8_t program[40];
	size_t size;
	const char *want; /* rows as text, or what is wrong */
};

static void print_rows(const struct cfi_rows *rows, char *out, size_t size)
{
	*out = 0;
	for (size_t i = 0; i < rows->rows.len; i++) {
		const struct cfi_row *row = &rows->rows.at[i];
		char text[80];
		cfi_rule_text(MACHINE_X86_64, &row->cfa, true, text, sizeof(text));
		snprintf(out + strlen(out), size - strlen(out), "%s%" PRIx64 " %s", i ? "; " : "",
			 row->from - CODE, text);
		for (uint32_t k = 0; k < row->count; k++) {
			const struct cfi_rule *rule = &rows->rules.at[row->first + k];
			char reg[32];
			cfi_register_name(MACHINE_X86_64, rule->reg, reg, sizeof(reg));
			cfi_rule_text(MACHINE_X86_64, rule, false, text, sizeof(text));
			if (rule->reg != 16)
				snprintf(out + strlen(out), size - strlen(out), ", %s %s", reg,
					 text);
		}
		if (row->args_size)
			snprintf(out + strlen(out), size - strlen(out), ", args %" PRIu64,
				 row->args_size);
	}
}

#define PROGRAM(...) {__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

/* By hand, from the DWARF standard's description of each instruction. */
static const struct rows_case cases[] = {
	{"none", PROGRAM(0), "0 rsp+8"},
	{"push, pop", PROGRAM(0x41, 0x0e, 16, 0x83, 2, 0x44, 0x0e, 8, 0xc3),
	 "0 rsp+8; 1 rsp+16, rbx saved at CFA-16; 5 rsp+8"},
	{"def_cfa, register", PROGRAM(0x02, 3, 0x0c, 6, 16, 0x03, 4, 0, 0x0d, 7),
	 "0 rsp+8; 3 rbp+16; 7 rsp+16"},
	{"advance4, sf",
	 PROGRAM(0x04, 1, 0, 0, 0, 0x12, 6, 0x7e, 0x41, 0x13, 0x7d, 0x41, 0x11, 3, 0x7e),
	 "0 rsp+8; 1 rbp+16; 2 rbp+24; 3 rbp+24, rbx saved at CFA+16"},
	{"remember, restore", PROGRAM(0x0a, 0x41, 0x0e, 32, 0x41, 0x0b),
	 "0 rsp+8; 1 rsp+32; 2 rsp+8"},
	{"extended, same value, undefined",
	 PROGRAM(0x05, 12, 3, 0x41, 0x08, 12, 0x07, 13, 0x41, 0x06, 13),
	 "0 rsp+8, r12 saved at CFA-24; 1 rsp+8, r13 lost; 2 rsp+8"},
	{"register, val_offset", PROGRAM(0x09, 3, 12, 0x41, 0x14, 3, 2, 0x41, 0x15, 3, 0x7e),
	 "0 rsp+8, rbx in r12; 1 rsp+8, rbx CFA-16; 2 rsp+8, rbx CFA+16"},
	{"expressions", PROGRAM(0x0f, 2, 0x77, 8, 0x10, 3, 1, 0x30, 0x16, 6, 1, 0x31),
	 "0 an expression of 2 bytes, rbx saved where an expression says, rbp an expression of 1 bytes"},
	{"GNU", PROGRAM(0x2e, 32, 0x41, 0x2f, 3, 1),
	 "0 rsp+8, args 32; 1 rsp+8, rbx saved at CFA+8, args 32"},
	{"set_loc", PROGRAM(0x01, 0x20, 0x10, 0, 0, 0x0e, 16), "0 rsp+8; 20 rsp+16"},
	{"the same again", PROGRAM(0x41, 0x0e, 8, 0x41, 0x0e, 16), "0 rsp+8; 2 rsp+16"},
	{"behind the end", PROGRAM(0x03, 0, 1, 0x0e, 16), "0 rsp+8"},
	{"nothing remembered", PROGRAM(0x0b), "it restores a row, but none was remembered"},
	{"unknown", PROGRAM(0x3f), "unknown instruction"},
	{"of AArch64", PROGRAM(0x2d), "unknown instruction"},
	{"cut", PROGRAM(0x0e), "the entry ends too early"},
	{"a long block", PROGRAM(0x0f, 9, 0), "the entry ends too early"},
	{"a register of no machine", PROGRAM(0x07, 0xff, 0xff, 0x7f),
	 "a register's number that no machine has"},
	{"back", PROGRAM(0x41, 0x01, 0, 0x10, 0, 0), "addresses that do not ascend"},
};

/* A binary whose only section has one CIE and one FDE, of this program. */
static struct bytes file_of(const uint8_t *program, size_t program_size)
{
	uint8_t frames[512];
	size_t size = put_frames(program, program_size, frames);
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

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes file = file_of(cases[i].program, cases[i].size);
		struct image image;
		struct cfi_table table;
		struct cfi_rows rows = {.rows = {0}};
		struct bc_error err;
		char text[500];
		assert_true(image_open(file, &image, &err));
		if (!cfi_table_read(&image, eh_frame_begin(&image), &table, &err))
			fail_msg("%s: %s", cases[i].name, err.text);
		const struct cfi_fde *fde = cfi_table_find(&table, CODE + CODE_SIZE - 1);
		assert_non_null(fde);
		assert_null(cfi_table_find(&table, CODE - 1));
		assert_null(cfi_table_find(&table, CODE + CODE_SIZE));
		const char *bad = cfi_rows_append(&table, fde, &rows);
		print_rows(&rows, text, sizeof(text));
		if (strcmp(bad ? bad : text, cases[i].want) != 0)
			fail_msg("%s: %s, not %s", cases[i].name, bad ? bad : text, cases[i].want);
		cfi_rows_free(&rows);
		cfi_table_free(&table);
		image_close(&image);
		build_elf_free(&file);
	}
}

/* A program of n times "remember" would take n rows; one that has a rule for each register more
 * than any machine has. */
static void test_limits(void **state)
{
	uint8_t many[150], deep[150];
	const struct {
		const uint8_t *program;
		size_t size;
		const char *want;
	} limits[] = {{many, sizeof(many), "rules for more registers than any machine has"},
		      {deep, sizeof(deep), "more remembered rows than any compiler writes"}};

	(void)state;
	for (size_t i = 0; i < sizeof(many); i++)
		many[i] = i % 2 ? (uint8_t)(i / 2) : 0x07;
	memset(deep, 0x0a, sizeof(deep));
	for (size_t i = 0; i < 2; i++) {
		struct bytes file = file_of(limits[i].program, limits[i].size);
		struct image image;
		struct cfi_table table;
		struct cfi_rows rows = {.rows = {0}};
		struct bc_error err;
		assert_true(image_open(file, &image, &err));
		assert_true(cfi_table_read(&image, eh_frame_begin(&image), &table, &err));
		assert_string_equal(cfi_rows_append(&table, &table.fdes.at[0], &rows),
				    limits[i].want);
		cfi_rows_free(&rows);
		cfi_table_free(&table);
		image_close(&image);
		build_elf_free(&file);
	}
}

#ifdef BATCONV_HAVE_LIBDW
/* Does libdw read the rule of the CFA as the row has it? */
static bool same_cfa(Dwarf_Frame *frame, const struct cfi_rule *cfa)
{
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_frame_cfa(frame, &ops, &count))
		return false;
	if (cfa->how == CFI_OFFSET)
		return count == 1 &&
		       ((ops[0].atom == 0x92 && ops[0].number == cfa->reg &&
			 (int64_t)ops[0].number2 == cfa->value) ||
			(ops[0].atom >= 0x70 && ops[0].atom < 0x90 &&
			 ops[0].atom - 0x70u == cfa->reg && (int64_t)ops[0].number == cfa->value));
	return cfa->how == CFI_VAL_EXPRESSION ? count > 1 : count == 0;
}

static bool same_register(Dwarf_Frame *frame, uint32_t reg, const struct cfi_rule *rule)
{
	Dwarf_Op mem[3], *ops;
	size_t count;

	if (dwarf_frame_register(frame, (int)reg, mem, &ops, &count))
		return false;
	bool unspecified = !count && ops == NULL, undefined = !count && ops != NULL;
	if (!rule) /* libdw knows by the ABI which registers are lost when nobody says anything */
		return unspecified || undefined;
	switch ((enum cfi_how)rule->how) {
	case CFI_UNDEFINED: return undefined;
	case CFI_AT_OFFSET: /* call_frame_cfa, and plus_uconst or constu if it is not 0 */
		return count >= 1 && ops[0].atom == 0x9c &&
		       (rule->value ? count == 2 && (int64_t)ops[1].number == rule->value :
				      count == 1);
	case CFI_REGISTER:
	case CFI_OFFSET:
	case CFI_EXPRESSION:
	case CFI_VAL_EXPRESSION:
	case CFI_SIGNED: return count > 0 || rule->how == CFI_SIGNED;
	}
	return false;
}

static size_t compare_row(Dwarf_CFI *cfi, enum machine machine, const struct cfi_row *row,
			  const struct cfi_rule *rules, uint64_t address)
{
	Dwarf_Frame *frame;

	if (dwarf_cfi_addrframe(cfi, address, &frame))
		fail_msg("0x%" PRIx64 ": %s", address, dwarf_errmsg(-1));
	if (!same_cfa(frame, &row->cfa))
		fail_msg("0x%" PRIx64 ": another CFA", address);
	for (uint32_t reg = 0, i = 0; reg < (machine == MACHINE_X86_64 ? 17 : 32); reg++) {
		bool has = i < row->count && rules[row->first + i].reg == reg;
		bool is_stack_pointer =
			reg == (machine == MACHINE_X86_64 ? 7 : 31); /* is the CFA, by the ABI */
		if ((has || !is_stack_pointer) &&
		    !same_register(frame, reg, has ? &rules[row->first + i] : NULL))
			fail_msg("0x%" PRIx64 ": another rule for register %" PRIu32, address, reg);
		i += has;
	}
	free(frame);
	return 1;
}

/* At the first and last byte of each row. */
static void test_libdw(void **state)
{
	static const char *const names[] = {"folded/cx",     "folded/cx.p1", "sqlite/sq",
					    "sqlite/sq.b22", "rust/shapes",  "frames/lua.b22",
					    "aarch64/demo"};

	(void)state;
	elf_version(EV_CURRENT);
	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		char path[4096];
		struct file_map map;
		struct image image;
		struct cfi_table table;
		struct bc_error err;
		size_t compared = 0;
		snprintf(path, sizeof(path), "%s%s", BATCONV_DATA_DIR, names[n]);
		assert_true(file_map(path, &map, &err));
		assert_true(image_open_map(&map, &image, &err));
		Elf *elf = elf_memory((char *)(uintptr_t)map.data, map.size);
		Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
		assert_non_null(cfi);
		assert_true(cfi_table_read(&image, eh_frame_begin(&image), &table, &err));
		for (size_t i = 0; i < table.fdes.len; i++) {
			const struct cfi_fde *fde = &table.fdes.at[i];
			struct cfi_rows rows = {.rows = {0}};
			if (cfi_table_find(&table, fde->code.address) != fde)
				continue;
			const char *bad = cfi_rows_append(&table, fde, &rows);
			if (bad)
				fail_msg("%s: %s", names[n], bad);
			for (size_t k = 0; k < rows.rows.len; k++) {
				uint64_t end = k + 1 < rows.rows.len ?
						       rows.rows.at[k + 1].from :
						       fde->code.address + fde->code.size;
				compared += compare_row(cfi, image.machine, &rows.rows.at[k],
							rows.rules.at, rows.rows.at[k].from);
				compared += compare_row(cfi, image.machine, &rows.rows.at[k],
							rows.rules.at, end - 1);
			}
			cfi_rows_free(&rows);
		}
		assert_true(compared > 20);
		print_message("%s: %zu rows as libdw has them\n", names[n], compared / 2);
		dwarf_cfi_end(cfi);
		elf_end(elf);
		cfi_table_free(&table);
		image_close(&image);
		file_unmap(&map);
	}
}
#else
static void test_libdw(void **state)
{
	(void)state;
	print_message("skipped: built without libdw\n");
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows),
					   cmocka_unit_test(test_limits),
					   cmocka_unit_test(test_libdw)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
