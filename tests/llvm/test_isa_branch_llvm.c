/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * branch_decode() says of every instruction what LLVM's disassembler says: of
 * those in real programs, and of random ones.  LLVM-C gives text, so its view
 * is read off the mnemonic.  With arguments, reads those files instead.
 */
#include <elf.h>
#include <inttypes.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/file.h"
#include "src/elf/image.h"
#include "src/isa/branch.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

static const char *const programs[] = {
	"sqlite/sq", "sqlite/sq.b22", "aarch64/demo", "aarch64/sorts.b22", "riscv64/demo",
	"riscv64/sorts.b22",
};

static char **given;
static int given_count;

/* What an instruction is by its text. */
struct llvm_view {
	enum branch_kind kind;
	bool has_target;
	uint64_t target;
};

struct disassembler {
	enum machine machine;
	LLVMDisasmContextRef llvm;
};

static const char *const triples[] = {
	[MACHINE_X86_64] = "x86_64-linux-gnu",
	[MACHINE_AARCH64] = "aarch64-linux-gnu",
	[MACHINE_RISCV64] = "riscv64-linux-gnu",
};

/* LLVM must know what the decoder knows. */
static const char *const features[] = {
	[MACHINE_X86_64] = "",
	[MACHINE_AARCH64] = "+v9.5a,+pauth,+pauth-lr,+hbc,+el2vmsa,+el3",
	[MACHINE_RISCV64] = "+c,+m,+a,+f,+d",
};

static struct disassembler disassembler_open(enum machine machine)
{
	struct disassembler d = {machine, NULL};

	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86Disassembler();
	LLVMInitializeAArch64TargetInfo();
	LLVMInitializeAArch64TargetMC();
	LLVMInitializeAArch64Disassembler();
	LLVMInitializeRISCVTargetInfo();
	LLVMInitializeRISCVTargetMC();
	LLVMInitializeRISCVDisassembler();
	d.llvm = LLVMCreateDisasmCPUFeatures(triples[machine], "", features[machine], NULL, 0,
					     NULL, NULL);
	assert_non_null(d.llvm);
	return d;
}

static bool is_one_of(struct text word, const char *const *list)
{
	for (; *list; list++)
		if (text_is(word, *list))
			return true;
	return false;
}

static bool is_x86_prefix(struct text word)
{
	static const char *const prefixes[] = {
		"lock", "rep", "repe", "repne", "notrack", "bnd", "data16", "data32", "addr32",
		"cs", "ds", "es", "fs", "gs", "ss", "rex64", "xacquire", "xrelease", NULL};

	return is_one_of(word, prefixes);
}

static enum branch_kind x86_kind(struct text word, struct text operands)
{
	static const char *const system[] = {"syscall", "sysenter", "sysretq", "sysretl",
					     "sysexitq", "sysexitl", "sysexit", "sysret", "int",
					     "int3", "int1", NULL};
	bool indirect = operands.len && operands.at[0] == '*';

	if (text_starts(word, "ret") || text_starts(word, "lret") || text_starts(word, "iret"))
		return BRANCH_RETURN;
	if (text_starts(word, "ljmp") || text_starts(word, "lcall"))
		return BRANCH_INDIRECT;
	if (text_starts(word, "jmp") || text_starts(word, "call"))
		return indirect ? BRANCH_INDIRECT : BRANCH_DIRECT;
	if (text_starts(word, "j") || text_starts(word, "loop"))
		return BRANCH_CONDITIONAL;
	return is_one_of(word, system) ? BRANCH_SYSTEM : BRANCH_NONE;
}

static enum branch_kind aarch64_kind(struct text word)
{
	static const char *const returns[] = {"ret", "retaa", "retab", "eret", "eretaa", "eretab",
					      "drps", "retaasppc", "retabsppc", "retaasppcr",
					      "retabsppcr", NULL};
	static const char *const conditional[] = {"cbz", "cbnz", "tbz", "tbnz", NULL};
	static const char *const indirect[] = {
		"br", "blr", "braa", "brab", "braaz", "brabz", "blraa", "blrab", "blraaz",
		"blrabz", NULL};
	static const char *const system[] = {"svc", "hvc", "smc", "brk", "hlt", "dcps1", "dcps2",
					     "dcps3", NULL};

