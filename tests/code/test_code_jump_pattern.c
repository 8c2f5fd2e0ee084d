/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which code is a jump through a table, and where the table is; and what single
 * instructions do that only LLVM or no rule but their own shows. */
#include "src/code/jump_tables.h"

#include "src/code/labels.h"
#include "tests/code/test_code_code.h"

static struct code code;

#define LEA  "\x48\x8d\x15\xf9\x07\x00\x00" /* lea 0x1800(%rip),%rdx, if it is the first */
#define LOAD "\x48\x63\x04\xba"             /* movslq (%rdx,%rdi,4),%rax */
#define ADD  "\x48\x01\xd0"                 /* add %rdx,%rax             */
#define JUMP "\xff\xe0"                     /* jmp *%rax                 */

#define ROW(bytes, address, relative) {bytes, sizeof(bytes) - 1, address, relative}

static const struct {
	const char *bytes;
	size_t size;
	uint64_t address; /* 0: no table */
	bool relative;
} rows[] = {
	ROW(LEA LOAD ADD JUMP, 0x1800, true),
	ROW(LEA LOAD "\x48\x03\xc2" JUMP, 0x1800, true),    /* the other encoding of add       */
	ROW(LEA "\x06" LOAD "\x06" ADD JUMP, 0x1800, true), /* what is no instruction          */
	ROW(LEA "\x48\x63\x0c\xba\x48\x01\xca\xff\xe2", 0x1800,
	    true),                                          /* the sum in the table's own */
	ROW("\xff\x24\xfd\x00\x18\x00\x00", 0x1800, false), /* jmp *0x1800(,%rdi,8)            */
	ROW("\x48\x8b\x04\xfd\x00\x18\x00\x00" JUMP, 0x1800, false), /* mov 0x1800(,%rdi,8),%rax */
	ROW("\xff\x24\xbd\x00\x18\x00\x00", 0, false), /* jmp *0x1800(,%rdi,4)            */
	ROW("\x64\xff\x24\xfd\x00\x18\x00\x00", 0x1800, false), /* a segment that does not count */
	ROW("\x64\x48\x8b\x04\xfd\x00\x18\x00\x00" JUMP, 0, false), /* one that does             */
	ROW(JUMP, 0, false),       /* nothing writes %rax             */
	ROW("\xff\xd0", 0, false), /* call *%rax                      */
	ROW("\xc3", 0, false),
	ROW("\x48\x89\xd0" JUMP, 0, false),                 /* mov %rdx,%rax                   */
	ROW(LEA LOAD "\x01\xd0" JUMP, 0, false),            /* add %edx,%eax                   */
	ROW(LEA LOAD "\x48\x03\x02" JUMP, 0, false),        /* add (%rdx),%rax                 */
	ROW(ADD JUMP, 0, false),                            /* no load                         */
	ROW(LEA "\x48\x89\xf8" ADD JUMP, 0, false),         /* mov %rdi,%rax                   */
	ROW(LEA "\x63\x04\xba" ADD JUMP, 0, false),         /* movslq to 32 bits               */
	ROW(LEA "\x48\x63\x04\xfa" ADD JUMP, 0, false),     /* (%rdx,%rdi,8)                   */
	ROW(LEA "\x48\x63\x44\xba\x04" ADD JUMP, 0, false), /* 4(%rdx,%rdi,4)                  */
	ROW(LEA "\x48\x63\x02" ADD JUMP, 0, false),         /* (%rdx)                          */
	ROW(LEA "\x48\x63\x04\xb9" ADD JUMP, 0, false),     /* (%rcx,%rdi,4)                   */
	ROW(LOAD ADD JUMP, 0, false),                       /* nothing writes %rdx             */
	ROW("\x48\x8d\x57\x08" LOAD ADD JUMP, 0, false),    /* lea 8(%rdi),%rdx                */
	ROW("\x48\x8b\x15\xf9\x07\x00\x00" LOAD ADD JUMP, 0, false), /* mov 0x1800(%rip),%rdx    */
};

