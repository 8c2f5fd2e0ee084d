/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The decoder compared with LLVM: on every instruction of real programs, and on random
 * bytes.  Without libLLVM that part is skipped. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "src/base/file.h"
#include "src/isa/insn.h"
#include "src/isa/llvm.h"
#include "src/isa/x86_insn.h"
#include "src/elf/image.h"
#include "tests/support/skip.h"
#include "tests/support/prng.h"

#define BIT(n) (1u << (n))

static const struct {
	const char *bytes;
	size_t size;
	uint32_t writes;
} known[] = {
	{"\x90", 1, BIT(0) * 0},
	{"\x48\x8d\x15\xf9\x07\x00\x00", 7, BIT(X86_RDX)},        /* lea 7f9(%rip),%rdx         */
	{"\x48\x63\x04\xba", 4, BIT(X86_RAX)},                    /* movslq (%rdx,%rdi,4),%rax  */
	{"\x48\x01\xd0", 3, BIT(X86_RAX)},                        /* add %rdx,%rax              */
	{"\x48\x01\x10", 3, 0},                                   /* add %rdx,(%rax)            */
	{"\x48\x03\xd0", 3, BIT(X86_RDX)},                        /* add %rax,%rdx              */
	{"\x39\xf8", 2, 0},                                       /* cmp %edi,%eax              */
	{"\x83\xf8\x05", 3, 0},                                   /* cmp $5,%eax                */
	{"\x83\xc0\x05", 3, BIT(X86_RAX)},                        /* add $5,%eax                */
	{"\x49\xf7\xfc", 3, BIT(X86_RAX) | BIT(X86_RDX)},         /* idiv %r12                  */
	{"\x48\x99", 2, BIT(X86_RDX)},                            /* cqto                       */
	{"\xb4\x01", 2, BIT(X86_RAX)},                            /* mov $1,%ah                 */
	{"\x40\xb4\x01", 3, BIT(X86_RSP)},                        /* mov $1,%spl                */
	{"\x49\xb8\1\2\3\4\5\6\7\x08", 10, BIT(8)},               /* movabs $..,%r8             */
	{"\x66\xb8\1\2", 4, BIT(X86_RAX)},                        /* mov $0x201,%ax             */
	{"\x41\x5f", 2, BIT(15)},                                 /* pop %r15                   */
	{"\x0f\xb6\xc0", 3, BIT(X86_RAX)},                        /* movzbl %al,%eax            */
	{"\x0f\x94\xc1", 3, BIT(X86_RCX)},                        /* sete %cl                   */
	{"\x0f\x11\x44\x24\x10", 5, 0},                           /* movups %xmm0,0x10(%rsp)    */
	{"\x66\x48\x0f\x7e\xc1", 5, BIT(X86_RCX)},                /* movq %xmm0,%rcx            */
	{"\xf3\x0f\x7e\xc1", 4, 0},                               /* movq %xmm1,%xmm0           */
	{"\xc4\xe2\xf1\xf7\xd3", 5, BIT(X86_RDX)},                /* shlx %rcx,%rbx,%rdx        */
	{"\xc5\xf8\x77", 3, 0},                                   /* vzeroupper                 */
	{"\xf0\x0f\xb1\x0f", 1, 0},                               /* lock                       */
	{"\x0f\x38\xf0\x08", 4, BIT(X86_RCX)},                    /* movbe (%rax),%ecx          */
	{"\x0f\x38\xf1\x08", 4, 0},                               /* movbe %ecx,(%rax)          */
	{"\xf2\x0f\x38\xf0\xc8", 5, BIT(X86_RCX)},                /* crc32b %al,%ecx            */
	{"\x66\x0f\x38\xf6\xc8", 5, BIT(X86_RCX)},                /* adcx %eax,%ecx             */
	{"\x66\x0f\x38\x00\xc8", 5, 0},                           /* pshufb %xmm0,%xmm1         */
	{"\x66\x0f\x38\xdc\xc8", 5, 0},                           /* aesenc %xmm0,%xmm1         */
	{"\x66\x0f\x3a\x14\xc0\x01", 6, BIT(X86_RAX)},            /* pextrb $1,%xmm0,%eax       */
	{"\x66\x0f\x3a\x14\x00\x01", 6, 0},                       /* pextrb $1,%xmm0,(%rax)     */
	{"\x66\x0f\x3a\x44\xc8\x01", 6, 0},                       /* pclmulqdq $1,%xmm0,%xmm1   */
	{"\xc5\xf9\x7e\xc1", 4, BIT(X86_RCX)},                    /* vmovd %xmm0,%ecx           */
	{"\xc5\xf9\x7e\x01", 4, 0},                               /* vmovd %xmm0,(%rcx)         */
	{"\xc4\xe2\x78\xf3\xc9", 5, BIT(X86_RAX)},                /* blsr %ecx,%eax             */
	{"\xc4\xe2\x7b\xf6\xd1", 5, BIT(X86_RAX) | BIT(X86_RDX)}, /* mulx %ecx,%eax,%edx  */
	{"\xc4\xe3\x79\x14\xc0\x01", 6, BIT(X86_RAX)},            /* vpextrb $1,%xmm0,%eax      */
	{"\x66\x0f\x71\xd0\x01", 5, 0},                           /* psrlw $1,%xmm0             */
	{"\x66\x0f\x73\xd8\x01", 5, 0},                           /* psrldq $1,%xmm0            */
	{"\x62\xf1\x74\x48\x58\xc2", 6, 0},                       /* vaddps %zmm2,%zmm1,%zmm0   */
	{"\x62\xf1\x74\xc9\x58\x00", 6, 0}, /* vaddps (%rax),%zmm1,%zmm0{%k1}{z} */
	{"\x62\xf1\x74\x58\x58\x00", 6, 0}, /* vaddps (%rax){1to16},..    */
	{"\xc5\xf8\x98\xc1", 4, 0},         /* kortestw %k1,%k0           */
	{"\xc5\xfc\x77", 3, 0},             /* vzeroall                   */
	{"\xf3\xc3", 2, 0},                 /* rep ret                    */
	{"\xf2\xe8\0\0\0\0", 6, 0},         /* bnd call                   */
	{"\x67\xe8\0\0\0\0", 6, 0},         /* addr32 call                */
};

