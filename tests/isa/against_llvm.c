/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * insn_decode() says of every instruction what LLVM's disassembler says: of
 * those in real programs, and of random ones.  LLVM-C gives text, so its view
 * is read off the mnemonic.  With arguments, reads those files instead.
 */
#include <inttypes.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/base/text.h"
#include "src/isa/insn.h"
#include "tests/isa/programs.h"
#include "tests/support/cmocka.h"
#include "tests/support/prng.h"

/* LLVM writes each instruction as text, which takes microseconds: of a large library this must do.
 */
#define MOST_OF_ONE 400000

static char **given;
static int given_count;

/* What an instruction is by its text. */
struct llvm_view {
	enum insn_kind kind;
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
	d.llvm = LLVMCreateDisasmCPUFeatures(triples[machine], "", features[machine], NULL, 0, NULL,
					     NULL);
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
	static const char *const prefixes[] = {"lock",  "rep",      "repe",     "repne",  "notrack",
					       "bnd",   "data16",   "data32",   "addr32", "cs",
					       "ds",    "es",       "fs",       "gs",     "ss",
					       "rex64", "xacquire", "xrelease", NULL};

	return is_one_of(word, prefixes);
}

static enum insn_kind x86_kind(struct text word, struct text operands)
{
	static const char *const system[] = {"syscall",  "sysenter", "sysretq", "sysretl",
					     "sysexitq", "sysexitl", "sysexit", "sysret",
					     "int",      "int3",     "int1",    NULL};
	static const char *const traps[] = {"ud0",  "ud0w", "ud0l", "ud0q", "ud1", "ud1w",
					    "ud1l", "ud1q", "ud2",  "hlt",  NULL};
	bool indirect = operands.len && operands.at[0] == '*';

	if (text_starts(word, "ret") || text_starts(word, "lret") || text_starts(word, "iret"))
		return INSN_RETURN;
	if (text_starts(word, "ljmp"))
		return INSN_JUMP_INDIRECT;
	if (text_starts(word, "lcall"))
		return INSN_CALL_INDIRECT;
	if (text_starts(word, "jmp"))
		return indirect ? INSN_JUMP_INDIRECT : INSN_JUMP;
	if (text_starts(word, "call"))
		return indirect ? INSN_CALL_INDIRECT : INSN_CALL;
	if (text_starts(word, "j") || text_starts(word, "loop") || text_is(word, "xbegin"))
		return INSN_CONDITIONAL;
	if (is_one_of(word, traps))
		return INSN_TRAP;
	return is_one_of(word, system) ? INSN_SYSTEM : INSN_NEXT;
}

static enum insn_kind aarch64_kind(struct text word)
{
	static const char *const returns[] = {"ret",       "retaa",      "retab",      "eret",
					      "eretaa",    "eretab",     "drps",       "retaasppc",
					      "retabsppc", "retaasppcr", "retabsppcr", NULL};
	static const char *const conditional[] = {"cbz", "cbnz", "tbz", "tbnz", NULL};
	static const char *const jumps[] = {"br", "braa", "brab", "braaz", "brabz", NULL};
	static const char *const calls[] = {"blr", "blraa", "blrab", "blraaz", "blrabz", NULL};
	static const char *const system[] = {"svc",   "hvc",   "smc",   "hlt",
					     "dcps1", "dcps2", "dcps3", NULL};

	if (is_one_of(word, returns))
		return INSN_RETURN;
	if (text_is(word, "b"))
		return INSN_JUMP;
	if (text_is(word, "bl"))
		return INSN_CALL;
	if (text_starts(word, "b.") || text_starts(word, "bc.") || is_one_of(word, conditional))
		return INSN_CONDITIONAL;
	if (is_one_of(word, jumps))
		return INSN_JUMP_INDIRECT;
	if (is_one_of(word, calls))
		return INSN_CALL_INDIRECT;
	if (text_is(word, "brk"))
		return INSN_BREAK;
	if (text_is(word, "udf"))
		return INSN_TRAP;
	return is_one_of(word, system) ? INSN_SYSTEM : INSN_NEXT;
}

static enum insn_kind riscv_kind(struct text word, struct text operands)
{
	static const char *const returns[] = {"ret", "mret", "sret", NULL};
	static const char *const conditional[] = {"beq",  "bne",  "blt",  "bge",  "bltu",
						  "bgeu", "beqz", "bnez", "bltz", "bgez",
						  "blez", "bgtz", NULL};
	static const char *const system[] = {"ecall", "ebreak", NULL};