/* All instructions of f; a byte that begins none is one of its own. */
static void decode(struct insn_vec *insns)
{
	struct decoder decoder;
	const struct function *f = &code.functions[0];

	decoder_open(MACHINE_X86_64, &decoder);
	decoder.llvm_missing = true;
	for (uint32_t at = 0; at < f->size;) {
		struct bytes rest = {code.bytes + at, (size_t)f->size - at};
		struct insn insn;
		if (!decoder_next(&decoder, rest, f->address + at, &insn))
			insn = (struct insn){.size = 1};
		insn.offset = at;
		at += insn.size;
		assert_true(insn_vec_push(insns, insn));
	}
	decoder_close(&decoder);
}

static void tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct insn_vec insns = {0};
		struct table_ref table = {0};
		code_init(&code, MACHINE_X86_64, rows[i].bytes, rows[i].size);
		decode(&insns);
		bool found = jump_pattern(&code.image, &code.functions[0], &insns, insns.len - 1,
					  &table);
		if (found != !!rows[i].address)
			fail_msg("row %zu: %s", i, found ? "a table" : "no table");
		if (found &&
		    (table.address != rows[i].address || table.relative != rows[i].relative))
			fail_msg("row %zu: %#llx", i, (unsigned long long)table.address);
		code.image.machine = MACHINE_RISCV64;
		assert_false(jump_pattern(&code.image, &code.functions[0], &insns, insns.len - 1,
					  &table));
		insn_vec_free(&insns);
		code_free(&code);
	}
}

/* The definition of a register is sought only so far. */
static void far_away(void **state)
{
	static const char begin[] = LEA LOAD ADD, end[] = JUMP;
	static uint8_t bytes[sizeof(begin) + 300 + sizeof(end)];
	struct insn_vec insns = {0};
	struct table_ref table;
	const struct insn nop = {.offset = sizeof(begin) - 1, .size = 1};

	(void)state;
	memset(bytes, 0x90, sizeof(bytes));
	memcpy(bytes, begin, sizeof(begin) - 1);
	memcpy(bytes + sizeof(begin), end, sizeof(end) - 1);
	code_init(&code, MACHINE_X86_64, bytes, sizeof(begin) + sizeof(end) - 1);
	decode(&insns);
	size_t jump = 4;
	assert_true(jump_pattern(&code.image, &code.functions[0], &insns, jump, &table));
	struct insn last = insns.at[jump];
	insns.len = jump;
	while (insns.len < 2100)
		assert_true(insn_vec_push(&insns, nop));
	assert_true(insn_vec_push(&insns, last));
	assert_false(jump_pattern(&code.image, &code.functions[0], &insns, insns.len - 1, &table));
	insn_vec_free(&insns);
	code_free(&code);
}

/* What only LLVM knows is no instruction without it. */
static void single_instructions(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		enum insn_kind kind;
		uint64_t target;
		bool short_only, known;
	} insns[] = {
		{"\xe3\x02", 2, INSN_CONDITIONAL, 0x1004, true, true}, /* jrcxz      */
		{"\x0f\x0b", 2, INSN_TRAP, 0, false, true},            /* ud2        */
		{"\xc7\xf8\xf0\xff\xff\xff", 6, INSN_CONDITIONAL, 0xff6, false, false}, /* xbegin */
		{"\xd5\x10\xff\xd0", 4, INSN_CALL_INDIRECT, 0, false, false}, /* call *%r16 */
	};
	struct decoder decoder;
	struct insn insn;

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(insns) / sizeof(*insns); i++) {
		size_t n = i / 2;
		decoder_open(MACHINE_X86_64, &decoder);
		decoder.llvm_missing = i % 2;
		bool is = decoder_next(
			&decoder, (struct bytes){(const uint8_t *)insns[n].bytes, insns[n].size},
			0x1000, &insn);
		if (is != insns[n].known && is == decoder.llvm_missing)
			fail_msg("row %zu: %s", n, is ? "known" : "not known");
		if (is &&
		    (insn.size != insns[n].size || insn.kind != insns[n].kind ||
		     insn.target != insns[n].target || insn.short_only != insns[n].short_only))
			fail_msg("row %zu: size %u, kind %u, target %#llx", n, insn.size, insn.kind,
				 (unsigned long long)insn.target);
		assert_false(decoder_next(&decoder, (struct bytes){NULL, 0}, 0x1000, &insn));
		decoder_close(&decoder);
	}
}

