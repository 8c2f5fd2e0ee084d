/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What instructions do to the frame; bytes and steps by hand, from GNU as and the architectures'
 * manuals. */
#include "src/isa/stack_effect.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cmocka.h"

struct effect_case {
	const char *insn;
	enum machine machine;
	uint8_t code[12];
	size_t size;
	const char *want; /* steps; registers written otherwise; whether it is of the frame */
};

#define BYTES(...) {__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define WORD(w)    {(w) & 0xff, (w) >> 8 & 0xff, (w) >> 16 & 0xff, (w) >> 24 & 0xff}, 4

/* DWARF: rax 0, rdx 1, rcx 2, rbx 3, rbp 6, rsp 7, r12 12; sp 31, x29, x30, d8 72 */
static const struct effect_case cases[] = {
	{"push %rbx", MACHINE_X86_64, BYTES(0x53), "r7=r7-8 [r7+0]=r3 frame"},
	{"push %r12", MACHINE_X86_64, BYTES(0x41, 0x54), "r7=r7-8 [r7+0]=r12 frame"},
	{"push $1", MACHINE_X86_64, BYTES(0x6a, 1), "r7=r7-8 [r7+0]=? frame"},
	{"push 8(%rdi)", MACHINE_X86_64, BYTES(0xff, 0x77, 8), "r7=r7-8 [r7+0]=? frame"},
	{"pop %rbp", MACHINE_X86_64, BYTES(0x5d), "r6=[r7+0] r7=r7+8 frame"},
	{"pop %r12", MACHINE_X86_64, BYTES(0x41, 0x5c), "r12=[r7+0] r7=r7+8 frame"},
	{"sub $0x18,%rsp", MACHINE_X86_64, BYTES(0x48, 0x83, 0xec, 0x18), "r7=r7-24 frame"},
	{"sub $-0x80,%rsp", MACHINE_X86_64, BYTES(0x48, 0x83, 0xec, 0x80), "r7=r7+128 frame"},
	{"add $0x148,%rsp", MACHINE_X86_64, BYTES(0x48, 0x81, 0xc4, 0x48, 1, 0, 0),
	 "r7=r7+328 frame"},
	{"and $-16,%rsp", MACHINE_X86_64, BYTES(0x48, 0x83, 0xe4, 0xf0), "writes 80 frame"},
	{"lea -0x18(%rbp),%rsp", MACHINE_X86_64, BYTES(0x48, 0x8d, 0x65, 0xe8), "r7=r6-24 frame"},
	{"mov %rsp,%rbp", MACHINE_X86_64, BYTES(0x48, 0x89, 0xe5), "r6=r7+0 frame"},
	{"mov %rbx,0x10(%rsp)", MACHINE_X86_64, BYTES(0x48, 0x89, 0x5c, 0x24, 0x10),
	 "[r7+16]=r3 frame"},
	{"mov -0x18(%rsp),%rbp", MACHINE_X86_64, BYTES(0x48, 0x8b, 0x6c, 0x24, 0xe8),
	 "r6=[r7-24] frame"},
	{"mov %rax,0x10(%rsp)", MACHINE_X86_64, BYTES(0x48, 0x89, 0x44, 0x24, 0x10), "[r7+16]=r0"},
	{"leave", MACHINE_X86_64, BYTES(0xc9), "r7=r6+0 r6=[r7+0] r7=r7+8 frame"},
	{"mov %rdi,%rbx", MACHINE_X86_64, BYTES(0x48, 0x89, 0xfb), "r3=r5+0"},
	{"xor %ebx,%ebx", MACHINE_X86_64, BYTES(0x31, 0xdb), "writes 8"},
	{"mov $7,%ebp", MACHINE_X86_64, BYTES(0xbd, 7, 0, 0, 0), "writes 40"},
	{"sub sp, sp, #0x20", MACHINE_AARCH64, WORD(0xd10083ff), "r31=r31-32 frame"},
	{"mov x29, sp", MACHINE_AARCH64, WORD(0x910003fd), "r29=r31+0 frame"},
	{"stp x29, x30, [sp, #-48]!", MACHINE_AARCH64, WORD(0xa9bd7bfd),
	 "r31=r31-48 [r31+0]=r29 [r31+8]=r30 frame"},
	{"stp x19, x20, [sp, #16]", MACHINE_AARCH64, WORD(0xa90153f3),
	 "[r31+16]=r19 [r31+24]=r20 frame"},
	{"stp d8, d9, [sp, #32]", MACHINE_AARCH64, WORD(0x6d0227e8), "[r31+32]=r72 [r31+40]=r73"},
	{"ldp x29, x30, [sp], #48", MACHINE_AARCH64, WORD(0xa8c37bfd),
	 "r29=[r31+0] r30=[r31+8] r31=r31+48 frame"},
	{"str x21, [sp, #32]", MACHINE_AARCH64, WORD(0xf90013f5), "[r31+32]=r21 frame"},
	{"str x30, [sp, #-16]!", MACHINE_AARCH64, WORD(0xf81f0ffe), "r31=r31-16 [r31+0]=r30 frame"},
	{"ldr x30, [sp], #16", MACHINE_AARCH64, WORD(0xf84107fe), "r30=[r31+0] r31=r31+16 frame"},
	{"mov x19, x0", MACHINE_AARCH64, WORD(0xaa0003f3), "r19=r0+0"},
	{"addg x0, x0, #0, #1", MACHINE_AARCH64, WORD(0x91800400), "writes 1"},
	{"add x0, x0, #1", MACHINE_AARCH64, WORD(0x91000400), "r0=r0+1"},
};

static void print_effect(enum machine machine, const struct stack_effect *e, char *out, size_t size)
{
	*out = 0;
	for (unsigned i = 0; i < e->count; i++) {
		const struct stack_step *s = &e->steps[i];
		char reg[16] = "?";
		if (s->reg != STACK_NO_REGISTER)
			snprintf(reg, sizeof(reg), "r%u", s->reg);
		size_t len = strlen(out);
		const char *blank = len ? " " : "";
		if (s->kind == STACK_SET)
			snprintf(out + len, size - len, "%s%s=r%u%+" PRId64, blank, reg, s->base,
				 s->value);
		else if (s->kind == STACK_STORE)
			snprintf(out + len, size - len, "%s[r%u%+" PRId64 "]=%s", blank, s->base,
				 s->value, reg);
		else
			snprintf(out + len, size - len, "%s%s=[r%u%+" PRId64 "]", blank, reg,
				 s->base, s->value);
	}
	if (e->writes)
		snprintf(out + strlen(out), size - strlen(out), "%swrites %" PRIx64,
			 *out ? " " : "", e->writes);
	if (stack_effect_is_of_frame(machine, e))
		snprintf(out + strlen(out), size - strlen(out), " frame");
}

static void test_effects(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct effect_case *c = &cases[i];
		struct stack_effect e =
			stack_effect_of(c->machine, (struct bytes){c->code, c->size});
		char text[200];
		print_effect(c->machine, &e, text, sizeof(text));
		if (e.unknown || strcmp(text, c->want) != 0)
			fail_msg("%s: %s, not %s", c->insn, text, c->want);
	}
	assert_true(stack_effect_of(MACHINE_X86_64, (struct bytes){(const uint8_t *)"\x06", 1})
			    .unknown);
	assert_true(stack_effect_of(MACHINE_AARCH64, (struct bytes){(const uint8_t *)"\x06", 1})
			    .unknown);
	assert_true(stack_effect_of(MACHINE_RISCV64,
				    (struct bytes){(const uint8_t *)"\x13\x01\x01\xfe", 4})
			    .unknown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_effects)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
