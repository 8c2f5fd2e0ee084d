/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Hand-picked encodings; tests/isa compares whole programs with LLVM and Zydis. */
#include <string.h>

#include "src/base/attr.h"
#include "src/base/text.h"
#include "src/isa/insn.h"
#include "tests/support/cmocka.h"

#define AT 0x1000

struct sample {
	const char *what;
	uint8_t size, bytes[15];
	enum insn_kind kind;
	uint64_t target;
};

/* For x86-64 some are not certain. */
static bool is_size_of(enum machine machine, const struct sample *s, struct insn insn)
{
	return insn.size == (insn.lock ? 1 : s->size) || (machine == MACHINE_X86_64 && !insn.size);
}

/* insn_branch() says the same, but what address is formed. */
static void check_branch(enum machine machine, const struct sample *s, struct bytes code)
{
	struct insn insn = insn_branch(machine, code, AT);

	assert_int_equal(insn.kind, s->kind);
	if (insn_is_direct(insn))
		assert_int_equal(insn.target, s->target);
}

static void check_all(enum machine machine, const struct sample *samples, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct sample *s = &samples[i];
		struct bytes code = {s->bytes, s->size};
		struct insn insn = insn_decode(machine, code, AT);
		if (insn.kind != s->kind || insn.target != s->target ||
		    !is_size_of(machine, s, insn))
			fail_msg("%s: kind %d target 0x%llx size %d", s->what, insn.kind,
				 (unsigned long long)insn.target, insn.size);
		check_branch(machine, s, code);
		/* Cut short it is none. */
		for (code.size = 0; code.size < s->size && !insn.lock; code.size++) {
			insn = insn_decode(machine, code, AT);
			assert_int_equal(insn.kind, INSN_NEXT);
			if (machine != MACHINE_RISCV64) /* a part may be a shorter one */
				assert_int_equal(insn.size, 0);
		}
	}
}

static void test_x86(void **state)
{
	static const struct sample samples[] = {
		{"ret", 1, {0xc3}, INSN_RETURN, 0},
		{"rep ret", 2, {0xf3, 0xc3}, INSN_RETURN, 0},
		{"bnd ret", 2, {0xf2, 0xc3}, INSN_RETURN, 0},
		{"ret 8", 3, {0xc2, 8, 0}, INSN_RETURN, 0},
		{"retf", 1, {0xcb}, INSN_RETURN, 0},
		{"retf 8", 3, {0xca, 8, 0}, INSN_RETURN, 0},
		{"iretq", 2, {0x48, 0xcf}, INSN_RETURN, 0},
		{"jmp short back", 2, {0xeb, 0xfe}, INSN_JUMP, AT},
		{"jmp near", 5, {0xe9, 0, 1, 0, 0}, INSN_JUMP, AT + 0x105},
		{"call", 5, {0xe8, 0xfb, 0xff, 0xff, 0xff}, INSN_CALL, AT},
		{"bnd call", 6, {0xf2, 0xe8, 0, 0, 0, 0}, INSN_CALL, AT + 6},
		{"data16 data16 rex.W call",
		 8,
		 {0x66, 0x66, 0x48, 0xe8, 1, 0, 0, 0},
		 INSN_CALL,
		 AT + 9},
		{"je short", 2, {0x74, 0x10}, INSN_CONDITIONAL, AT + 0x12},
		{"jg near",
		 6,
		 {0x0f, 0x8f, 0, 0, 0, 0x80},
		 INSN_CONDITIONAL,
		 AT + 6 - UINT64_C(0x80000000)},
		{"jne with hint", 3, {0x3e, 0x75, 0}, INSN_CONDITIONAL, AT + 3},
		{"jrcxz", 2, {0xe3, 0}, INSN_CONDITIONAL, AT + 2},
		{"loopne", 2, {0xe0, 0}, INSN_CONDITIONAL, AT + 2},
		{"jmp *rax", 2, {0xff, 0xe0}, INSN_JUMP_INDIRECT, 0},
		{"notrack jmp *r11", 4, {0x3e, 0x41, 0xff, 0xe3}, INSN_JUMP_INDIRECT, 0},
		{"call *rax", 2, {0xff, 0xd0}, INSN_CALL_INDIRECT, 0},
		{"far call", 2, {0xff, 0x18}, INSN_CALL_INDIRECT, 0},
		{"far jmp", 2, {0xff, 0x28}, INSN_JUMP_INDIRECT, 0},
		{"syscall", 2, {0x0f, 0x05}, INSN_SYSTEM, 0},
		{"sysretq", 3, {0x48, 0x0f, 0x07}, INSN_SYSTEM, 0},
		{"int 0x80", 2, {0xcd, 0x80}, INSN_SYSTEM, 0},
		{"int3", 1, {0xcc}, INSN_SYSTEM, 0},
		{"push rax", 1, {0x50}, INSN_NEXT, 0},
		{"push *rax", 2, {0xff, 0x30}, INSN_NEXT, 0},
		{"far jmp of a register", 2, {0xff, 0xe8}, INSN_NEXT, 0},
		{"lock jmp", 3, {0xf0, 0xeb, 0}, INSN_NEXT, 0},
		{"setg", 3, {0x0f, 0x9f, 0xc0}, INSN_NEXT, 0},
		{"REX before a prefix", 4, {0x48, 0x66, 0x0f, 0x85}, INSN_NEXT, 0},
		{"15 prefixes",
		 15,
		 {0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
		  0x66, 0x66},
		 INSN_NEXT,
		 0},
	};

	(void)state;
	check_all(MACHINE_X86_64, samples, BC_COUNT(samples));
}