static void put_words(uint64_t at, const uint64_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (unsigned byte = 0; byte < 8; byte++)
			code.bytes[at - CODE_BASE + 8 * i + byte] = (uint8_t)(words[i] >> 8 * byte);
}

/* Relocations of data: distances and whole addresses, by their type. */
static void relocations_of_data(void **state)
{
	static const uint64_t symbol[] = {0, 0, 0, 0, CODE_BASE + 2,
					  0}; /* number 1: a location in f */
	static const struct {
		uint32_t type;
		size_t relative, absolute;
	} types[] = {
		{R_X86_64_PC64, 1, 0}, {R_X86_64_PC32, 1, 0}, {R_X86_64_PLT32, 1, 0},
		{R_X86_64_64, 0, 1},   {R_X86_64_NONE, 0, 0}, {R_X86_64_TPOFF64, 0, 0},
	};
	struct section sections[] = {
		code_section(".text", CODE_BASE, CODE_DATA - CODE_BASE, SHF_EXECINSTR),
		code_section(".rodata", CODE_DATA, 0x200, 0),
		{.name = text_of(".symtab"), .type = SHT_SYMTAB, .offset = 0xc00, .size = 48},
		{.name = text_of(".rela.text"),
		 .type = SHT_RELA,
		 .offset = 0xd00,
		 .info = 1,
		 .link = 3},
		{.name = text_of(".rela.rodata"),
		 .type = SHT_RELA,
		 .offset = 0xe00,
		 .size = 24,
		 .info = 2,
		 .link = 3},
	};
	static struct section_part parts[] = {
		{CODE_BASE, 0}, {CODE_DATA, 1}, {CODE_DATA + 0x200, NO_SECTION_THERE}};
	static const uint32_t number = 0;

	(void)state;
	code_init(&code, MACHINE_X86_64, "\x90\x90\x90\xc3", 4);
	for (uint32_t i = 0; i < 5; i++)
		sections[i].index = i + 1;
	code.image.sections = sections;
	code.image.section_count = 5;
	code.image.parts = parts;
	code.image.part_count = 3;
	put_words(CODE_BASE + 0xc00, symbol, 6);
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const uint64_t rela[] = {CODE_DATA + 8, UINT64_C(1) << 32 | types[i].type, 0};
		struct chosen chosen = {&code.image, &code.table, &number, 1};
		struct label_vec labels = {0};
		struct relocs relocs;
		put_words(CODE_BASE + 0xe00, rela, 3);
		assert_true(labels_of_relocs(&chosen, &relocs, &labels));
		assert_int_equal(relocs.relative.len, types[i].relative);
		assert_int_equal(relocs.absolute.len, types[i].absolute);
		assert_int_equal(relocs_has(&relocs.relative, CODE_DATA + 8), types[i].relative);
		assert_int_equal(relocs_has(&relocs.absolute, CODE_DATA + 8), types[i].absolute);
		assert_int_equal(labels.len, types[i].absolute);
		if (labels.len)
			assert_int_equal(labels.at[0].address, CODE_BASE + 2);
		label_vec_free(&labels);
		relocs_free(&relocs);
	}
	code_free(&code);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),
		cmocka_unit_test(far_away),
		cmocka_unit_test(single_instructions),
		cmocka_unit_test(relocations_of_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
