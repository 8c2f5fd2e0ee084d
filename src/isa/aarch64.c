/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AArch64: one 32-bit word. */
#include "src/isa/machines.h"

#define NOP UINT32_C(0xd503201f)

static struct insn of_kind(enum insn_kind kind)
{
	return (struct insn){.size = 4, .kind = (uint8_t)kind};
}

/* A word displacement of `bits` bits from bit `shift` on. */
static struct insn relative(enum insn_kind kind, uint32_t word, unsigned shift, unsigned bits,
			    uint64_t at)
{
	struct insn insn = of_kind(kind);

	insn.target = at + sign_extend((uint64_t)(word >> shift), bits) * 4;
	return insn;
}

/* Unconditional branch (register).  The variants with pointer authentication
 * differ in bits that do not matter here. */
static enum insn_kind register_branch(uint32_t word)
{
	bool plain = (word >> 10 & 0x3f) == 0 && (word & 0x1f) == 0;
	bool authenticated = (word >> 11 & 0x1f) == 1;

	if ((word >> 16 & 0x1f) != 0x1f || !(plain || authenticated))
		return INSN_NEXT;
	switch (word >> 21 & 0xf) {
	case 0: /* br, braaz */ return INSN_JUMP_INDIRECT;
	case 1: /* blr, blraaz */ return INSN_CALL_INDIRECT;
	case 8: /* braa: with a modifier register */
		return authenticated ? INSN_JUMP_INDIRECT : INSN_NEXT;
	case 9: /* blraa */ return authenticated ? INSN_CALL_INDIRECT : INSN_NEXT;
	case 2: /* ret, retaa, retaasppcr */ return INSN_RETURN;
	case 4: /* eret, eretaa */ return (word >> 5 & 0x1f) == 0x1f ? INSN_RETURN : INSN_NEXT;
	case 5: /* drps */ return plain && (word >> 5 & 0x1f) == 0x1f ? INSN_RETURN : INSN_NEXT;
	}
	return INSN_NEXT;
}

/* svc, hvc, smc; brk; hlt; dcps1 to 3 */
static enum insn_kind exception(uint32_t word)
{
	uint32_t low = word & 0x1f;
	bool numbered = low >= 1 && low <= 3;

	switch (word >> 21 & 7) {
	case 0:
	case 5: return numbered ? INSN_SYSTEM : INSN_NEXT;
	case 1: return low ? INSN_NEXT : INSN_BREAK;
	case 2: return low ? INSN_NEXT : INSN_SYSTEM;
	}
	return INSN_NEXT;
}

/* adr: the one instruction that can form an address near by on its own */
static struct insn address_near_by(uint32_t word, uint64_t at)
{
	struct insn insn = of_kind(INSN_NEXT);

	insn.target = at + sign_extend((word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3), 21);
	return insn;
}

static struct insn branch(uint32_t word, uint64_t at)
{
	if ((word & 0x7c000000) == 0x14000000) /* b, bl */
		return relative(word >> 31 ? INSN_CALL : INSN_JUMP, word, 0, 26, at);
	if ((word & 0xff000000) == 0x54000000) /* b.cond, bc.cond */
		return relative(INSN_CONDITIONAL, word, 5, 19, at);
	if ((word & 0x7e000000) == 0x34000000) /* cbz, cbnz */
		return relative(INSN_CONDITIONAL, word, 5, 19, at);
	if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return relative(INSN_CONDITIONAL, word, 5, 14, at);
	if ((word & 0x7e000000) == 0x74000000) /* cb<cc>: compare and branch */
		return relative(INSN_CONDITIONAL, word, 5, 9, at);
	if ((word & 0xfe000000) == 0xd6000000)
		return of_kind(register_branch(word));
	if ((word & 0xffe0001f) == 0x5500001f || (word & 0xffe0001f) == 0x5520001f)
		return of_kind(INSN_RETURN); /* retaasppc, retabsppc */
	return of_kind((word & 0xff000000) == 0xd4000000 ? exception(word) : INSN_NEXT);
}

bool aarch64_page(uint32_t word, uint64_t at, uint64_t *page)
{
	uint64_t high = (word >> 5) & 0x7ffff, low = (word >> 29) & 3;

	*page = (at & ~UINT64_C(0xfff)) + (sign_extend(high << 2 | low, 21) << 12);
	return (word & 0x9f00001f) == 0x90000010;
}

bool aarch64_far_jump(struct bytes code, uint64_t at, uint64_t *target)
{
	uint64_t page;

	if (code.size < 12 || !aarch64_page(le32(code.data), at, &page))
		return false;
	uint32_t add = le32(code.data + 4);
	*target = page + ((add >> 10) & 0xfff);
	return (add & 0xffc003ff) == 0x91000210 && le32(code.data + 8) == 0xd61f0200;
}

struct insn insn_aarch64(struct bytes code, uint64_t at)
{
	if (code.size < 4)
		return (struct insn){.size = 0};
	uint32_t word = le32(code.data);

	if ((word & 0x9f000000) == 0x10000000)
		return address_near_by(word, at);
	if (!(word >> 16)) /* udf */
		return of_kind(INSN_TRAP);
	struct insn insn = branch(word, at);
	insn.nop = word == NOP;
	return insn;
}