static const struct {
	const char *bytes;
	size_t size;
} unknown[] = {
	{"\x0f\x38\xf0\xc8", 4},         /* movbe between registers            */
	{"\xf3\x0f\x38\xf0\xc8", 5},     /* crc32 with the other prefix        */
	{"\xf3\x0f\x38\x00\xc8", 5},     /* pshufb with a prefix it has not    */
	{"\x0f\x38\x10\xc8", 4},         /* pblendvb without its 66            */
	{"\x0f\x3a\x14\xc0\x01", 5},     /* pextrb without its 66              */
	{"\x62\xf0\x74\x48\x58\xc2", 6}, /* EVEX, map 0                        */
	{"\x62\xf1\x70\x48\x58\xc2", 6}, /* EVEX without its bit that is 1     */
	{"\xf3\xc5\xf9\x7e\xc1", 5},     /* a prefix before VEX                */
	{"\xc4\xe0\x7b\xf6\xd1", 5},     /* VEX, map 0                         */
	{"\x66\x0f\x71\xc0\x01", 5},     /* 71 /0 is none                      */
	{"\x66\x0f\x73\xc0\x01", 5},     /* 73 /0 is none                      */
	{"\xc5\xe2\xbf\xfe", 4},         /* VEX, no such opcode                */
	{"\xc5\xf0\x77", 3},             /* vzeroupper has no second register  */
	{"\xc5\xf9\x77", 3},             /* nor a 66                           */
	{"\xc5\x69\x7e\xc1", 4},         /* vmovd has no second register       */
	{"\xc5\x78\x98\xc1", 4},         /* kortestw %k1,%k8                   */
	{"\x62\xf1\x74\x68\x58\xc2", 6}, /* EVEX of 1024 bits                  */
	{"\x62\xf1\x74\xc8\x58\xc2", 6}, /* zeroed by no mask                  */
	{"\x66\xe9\0\0\0\0", 6},         /* LLVM and processors do not agree   */
	{"\xf3\x89\xc0", 3},             /* nor here                           */
	{"\x8e\xc8", 2},                 /* mov %eax,%cs                       */
};

static void what_is_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct x86_insn insn;
		struct bytes code = {(const uint8_t *)known[i].bytes, known[i].size};
		assert_true(x86_decode(code, &insn));
		assert_int_equal(insn.size, known[i].size);
		assert_int_equal(insn.writes, known[i].writes);
		code.size--; /* cut */
		assert_false(x86_decode(code, &insn));
	}
}

/* What is not surely an instruction is not decoded, and left to LLVM. */
static void what_is_unknown(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		struct x86_insn insn;
		if (x86_decode((struct bytes){(const uint8_t *)unknown[i].bytes, unknown[i].size},
			       &insn))
			fail_msg("row %zu", i);
	}
}

static void operands(void **state)
{
	struct x86_insn insn;

	(void)state;
	assert_true(x86_decode((struct bytes){(const uint8_t *)"\x48\x8d\x15\xff\xff\xff\xff", 7},
			       &insn));
	assert_int_equal(x86_relative_address(&insn, 0x1000), 0xfff);
	assert_true(x86_decode((struct bytes){(const uint8_t *)"\x4b\x63\x44\xa5\x80", 5}, &insn));
	assert_int_equal(insn.base, 13);
	assert_int_equal(insn.index, 12);
	assert_int_equal(insn.scale, 4);
	assert_int_equal(insn.displacement, -128);
	assert_int_equal(x86_relative_address(&insn, 0x1000), 0);
}

