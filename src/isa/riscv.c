/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* RISC-V, 64 bits: 32-bit words, and compressed ones of 16 bits. */
#include "src/isa/machines.h"

/* `count` bits of a word from bit `from` on, moved to bit `to`. */
static uint64_t bits(uint32_t word, unsigned from, unsigned count, unsigned to)
{
	return (uint64_t)(word >> from & ((1u << count) - 1)) << to;
}

/* The registers ra and t0 hold return addresses by convention, and processors
 * predict jumps through them as returns. */
static bool is_link_register(uint32_t number)
{
	return number == 1 || number == 5;
}

/* j: 20 bits in the order 20, 10-1, 11, 19-12 */
static uint64_t jump_displacement(uint32_t word)
{
	return sign_extend(bits(word, 31, 1, 20) | bits(word, 21, 10, 1) | bits(word, 20, 1, 11) |
				   bits(word, 12, 8, 12),
			   21);
}

/* b: 12, 10-5 at the top; 4-1, 11 at the bottom */
static uint64_t branch_displacement(uint32_t word)
{
	return sign_extend(bits(word, 31, 1, 12) | bits(word, 25, 6, 5) | bits(word, 8, 4, 1) |
				   bits(word, 7, 1, 11),
			   13);
}

static struct insn of_kind(enum insn_kind kind)
{
	return (struct insn){.kind = (uint8_t)kind};
}

static struct insn relative(enum insn_kind kind, uint64_t target)
{
	return (struct insn){.kind = (uint8_t)kind, .target = target};
}

static enum insn_kind system_kind(uint32_t word)
{
	switch (word) {
	case 0x00000073: /* ecall */
	case 0x00100073: /* ebreak */ return INSN_SYSTEM;
	case 0x10200073: /* sret */
	case 0x30200073: /* mret */ return INSN_RETURN;
	case 0xc0001073: /* unimp */ return INSN_TRAP;
	}
	return INSN_NEXT;
}

/* jalr, c.jr and c.jalr keep their return address in rd; x0 keeps none. */
static enum insn_kind register_kind(uint32_t rd, uint32_t rs1)
{
	if (rd)
		return INSN_CALL_INDIRECT;
	return is_link_register(rs1) ? INSN_RETURN : INSN_JUMP_INDIRECT;
}

static struct insn full(uint32_t word, uint64_t at)
{
	uint32_t rd = word >> 7 & 31, rs1 = word >> 15 & 31, funct3 = word >> 12 & 7;

	switch (word & 0x7f) {
	case 0x6f: /* jal */
		return relative(rd ? INSN_CALL : INSN_JUMP, at + jump_displacement(word));
	case 0x67: /* jalr */ return of_kind(funct3 ? INSN_NEXT : register_kind(rd, rs1));
	case 0x63: /* beq, bne, blt, bge, bltu, bgeu; Zibi: beqi, bnei, with a number instead of
		      the second register */
		return relative(INSN_CONDITIONAL, at + branch_displacement(word));
	case 0x73: return of_kind(system_kind(word));
	}
	return of_kind(INSN_NEXT);
}

/* c.j: 11, 4, 9-8, 10, 6, 7, 3-1, 5 */
static uint64_t compressed_jump_displacement(uint32_t half)
{
	return sign_extend(bits(half, 12, 1, 11) | bits(half, 11, 1, 4) | bits(half, 9, 2, 8) |
				   bits(half, 8, 1, 10) | bits(half, 7, 1, 6) |
				   bits(half, 6, 1, 7) | bits(half, 3, 3, 1) | bits(half, 2, 1, 5),
			   12);
}

/* c.beqz: 8, 4-3 at the top; 7-6, 2-1, 5 at the bottom */
static uint64_t compressed_branch_displacement(uint32_t half)
{
	return sign_extend(bits(half, 12, 1, 8) | bits(half, 10, 2, 3) | bits(half, 5, 2, 6) |
				   bits(half, 3, 2, 1) | bits(half, 2, 1, 5),
			   9);
}

/* c.jr, c.jalr, c.ebreak: quadrant 2, without a second register */
static enum insn_kind compressed_register_kind(uint32_t half)
{
	uint32_t rs1 = half >> 7 & 31, links = half >> 12 & 1;

	if (!rs1)
		return links ? INSN_SYSTEM : INSN_NEXT;
	return register_kind(links, rs1);
}

static struct insn compressed(uint32_t half, uint64_t at)
{
	if (!half) /* c.unimp */
		return of_kind(INSN_TRAP);
	switch (half & 0xe003) {
	case 0xa001: /* c.j */ return relative(INSN_JUMP, at + compressed_jump_displacement(half));
	case 0xc001: /* c.beqz, c.bnez */
	case 0xe001: return relative(INSN_CONDITIONAL, at + compressed_branch_displacement(half));
	case 0x8002:
		if (!(half >> 2 & 31))
			return of_kind(compressed_register_kind(half));
	}
	return of_kind(INSN_NEXT);
}

struct insn insn_riscv(struct bytes code, uint64_t at)
{
	struct insn insn = {.size = 0};

	if (code.size < 2)
		return insn;
	if ((code.data[0] & 3) != 3) {
		uint32_t half = le16(code.data);
		insn = compressed(half, at);
		insn.size = 2;
		insn.nop = half == 1;
	} else if (code.size >= 4 &&
		   (code.data[0] & 0x1c) != 0x1c) { /* longer than 32 bits: none is in use */
		uint32_t word = le32(code.data);
		insn = full(word, at);
		insn.size = 4;
		insn.nop = word == 0x13;
	}
	return insn;
}