	if (is_one_of(word, returns))
		return BRANCH_RETURN;
	if (text_is(word, "b") || text_is(word, "bl"))
		return BRANCH_DIRECT;
	if (text_starts(word, "b.") || text_starts(word, "bc.") || is_one_of(word, conditional))
		return BRANCH_CONDITIONAL;
	if (is_one_of(word, indirect))
		return BRANCH_INDIRECT;
	return is_one_of(word, system) ? BRANCH_SYSTEM : BRANCH_NONE;
}

static enum branch_kind riscv_kind(struct text word, struct text operands)
{
	static const char *const returns[] = {"ret", "mret", "sret", NULL};
	static const char *const conditional[] = {
		"beq", "bne", "blt", "bge", "bltu", "bgeu", "beqz", "bnez", "bltz", "bgez",
		"blez", "bgtz", NULL};
	static const char *const system[] = {"ecall", "ebreak", NULL};

	if (is_one_of(word, returns))
		return BRANCH_RETURN;
	if (text_is(word, "jr"))
		return text_ends(operands, "ra") || text_ends(operands, "(ra)") ||
				       text_ends(operands, "t0") || text_ends(operands, "(t0)")
			       ? BRANCH_RETURN
			       : BRANCH_INDIRECT;
	if (text_is(word, "jalr"))
		return BRANCH_INDIRECT;
	if (text_is(word, "j") || text_is(word, "jal"))
		return BRANCH_DIRECT;
	if (is_one_of(word, conditional))
		return BRANCH_CONDITIONAL;
	return is_one_of(word, system) ? BRANCH_SYSTEM : BRANCH_NONE;
}

/* The number at the end of the operands, from the end of the instruction (x86)
 * or its beginning. */
static uint64_t target_of(const struct disassembler *d, struct text operands, uint64_t at,
			  size_t size)
{
	size_t begin = operands.len;

	while (begin && operands.at[begin - 1] != ' ' && operands.at[begin - 1] != '\t' &&
	       operands.at[begin - 1] != '#' && operands.at[begin - 1] != ',')
		begin--;
	uint64_t number = (uint64_t)strtoll(operands.at + begin, NULL, 0);
	return number + at + (d->machine == MACHINE_X86_64 ? size : 0);
}

static struct llvm_view view_of(const struct disassembler *d, const char *line, uint64_t at,
				size_t size)
{
	struct text rest = text_of(line), word;

	do
		word = text_word(&rest);
	while (d->machine == MACHINE_X86_64 && is_x86_prefix(word));
	rest = text_trim(text_first(rest, text_find(rest, '/'))); /* comments */
	struct llvm_view view = {.kind = d->machine == MACHINE_X86_64    ? x86_kind(word, rest)
					 : d->machine == MACHINE_AARCH64 ? aarch64_kind(word)
									 : riscv_kind(word, rest)};
	view.has_target = view.kind == BRANCH_DIRECT || view.kind == BRANCH_CONDITIONAL;
	if (view.has_target)
		view.target = target_of(d, rest, at, size);
	return view;
}

/* Where LLVM's view is not to be followed: it prints a branch with a lock prefix,
 * which is invalid; it reads the displacement of a jmp with an operand-size
 * prefix as AMD processors do, and Intel's and every other branch differ; and no
 * program has the APX instruction jmpabs. */
static bool is_excluded(const struct disassembler *d, const char *line, struct bytes code)
{
	return d->machine == MACHINE_X86_64 &&
	       (strstr(line, "lock") || strstr(line, "jmpabs") ||
		(strstr(line, "jmp") && code.size >= 4 && memchr(code.data, 0x66, 4)));
}

/* Compare one instruction; returns its size, 0 if LLVM cannot read it. */
static size_t compare(const struct disassembler *d, struct bytes code, uint64_t at,
		      size_t *wrong)
{
	char line[256];
	uint8_t copy[16];
	size_t left = code.size < sizeof(copy) ? code.size : sizeof(copy);

	memcpy(copy, code.data, left); /* LLVM takes a pointer to non-const */
	size_t size = LLVMDisasmInstruction(d->llvm, copy, left, at, line, sizeof(line));
	if (!size)
		return 0;
	struct llvm_view theirs = view_of(d, line, at, size);
	struct branch_insn ours = branch_decode(d->machine, code, (struct vaddr){at});
	if (is_excluded(d, line, code))
		return size;
	if (ours.kind == theirs.kind && (!theirs.has_target || ours.target.v == theirs.target))
		return size;
	if (++*wrong <= 20) {
		print_message("0x%" PRIx64 ":%s: LLVM kind %d target 0x%" PRIx64
			      ", we %d 0x%" PRIx64 "; bytes", at, line, theirs.kind,
			      theirs.target, ours.kind, ours.target.v);
		for (size_t i = 0; i < size; i++)
			print_message(" %02x", code.data[i]);
		print_message("\n");
	}
	return size;
}

