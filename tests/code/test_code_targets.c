/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whom calls and jumps lead to, directly and through slots of memory, in files put together by
 * hand. */
#include <string.h>

#include "src/code/targets.h"
#include "tests/elf/test_elf_want.h"

/* `f` at 1000, `g` at 1010; a PLT entry at 2010, through slot 7008.  Slots that the loader fills
 * with the address of a function: 7030 (f), 7020 (g).  7028 has an address inside g, 7038 one that
 * only the linker's own relocations show. */
static void begin(uint16_t machine, uint32_t relative, struct fixture *f, struct targets *out)
{
	static const uint8_t plt[] = {
		0xff, 0x35, 0,    0,    0,    0,    0xff, 0x25,
		0,    0,    0,    0,    0x0f, 0x1f, 0x40, 0, /* first */
		0xff, 0x25, 0xf2, 0x4f, 0,    0,    0x68, 0,
		0,    0,    0,    0xe9, 0,    0,    0,    0, /* 7008 */
	};
	static const char dynstr[] = "\0puts";
	static const Elf64_Sym dynsym[] = {{0}, {.st_name = 1, .st_info = 0x12}};
	const Elf64_Rela jump_slots[] = {{0x7008, ELF64_R_INFO(1, R_X86_64_JUMP_SLOT), 0}};
	const Elf64_Rela loaded[] = {
		{0x7030, relative, 0x1000},
		{0x7028, relative, 0x1014},
		{0x7040, relative + 1, 0x1000},
		{0x7020, relative, 0x1010},
	};
	const Elf64_Rela not_loaded[] = {{0x7038, relative, 0x1000}};
	static const uint8_t code[0x20];
	const struct build_section sections[] = {
		{.name = ".rela.dyn",
		 .type = SHT_RELA,
		 .flags = SHF_ALLOC,
		 .addr = 0x9100,
		 .data = loaded,
		 .size = sizeof(loaded),
		 .link = ".dynsym",
		 .entsize = sizeof(Elf64_Rela)},
		{.name = ".text", CODE(TEXT), .data = code, .size = sizeof(code)},
		{.name = ".plt",
		 CODE(0x2000),
		 .data = plt,
		 .size = machine == EM_X86_64 ? sizeof(plt) : 0},
		{.name = ".dynamic", .type = SHT_DYNAMIC, .flags = SHF_ALLOC, .addr = 0x6000},
		{.name = ".data", DATA(0x7000), .size = 0x100},
		{.name = ".dynstr",
		 .type = SHT_STRTAB,
		 .flags = SHF_ALLOC,
		 .addr = 0x8000,
		 .data = dynstr,
		 .size = sizeof(dynstr)},
		{.name = ".dynsym",
		 .type = SHT_DYNSYM,
		 .flags = SHF_ALLOC,
		 .addr = 0x8100,
		 .data = dynsym,
		 .size = sizeof(dynsym),
		 .link = ".dynstr",
		 .entsize = sizeof(dynsym[0])},
		{.name = ".rela.plt",
		 .type = SHT_RELA,
		 .flags = SHF_ALLOC,
		 .addr = 0x9000,
		 .data = jump_slots,
		 .size = sizeof(jump_slots),
		 .link = ".dynsym",
		 .entsize = sizeof(Elf64_Rela)},
		{.name = ".rela.data",
		 .type = SHT_RELA,
		 .data = not_loaded,
		 .size = sizeof(not_loaded),
		 .entsize = sizeof(Elf64_Rela)},
		{0},
	};
	static const struct build_symbol symbols[] = {
		GLOBAL_FUNC("f", 0x1000, 0x10), GLOBAL_FUNC("g", 0x1010, 0x10), {0}};
	struct bc_error err;

	*f = open_recipe(
		&(struct build_elf){.machine = machine, .sections = sections, .symbols = symbols});
	assert_true(targets_open(&f->image, &f->table, out, &err));
}

/* name: of the function, or NULL */
static void leads_to(const struct targets *targets, enum insn_kind kind, uint64_t target,
		     const char *name)
{
	struct insn insn = {.kind = (uint8_t)kind, .target = target, .size = 6};
	uint32_t to = targets_of(targets, &insn);

	assert_int_equal(to == NO_TARGET, !name);
	if (name)
		assert_string_equal(targets->functions->at[to].primary, name);
}

static void slots_are_right(const struct targets *targets)
{
	static const enum insn_kind kinds[] = {INSN_CALL_INDIRECT, INSN_JUMP_INDIRECT};

	for (size_t i = 0; i < BC_COUNT(kinds); i++) {
		leads_to(targets, kinds[i], 0x7020, "g");
		leads_to(targets, kinds[i], 0x7030, "f");
		leads_to(targets, kinds[i], 0x7028, NULL); /* inside a function */
		leads_to(targets, kinds[i], 0x7038, NULL); /* no loader reads that relocation */
		leads_to(targets, kinds[i], 0x7040, NULL); /* another kind of relocation */
		leads_to(targets, kinds[i], 0x7048, NULL);
		leads_to(targets, kinds[i], 0x7000, NULL);
		leads_to(targets, kinds[i], 0, NULL);      /* through a register */
		leads_to(targets, kinds[i], 0x1000, NULL); /* code is no slot */
	}
}

static void direct_ones_are_right(const struct targets *targets)
{
	static const enum insn_kind kinds[] = {INSN_CALL, INSN_JUMP, INSN_CONDITIONAL};

	for (size_t i = 0; i < BC_COUNT(kinds); i++) {
		leads_to(targets, kinds[i], 0x1000, "f");
		leads_to(targets, kinds[i], 0x1010, "g");
		leads_to(targets, kinds[i], 0x1014, NULL);
		leads_to(targets, kinds[i], 0x7020, NULL); /* a slot is no code */
	}
	leads_to(targets, INSN_NEXT, 0x1000, NULL); /* takes its address */
	leads_to(targets, INSN_RETURN, 0x1000, NULL);
}

static void end(struct fixture *f, struct targets *targets)
{
	targets_close(targets);
	assert_null(targets->slots);
	close_fixture(f);
}

static void on_x86_64(void **state)
{
	struct targets targets;
	struct fixture f;

	(void)state;
	begin(EM_X86_64, R_X86_64_RELATIVE, &f, &targets);
	slots_are_right(&targets);
	direct_ones_are_right(&targets);
	leads_to(&targets, INSN_CALL, 0x2010, "puts@PLT");
	leads_to(&targets, INSN_CALL_INDIRECT, 0x7008,
		 "puts@PLT"); /* past the entry, through its slot */
	end(&f, &targets);
}

static void on_other_machines(void **state)
{
	static const struct {
		uint16_t machine;
		uint32_t relative;
	} rows[] = {{EM_AARCH64, R_AARCH64_RELATIVE}, {EM_RISCV, R_RISCV_RELATIVE}};

	(void)state;
	for (size_t i = 0; i < BC_COUNT(rows); i++) {
		struct targets targets;
		struct fixture f;
		begin(rows[i].machine, rows[i].relative, &f, &targets);
		slots_are_right(&targets);
		direct_ones_are_right(&targets);
		end(&f, &targets);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(on_x86_64),
		cmocka_unit_test(on_other_machines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