static void test_x86_length_limit(void **state)
{
	uint8_t code[16];

	(void)state;
	memset(code, 0x66, sizeof(code));
	code[14] = 0xc3;
	assert_int_equal(insn_branch(MACHINE_X86_64, (struct bytes){code, 15}, AT).kind,
			 INSN_RETURN);
	code[14] = 0x66;
	code[15] = 0xc3;
	assert_int_equal(insn_branch(MACHINE_X86_64, (struct bytes){code, 16}, AT).kind, INSN_NEXT);
}

static void test_aarch64(void **state)
{
	static const struct sample samples[] = {
		{"ret", 4, {0xc0, 0x03, 0x5f, 0xd6}, INSN_RETURN, 0},
		{"ret x1", 4, {0x20, 0x00, 0x5f, 0xd6}, INSN_RETURN, 0},
		{"retaa", 4, {0xff, 0x0b, 0x5f, 0xd6}, INSN_RETURN, 0},
		{"eret", 4, {0xe0, 0x03, 0x9f, 0xd6}, INSN_RETURN, 0},
		{"drps", 4, {0xe0, 0x03, 0xbf, 0xd6}, INSN_RETURN, 0},
		{"retaasppc", 4, {0x1f, 0x00, 0x00, 0x55}, INSN_RETURN, 0},
		{"b back", 4, {0xff, 0xff, 0xff, 0x17}, INSN_JUMP, AT - 4},
		{"bl", 4, {0x02, 0x00, 0x00, 0x94}, INSN_CALL, AT + 8},
		{"b.eq", 4, {0x40, 0x00, 0x00, 0x54}, INSN_CONDITIONAL, AT + 8},
		{"cbz w0", 4, {0xe0, 0xff, 0xff, 0x34}, INSN_CONDITIONAL, AT - 4},
		{"cbnz x1", 4, {0x41, 0x00, 0x00, 0xb5}, INSN_CONDITIONAL, AT + 8},
		{"tbz w0, 3", 4, {0x40, 0x00, 0x18, 0x36}, INSN_CONDITIONAL, AT + 8},
		{"tbnz x0, 63", 4, {0xe0, 0xff, 0xff, 0xb7}, INSN_CONDITIONAL, AT - 4},
		{"br x16", 4, {0x00, 0x02, 0x1f, 0xd6}, INSN_JUMP_INDIRECT, 0},
		{"blr x0", 4, {0x00, 0x00, 0x3f, 0xd6}, INSN_CALL_INDIRECT, 0},
		{"braa x0, x1", 4, {0x01, 0x08, 0x1f, 0xd7}, INSN_JUMP_INDIRECT, 0},
		{"svc 0", 4, {0x01, 0x00, 0x00, 0xd4}, INSN_SYSTEM, 0},
		{"brk 1", 4, {0x20, 0x00, 0x20, 0xd4}, INSN_BREAK, 0},
		/* Exceptions by opc, op2 and LL; the other combinations are not allocated. */
		{"smc 0", 4, {0x03, 0x00, 0x00, 0xd4}, INSN_SYSTEM, 0},
		{"none: opc 0, LL 0", 4, {0x00, 0x00, 0x00, 0xd4}, INSN_NEXT, 0},
		{"none: opc 0, op2 1", 4, {0x04, 0x00, 0x00, 0xd4}, INSN_NEXT, 0},
		{"none: opc 1, LL 1", 4, {0x01, 0x00, 0x20, 0xd4}, INSN_NEXT, 0},
		{"hlt 0", 4, {0x00, 0x00, 0x40, 0xd4}, INSN_SYSTEM, 0},
		{"none: opc 2, LL 2", 4, {0x02, 0x00, 0x40, 0xd4}, INSN_NEXT, 0},
		{"none: opc 3", 4, {0x01, 0x00, 0x60, 0xd4}, INSN_NEXT, 0},
		{"dcps1", 4, {0x01, 0x00, 0xa0, 0xd4}, INSN_SYSTEM, 0},
		{"dcps3", 4, {0x03, 0x00, 0xa0, 0xd4}, INSN_SYSTEM, 0},
		{"none: opc 5, LL 0", 4, {0x00, 0x00, 0xa0, 0xd4}, INSN_NEXT, 0},
		{"none: opc 5, op2 1", 4, {0x04, 0x00, 0xa0, 0xd4}, INSN_NEXT, 0},
		{"nop", 4, {0x1f, 0x20, 0x03, 0xd5}, INSN_NEXT, 0},
		{"ldr literal", 4, {0x40, 0x00, 0x00, 0x58}, INSN_NEXT, 0},
	};

	(void)state;
	check_all(MACHINE_AARCH64, samples, BC_COUNT(samples));
}

