/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* AArch64: one 32-bit word. */
#include "src/isa/branch_isa.h"

/* A word displacement of `bits` bits from bit `shift` on. */
static struct branch_insn relative(enum branch_kind kind, uint32_t word, unsigned shift,
				   unsigned bits, uint64_t at)
{
	return branch_to(kind, at + sign_extend((uint64_t)(word >> shift), bits) * 4);
}

/* Unconditional branch (register).  The variants with pointer authentication
 * differ in bits that do not matter here. */
static enum branch_kind register_branch(uint32_t word)
{
	bool plain = (word >> 10 & 0x3f) == 0 && (word & 0x1f) == 0;
	bool authenticated = (word >> 11 & 0x1f) == 1;

	if ((word >> 16 & 0x1f) != 0x1f || !(plain || authenticated))
		return BRANCH_NONE;
	switch (word >> 21 & 0xf) {
	case 0: /* br, braaz; blr, blraaz */
	case 1:
		return BRANCH_INDIRECT;
	case 8: /* braa; blraa: with a modifier register */
	case 9:
		return authenticated ? BRANCH_INDIRECT : BRANCH_NONE;
	case 2: /* ret, retaa, retaasppcr */
		return BRANCH_RETURN;
	case 4: /* eret, eretaa */
		return (word >> 5 & 0x1f) == 0x1f ? BRANCH_RETURN : BRANCH_NONE;
	case 5: /* drps */
		return plain && (word >> 5 & 0x1f) == 0x1f ? BRANCH_RETURN : BRANCH_NONE;
	}
	return BRANCH_NONE;
}

/* svc, hvc, smc; brk; hlt; dcps1 to 3 */
static bool is_exception(uint32_t word)
{
	uint32_t low = word & 0x1f;

	switch (word >> 21 & 7) {
	case 0:
		return low >= 1 && low <= 3;
	case 1:
	case 2:
		return low == 0;
	case 5:
		return low >= 1 && low <= 3;
	}
	return false;
}

struct branch_insn branch_aarch64(struct bytes code, uint64_t at)
{
	if (code.size < 4)
		return branch_of_kind(BRANCH_NONE);
	uint32_t word = le32(code.data);

	if ((word & 0x7c000000) == 0x14000000) /* b, bl */
		return relative(BRANCH_DIRECT, word, 0, 26, at);
	if ((word & 0xff000000) == 0x54000000) /* b.cond, bc.cond */
		return relative(BRANCH_CONDITIONAL, word, 5, 19, at);
	if ((word & 0x7e000000) == 0x34000000) /* cbz, cbnz */
		return relative(BRANCH_CONDITIONAL, word, 5, 19, at);
	if ((word & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return relative(BRANCH_CONDITIONAL, word, 5, 14, at);
	if ((word & 0x7e000000) == 0x74000000) /* cb<cc>: compare and branch */
		return relative(BRANCH_CONDITIONAL, word, 5, 9, at);
	if ((word & 0xfe000000) == 0xd6000000)
		return branch_of_kind(register_branch(word));
	if ((word & 0xffe0001f) == 0x5500001f || (word & 0xffe0001f) == 0x5520001f)
		return branch_of_kind(BRANCH_RETURN); /* retaasppc, retabsppc */
	if ((word & 0xff000000) == 0xd4000000 && is_exception(word))
		return branch_of_kind(BRANCH_SYSTEM);
	return branch_of_kind(BRANCH_NONE);
}