	if (is_one_of(word, returns))
		return INSN_RETURN;
	if (text_is(word, "jr"))
		return text_ends(operands, "ra") || text_ends(operands, "(ra)") ||
				       text_ends(operands, "t0") || text_ends(operands, "(t0)") ?
			       INSN_RETURN :
			       INSN_JUMP_INDIRECT;
	if (text_is(word, "jalr"))
		return INSN_CALL_INDIRECT;
	if (text_is(word, "j"))
		return INSN_JUMP;
	if (text_is(word, "jal"))
		return INSN_CALL;
	if (text_is(word, "unimp"))
		return INSN_TRAP;
	if (is_one_of(word, conditional))
		return INSN_CONDITIONAL;
	return is_one_of(word, system) ? INSN_SYSTEM : INSN_NEXT;
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
	if (operands.at[begin] == '$') /* jmpabs */
		return (uint64_t)strtoll(operands.at + begin + 1, NULL, 0);
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
	struct llvm_view view = {.kind = d->machine == MACHINE_X86_64  ? x86_kind(word, rest) :
					 d->machine == MACHINE_AARCH64 ? aarch64_kind(word) :
									 riscv_kind(word, rest)};
	view.has_target = insn_is_direct((struct insn){.kind = (uint8_t)view.kind});
	if (view.has_target)
		view.target = target_of(d, rest, at, size);
	return view;
}

static bool has_prefix(struct bytes code, uint8_t prefix)
{
	return memchr(code.data, prefix, code.size < 8 ? code.size : 8);
}

/* Where LLVM's view is not to be followed: it prints a branch with a lock prefix, which is invalid;
 * it reads the distance of a jump with an operand-size prefix as AMD processors do, and Intel's
 * differ; and it takes 0f after REX2, which is invalid.  None of these is certain to us. */
static bool is_excluded(const struct disassembler *d, const char *line, struct bytes code,
			struct insn ours)
{
	if (d->machine != MACHINE_X86_64 || (ours.size && !ours.lock))
		return false;
	return strstr(line, "lock") || (insn_is_direct(ours) && has_prefix(code, 0x66)) ||
	       (ours.kind == INSN_NEXT && has_prefix(code, 0xd5) && has_prefix(code, 0x0f));
}

static bool agrees(struct insn ours, struct llvm_view theirs, size_t size)
{
	return size && ours.kind == theirs.kind && (!ours.size || ours.size == size) &&
	       (!theirs.has_target || ours.target == theirs.target);
}

/* Compare one instruction; returns its size, 0 if LLVM cannot read it. */
static size_t compare(const struct disassembler *d, struct bytes code, uint64_t at, size_t *wrong)
{
	char line[256];
	uint8_t copy[16];
	size_t left = code.size < sizeof(copy) ? code.size : sizeof(copy);

	memcpy(copy, code.data, left); /* LLVM takes a pointer to non-const */
	size_t size = LLVMDisasmInstruction(d->llvm, copy, left, at, line, sizeof(line));
	struct insn ours = insn_decode(d->machine, code, at);
	struct llvm_view theirs = size ? view_of(d, line, at, size) : (struct llvm_view){0};
	if (size ? is_excluded(d, line, code, ours) : d->machine != MACHINE_X86_64 || !ours.size)
		return size;
	if (!agrees(ours, theirs, size) && ++*wrong <= 20) {
		print_message("0x%" PRIx64 ":%s: LLVM kind %d target 0x%" PRIx64
			      ", we %d 0x%" PRIx64 "; bytes",
			      at, line, theirs.kind, theirs.target, ours.kind, ours.target);
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

/* One machine's instructions. */
struct comparison {
	struct disassembler llvm;
	size_t count, wrong;
};

static void compare_code(void *ctx, const struct image *image, struct bytes code, uint64_t at)
{
	struct comparison *c = (struct comparison *)ctx + image->machine;
	size_t size, left = MOST_OF_ONE;

	for (; code.size && (left || given_count); at += size, left--) {
		size = compare(&c->llvm, code, at, &c->wrong);
		c->count += size > 0;
		size = size ? size : step_of(image->machine);
		code = bytes_from(code, size);
	}
}

static void test_programs(void **state)
{
	struct comparison all[MACHINE_RISCV64 + 1] = {0};

	(void)state;
	for (int m = 0; m <= MACHINE_RISCV64; m++)
		all[m].llvm = disassembler_open((enum machine)m);
	print_message("%zu programs\n", each_program(given, given_count, compare_code, all));
	for (int m = 0; m <= MACHINE_RISCV64; m++) {
		print_message("%s: %zu instructions, %zu differ\n", triples[m], all[m].count,
			      all[m].wrong);
		LLVMDisasmDispose(all[m].llvm.llvm);
		assert_true(all[m].count || given_count);
		assert_int_equal(all[m].wrong, 0);
	}
}

/* Random instructions, half of them with the beginning of a branch. */
static void random_code(struct prng *p, enum machine machine, uint8_t *code)
{
	static const uint8_t x86[] = {0x0f, 0xc2, 0xc3, 0xca, 0xcb, 0xcc, 0xcd, 0xcf,
				      0xe0, 0xe3, 0xe8, 0xe9, 0xeb, 0xff, 0x70, 0x7f};
	static const uint8_t x86_prefixes[] = {0x48, 0xf2, 0xf3, 0x3e, 0x2e, 0x41, 0x67, 0x64};
	uint64_t dice = prng_next(p);

	for (int i = 0; i < 16; i++)
		code[i] = (uint8_t)prng_next(p);
	if (dice & 1)
		return;
	if (machine == MACHINE_X86_64) {
		int at = 0;
		if (dice & 2) {
			random_x86(prng_next(p), code);
			return;
		}
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
		for (int i = 0; i < 1000000; i++) {
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