/* Linear, as objdump: one byte on where there is no instruction. */
static void compare_section(const struct llvm_context *llvm, struct bytes code, uint64_t at,
			    size_t counts[2])
{
	while (code.size) {
		struct x86_insn insn;
		size_t size = llvm_length(llvm, code, at);
		bool known_here = size && x86_decode(code, &insn);
		if (known_here && insn.size != size)
			fail_msg("%lx: %zu bytes, not %u", (unsigned long)at, size, insn.size);
		counts[known_here] += size != 0;
		code = bytes_from(code, size ? size : 1);
		at += size ? size : 1;
	}
}

static void a_program(const struct llvm_context *llvm, const char *path)
{
	struct file_map file;
	struct image image;
	struct bc_error err;
	size_t counts[2] = {0, 0}; /* not known, known */

	assert_true(file_map(path, &file, &err));
	assert_true(image_open((struct bytes){file.data, file.size}, &image, &err));
	for (size_t i = 0; i < image.section_count; i++) {
		const struct section *s = &image.sections[i];
		if (s->flags & SHF_EXECINSTR)
			compare_section(llvm, image_section_bytes(&image, s), s->addr, counts);
	}
	assert_true(counts[1] > 1000);
	assert_true(counts[0] * 1000 <= counts[1]); /* one in a thousand */
	image_close(&image);
	file_unmap(&file);
}

static void programs(void **state)
{
	struct llvm_context llvm;

	(void)state;
	if (!llvm_open(&llvm))
		test_skip("no libLLVM to compare with (apt install libllvm19)");
	a_program(&llvm, BATCONV_SOURCE_DIR "/inputs/demo/demo");
	a_program(&llvm, BATCONV_DATA_DIR "sqlite/sq.b22");
	llvm_close(&llvm);
}

/* What is certain is an instruction to LLVM, too. */
static void random_bytes(void **state)
{
	struct llvm_context llvm;
	struct prng prng = {20261120};

	(void)state;
	if (!llvm_open(&llvm))
		test_skip("no libLLVM to compare with (apt install libllvm19)");
	for (int i = 0; i < 200000; i++) {
		uint64_t words[2] = {prng_next(&prng), prng_next(&prng)};
		uint8_t bytes[16];
		struct x86_insn insn;
		memcpy(bytes, words, sizeof(bytes));
		struct bytes code = {bytes, sizeof(bytes)};
		if (!x86_decode(code, &insn))
			continue;
		size_t size = llvm_length(&llvm, code, 0x1000);
		if (insn.size != size)
			fail_msg("%02x %02x %02x %02x: %zu bytes, not %u", bytes[0], bytes[1],
				 bytes[2], bytes[3], size, insn.size);
	}
	llvm_close(&llvm);
}

/* insn_decode() has a shorter way for the plainest instructions. */
static void same_by_both_ways(struct bytes code)
{
	const uint64_t at = 0x401000;
	struct insn whole = insn_decode(MACHINE_X86_64, code, at),
		    branch = insn_branch(MACHINE_X86_64, code, at);
	struct x86_insn operands;
	bool certain = x86_decode(code, &operands);
	uint64_t formed = certain ? x86_relative_address(&operands, at + operands.size) : 0;

	if (whole.size != (certain ? operands.size : 0) || whole.kind != branch.kind ||
	    whole.nop != branch.nop || whole.lock != branch.lock ||
	    whole.short_only != branch.short_only ||
	    whole.target != (branch.target ? branch.target : formed))
		fail_msg("%02x %02x %02x %02x", code.data[0], code.data[1], code.data[2],
			 code.data[3]);
}

static void plain_instructions(void **state)
{
	static const uint8_t prefixes[] = {0, 0x41, 0x48, 0x66}, sibs[] = {0x24, 0x25, 0x80};

	(void)state;
	for (unsigned i = 0; i < 4 * 2 * 256 * 256; i++) {
		uint8_t bytes[24] = {0}, *p = bytes;
		if (prefixes[i & 3])
			*p++ = prefixes[i & 3];
		if (i >> 2 & 1)
			*p++ = 0x0f;
		*p++ = (uint8_t)(i >> 3);
		*p++ = (uint8_t)(i >> 11);
		for (unsigned k = 0; k < 12; k++)
			*p++ = k ? (uint8_t)(0x90 + k) : sibs[i % 3];
		same_by_both_ways((struct bytes){bytes, 16});
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_known), cmocka_unit_test(what_is_unknown),
		cmocka_unit_test(operands),      cmocka_unit_test(programs),
		cmocka_unit_test(random_bytes),  cmocka_unit_test(plain_instructions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