static void test_riscv(void **state)
{
	static const struct sample samples[] = {
		{"ret", 4, {0x67, 0x80, 0x00, 0x00}, INSN_RETURN, 0},
		{"jr t0", 4, {0x67, 0x80, 0x02, 0x00}, INSN_RETURN, 0},
		{"c.jr ra", 2, {0x82, 0x80}, INSN_RETURN, 0},
		{"mret", 4, {0x73, 0x00, 0x20, 0x30}, INSN_RETURN, 0},
		{"jal ra, +8", 4, {0xef, 0x00, 0x80, 0x00}, INSN_CALL, AT + 8},
		{"j -4", 4, {0x6f, 0xf0, 0xdf, 0xff}, INSN_JUMP, AT - 4},
		{"c.j -2", 2, {0xfd, 0xbf}, INSN_JUMP, AT - 2},
		{"beq a0, a1, +16", 4, {0x63, 0x08, 0xb5, 0x00}, INSN_CONDITIONAL, AT + 16},
		{"beqi a0, 5, +12",
		 4,
		 {0x63, 0x26, 0x55, 0x00},
		 INSN_CONDITIONAL,
		 AT + 12}, /* Zibi: as LLVM 24 assembles them */
		{"bnei a1, -1, +10", 4, {0x63, 0xb5, 0x05, 0x00}, INSN_CONDITIONAL, AT + 10},
		{"c.beqz a0, +4", 2, {0x11, 0xc1}, INSN_CONDITIONAL, AT + 4},
		{"c.bnez a0, -2", 2, {0x7d, 0xfd}, INSN_CONDITIONAL, AT - 2},
		{"jalr ra, t1", 4, {0xe7, 0x00, 0x03, 0x00}, INSN_CALL_INDIRECT, 0},
		{"jr a5", 4, {0x67, 0x80, 0x07, 0x00}, INSN_JUMP_INDIRECT, 0},
		{"c.jr a5", 2, {0x82, 0x87}, INSN_JUMP_INDIRECT, 0},
		{"c.jalr a5", 2, {0x82, 0x97}, INSN_CALL_INDIRECT, 0},
		{"ecall", 4, {0x73, 0x00, 0x00, 0x00}, INSN_SYSTEM, 0},
		{"c.ebreak", 2, {0x02, 0x90}, INSN_SYSTEM, 0},
		{"c.mv a0, a1", 2, {0x2e, 0x85}, INSN_NEXT, 0},
		{"csrr", 4, {0x73, 0x25, 0x00, 0xc0}, INSN_NEXT, 0},
	};

	(void)state;
	check_all(MACHINE_RISCV64, samples, BC_COUNT(samples));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_x86),
		cmocka_unit_test(test_x86_length_limit),
		cmocka_unit_test(test_aarch64),
		cmocka_unit_test(test_riscv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