static size_t step_of(enum machine machine)
{
	return machine == MACHINE_X86_64 ? 1 : machine == MACHINE_AARCH64 ? 4 : 2;
}

static void compare_image(const char *name, const struct image *image)
{
	struct disassembler d = disassembler_open(image->machine);
	size_t wrong = 0, count = 0;

	for (size_t i = 0; i < image->section_count; i++) {
		const struct section *s = &image->sections[i];
		struct bytes code = image_section_bytes(image, s);
		if (!(s->flags & SHF_EXECINSTR))
			continue;
		for (size_t at = 0, size; at < code.size; at += size, count++) {
			size = compare(&d, bytes_from(code, at), s->addr + at, &wrong);
			size = size ? size : step_of(image->machine);
		}
	}
	LLVMDisasmDispose(d.llvm);
	print_message("%s: %zu instructions, %zu differ\n", name, count, wrong);
	assert_int_not_equal(count, 0);
	assert_int_equal(wrong, 0);
}

static void compare_file(const char *path)
{
	struct bc_error err = {0};
	struct file_map map;
	struct image image;

	if (!file_map(path, &map, &err) ||
	    !image_open((struct bytes){map.data, map.size}, &image, &err))
		fail_msg("%s", err.text);
	compare_image(path, &image);
	image_close(&image);
	file_unmap(&map);
}

static void test_programs(void **state)
{
	char path[4096];

	(void)state;
	for (int i = 0; i < given_count; i++)
		compare_file(given[i]);
	for (size_t i = 0; i < BC_COUNT(programs) && !given_count; i++) {
		snprintf(path, sizeof(path), "%s%s", BATCONV_DATA_DIR, programs[i]);
		compare_file(path);
	}
}

/* Random instructions, half of them with the beginning of a branch. */
static void random_code(struct prng *p, enum machine machine, uint8_t *code)
{
	static const uint8_t x86[] = {0x0f, 0xc2, 0xc3, 0xca, 0xcb, 0xcc, 0xcd, 0xcf, 0xe0,
				      0xe3, 0xe8, 0xe9, 0xeb, 0xff, 0x70, 0x7f};
	static const uint8_t x86_prefixes[] = {0x48, 0xf2, 0xf3, 0x3e, 0x2e, 0x41, 0x67, 0x64};
	uint64_t dice = prng_next(p);

	for (int i = 0; i < 16; i++)
		code[i] = (uint8_t)prng_next(p);
	if (dice & 1)
		return;
	if (machine == MACHINE_X86_64) {
		int at = 0;
		while (at < 3 && dice >> (8 + at) & 1)
			code[at++] = x86_prefixes[prng_below(p, sizeof(x86_prefixes))];
		code[at] = x86[prng_below(p, sizeof(x86))];
	} else if (machine == MACHINE_AARCH64) {
		code[3] = (uint8_t)(0x54 | (dice >> 8 & 0x83));
		if (dice >> 16 & 1) {
			code[3] = 0xd6;
			code[2] |= 0x1f;
			code[1] &= dice >> 17 & 1 ? 0x03 : 0x0b;
			code[0] &= dice >> 18 & 1 ? 0xe0 : 0xff;
		}
	} else {
		static const uint8_t riscv[] = {0x6f, 0x67, 0x63, 0x73};
		code[0] = (uint8_t)((code[0] & 0x80) | riscv[prng_below(p, sizeof(riscv))]);
	}
}

static void test_random(void **state)
{
	uint64_t seed = 1;
	struct prng p = {seed};

	(void)state;
	for (int m = MACHINE_X86_64; m <= MACHINE_RISCV64; m++) {
		struct disassembler d = disassembler_open((enum machine)m);
		size_t wrong = 0, read = 0;
		for (int i = 0; i < 300000; i++) {
			uint8_t code[16];
			random_code(&p, d.machine, code);
			read += compare(&d, (struct bytes){code, 16}, 0x1000000, &wrong) > 0;
		}
		LLVMDisasmDispose(d.llvm);
		print_message("%s: %zu random instructions, %zu differ\n", triples[m], read, wrong);
		assert_int_equal(wrong, 0);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_random),
	};

	given = argv + 1;
	given_count = argc - 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
