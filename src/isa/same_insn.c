/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/isa/same_insn.h"

#include <string.h>

#include "src/isa/x86_insn.h"

/* Compares without displacements from the instruction itself, and without the length of
 * immediate values, which BOLT shortens. */
static bool same_x86(struct bytes a, struct bytes b)
{
	struct x86_insn x, y;

	if (!x86_decode(a, &x) || !x86_decode(b, &y))
		return false;
	bool relative = x.is_memory && x.base == X86_RIP && y.base == X86_RIP;
	bool immediate = (x.opcode | 2) == (y.opcode | 2) && x.map == X86_ONE_BYTE;
	return x.map == y.map && (x.opcode == y.opcode || immediate) && x.wide == y.wide &&
	       x.reg == y.reg && x.rm == y.rm && x.is_memory == y.is_memory && x.base == y.base &&
	       x.index == y.index && x.scale == y.scale &&
	       (relative || x.displacement == y.displacement);
}

/* The bits of an instruction that are no part of an address.  On these machines two
 * instructions make an address: adrp, auipc or lui sets the page, and an add, load or store has
 * the rest. */
static uint32_t fixed_bits(enum machine machine, uint32_t word)
{
	if (machine == MACHINE_AARCH64) {
		if ((word & 0x1f000000) == 0x10000000) /* adr, adrp */
			return 0x1f00001f;
		if ((word & 0x1f000000) == 0x11000000 || (word & 0x3b000000) == 0x39000000)
			return 0xffc003ff; /* add, sub; load, store */
		return UINT32_MAX;
	}
	switch (word & 0x7f) {
	case 0x17:
	case 0x37: /* auipc, lui */ return 0xfff;
	case 0x03:
	case 0x07:
	case 0x13:
	case 0x1b: /* load, add */ return 0xfffff;
	case 0x23:
	case 0x27: /* store */ return 0x1fff07f;
	}
	return UINT32_MAX;
}

static bool same_risc(enum machine machine, struct bytes a, struct bytes b)
{
	if (a.size != 4 || b.size != 4)
		return false;
	uint32_t bits = fixed_bits(machine, le32(a.data));
	return !((le32(a.data) ^ le32(b.data)) & bits);
}

/* Is it compared as a branch?  A system call is not. */
static bool is_branch_insn(const struct insn *insn)
{
	return insn->kind != INSN_NEXT && insn->kind != INSN_SYSTEM;
}

bool same_instruction(enum machine machine, struct bytes a, const struct insn *i, struct bytes b,
		      const struct insn *k)
{
	if (is_branch_insn(i) || is_branch_insn(k))
		return i->kind == k->kind || (insn_is_call(*i) && insn_is_call(*k));
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): what was decoded has bytes */
	if (i->size == k->size && !memcmp(a.data, b.data, i->size))
		return true;
	a = bytes_first(a, i->size);
	b = bytes_first(b, k->size);
	return machine == MACHINE_X86_64 ? same_x86(a, b) : same_risc(machine, a, b);
}

/* The bits of a conditional jump that are no part of an address; *turn: that which turns it round.
 */
static uint32_t condition_bits(enum machine machine, struct bytes code, uint32_t *turn)
{
	struct x86_insn x;

	*turn = 1;
	if (machine == MACHINE_X86_64) {
		bool is_jump = x86_decode(code, &x) &&
			       ((x.map == X86_ONE_BYTE && (x.opcode & 0xf0) == 0x70) ||
				(x.map == X86_0F && (x.opcode & 0xf0) == 0x80));
		return is_jump ? 0x70 | (x.opcode & 0xf) : 0;
	}
	uint32_t word = code.size < 4 ? 0 : le32(code.data);
	if (machine == MACHINE_RISCV64) {
		*turn = 1 << 12;
		return (word & 0x7f) == 0x63 ? word & 0x01fff07f : 0;
	}
	if ((word & 0xff000000) == 0x54000000)
		return word & 0xff00001f;
	*turn = 1 << 24;
	return (word & 0x7e000000) == 0x36000000 ? word & 0xfff8001f : word & 0xff00001f;
}

enum same_condition same_condition(enum machine machine, struct bytes a, struct bytes b)
{
	uint32_t turn, one = condition_bits(machine, a, &turn),
		       other = condition_bits(machine, b, &turn);

	if (!one || (one | turn) != (other | turn))
		return CONDITION_OTHER;
	return one == other ? CONDITION_SAME : CONDITION_TURNED;
}
