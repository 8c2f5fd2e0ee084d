/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/isa/stack_effect.h"

#include "src/isa/machines.h"
#include "src/isa/x86_insn.h"

static void add_step(struct stack_effect *e, enum stack_step_kind kind, uint8_t reg, uint8_t base,
		     int64_t value)
{
	e->steps[e->count++] = (struct stack_step){kind, reg, base, value};
}

/* ---- x86-64 ---- */

enum { DWARF_RBP = 6, DWARF_RSP = 7 };

/* From the numbers that instructions have to those of DWARF. */
static const uint8_t x86_dwarf[16] = {0, 2, 1,  3,  DWARF_RSP, DWARF_RBP, 4,  5,
				      8, 9, 10, 11, 12,        13,        14, 15};

static uint64_t x86_mask(uint32_t numbers)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < 16; i++)
		if (numbers >> i & 1)
			mask |= UINT64_C(1) << x86_dwarf[i];
	return mask;
}

/* The number in the low bits of an opcode, with that of a REX prefix right before it. */
static uint8_t register_of_opcode(struct bytes code)
{
	uint8_t opcode = code.data[code.size - 1];
	bool extended = code.size > 1 && (code.data[code.size - 2] & 0xf1) == 0x41;

	return x86_dwarf[(opcode & 7) + (extended ? 8 : 0)];
}

static void push(struct stack_effect *e, uint8_t reg)
{
	add_step(e, STACK_SET, DWARF_RSP, DWARF_RSP, -8);
	add_step(e, STACK_STORE, reg, DWARF_RSP, 0);
}

static void pop(struct stack_effect *e, uint8_t reg)
{
	if (reg != STACK_NO_REGISTER)
		add_step(e, STACK_LOAD, reg, DWARF_RSP, 0);
	if (reg != DWARF_RSP)
		add_step(e, STACK_SET, DWARF_RSP, DWARF_RSP, 8);
}

/* Is its memory operand a distance from one register? */
static bool is_plain_memory(const struct x86_insn *insn)
{
	return insn->is_memory && !insn->segment && insn->index == X86_NO_REGISTER &&
	       insn->base < 16;
}

static int64_t immediate_of(const struct x86_insn *insn, struct bytes code)
{
	const uint8_t *end = code.data + insn->size;

	return insn->opcode == 0x81 ? (int32_t)le32(end - 4) : (int8_t)end[-1];
}

/* Moves, additions and addresses of 64 bits, between registers and with an address relative to
 * one. */
static bool take_wide(const struct x86_insn *insn, struct bytes code, struct stack_effect *e)
{
	uint8_t reg = x86_dwarf[insn->reg & 15], rm = x86_dwarf[insn->rm & 15];
	uint8_t base = insn->base < 16 ? x86_dwarf[insn->base] : STACK_NO_REGISTER;

	switch (insn->opcode) {
	case 0x89:
		if (!insn->is_memory)
			add_step(e, STACK_SET, rm, reg, 0);
		else if (is_plain_memory(insn))
			add_step(e, STACK_STORE, reg, base, insn->displacement);
		return true;
	case 0x8b:
		if (!insn->is_memory)
			add_step(e, STACK_SET, reg, rm, 0);
		else if (is_plain_memory(insn))
			add_step(e, STACK_LOAD, reg, base, insn->displacement);
		else
			return false;
		return true;
	case 0x8d:
		if (!is_plain_memory(insn))
			return false;
		add_step(e, STACK_SET, reg, base, insn->displacement);
		return true;
	case 0x81:
	case 0x83:
		if (insn->is_memory || ((insn->reg & 7) != 0 && (insn->reg & 7) != 5))
			return false;
		int64_t value = immediate_of(insn, code);
		add_step(e, STACK_SET, rm, rm, (insn->reg & 7) ? -value : value);
		return true;
	}
	return false;
}

static bool take_stack(const struct x86_insn *insn, struct bytes code, struct stack_effect *e)
{
	switch (insn->opcode) {
	case 0x50:
	case 0x51:
	case 0x52:
	case 0x53:
	case 0x54:
	case 0x55:
	case 0x56:
	case 0x57: push(e, register_of_opcode(code)); return true;
	case 0x58:
	case 0x59:
	case 0x5a:
	case 0x5b:
	case 0x5c:
	case 0x5d:
	case 0x5e:
	case 0x5f: pop(e, register_of_opcode(code)); return true;
	case 0x68:
	case 0x6a:
	case 0x9c: push(e, STACK_NO_REGISTER); return true;
	case 0x8f:
	case 0x9d:
		pop(e, insn->opcode == 0x9d || insn->is_memory ? STACK_NO_REGISTER :
								 x86_dwarf[insn->rm & 15]);
		return true;
	case 0xff:
		if ((insn->reg & 7) != 6)
			return false;
		push(e, insn->is_memory ? STACK_NO_REGISTER : x86_dwarf[insn->rm & 15]);
		return true;
	case 0xc9:
		add_step(e, STACK_SET, DWARF_RSP, DWARF_RBP, 0);
		pop(e, DWARF_RBP);
		return true;
	}
	return false;
}

static struct stack_effect x86_effect(struct bytes code)
{
	struct stack_effect e = {.count = 0};
	struct x86_insn insn;

	if (!x86_decode(code, &insn)) {
		e.unknown = true;
		return e;
	}
	code = bytes_first(code, insn.size);
	bool one_byte = insn.map == X86_ONE_BYTE;
	bool pushes_small =
		one_byte && code.data[0] == 0x66 && insn.opcode >= 0x50 && insn.opcode <= 0x5f;
	if (one_byte && !pushes_small &&
	    (take_stack(&insn, code, &e) || (insn.wide && take_wide(&insn, code, &e))))
		return e;
	e.writes = x86_mask(insn.writes);
	if (pushes_small)
		e.writes |= UINT64_C(1) << DWARF_RSP;
	return e;
}

/* ---- AArch64 ---- */

enum { DWARF_SP = 31, DWARF_FIRST_V = 64 };

static void take_pair(uint32_t word, bool vector, struct stack_effect *e)
{
	bool load = word >> 22 & 1;
	unsigned index = word >> 23 & 3; /* 1: after, 2: offset, 3: before */
	int64_t offset = (int64_t)sign_extend(word >> 15 & 0x7f, 7) * 8;
	uint8_t base = word >> 5 & 31, add = vector ? DWARF_FIRST_V : 0;
	uint8_t first = (uint8_t)((word & 31) + add), second = (uint8_t)((word >> 10 & 31) + add);
	int64_t at = index == 2 ? offset : 0;

	if (index == 3)
		add_step(e, STACK_SET, base, base, offset);
	add_step(e, load ? STACK_LOAD : STACK_STORE,
		 !vector && first == 31 ? STACK_NO_REGISTER : first, base, at);
	add_step(e, load ? STACK_LOAD : STACK_STORE,
		 !vector && second == 31 ? STACK_NO_REGISTER : second, base, at + 8);
	if (index == 1)
		add_step(e, STACK_SET, base, base, offset);
}

static void take_single(uint32_t word, struct stack_effect *e)
{
	bool load = word >> 22 & 1;
	uint8_t base = word >> 5 & 31, reg = word & 31;
	enum stack_step_kind kind = load ? STACK_LOAD : STACK_STORE;

	if (reg == 31)
		reg = STACK_NO_REGISTER;
	if ((word & 0xff800000) == 0xf9000000) {
		add_step(e, kind, reg, base, (int64_t)(word >> 10 & 0xfff) * 8);
		return;
	}
	int64_t offset = (int64_t)sign_extend(word >> 12 & 0x1ff, 9);
	unsigned index = word >> 10 & 3; /* 0: offset, 1: after, 3: before */
	if (index == 3)
		add_step(e, STACK_SET, base, base, offset);
	add_step(e, kind, reg, base, index ? 0 : offset);
	if (index == 1)
		add_step(e, STACK_SET, base, base, offset);
}

static struct stack_effect aarch64_effect(struct bytes code)
{
	struct stack_effect e = {.count = 0};

	if (code.size < 4) {
		e.unknown = true;
		return e;
	}
	uint32_t word = le32(code.data);
	if ((word & 0xbf800000) == 0x91000000) { /* bit 23 is of other instructions: addg, smax */
		int64_t value = (int64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);
		add_step(&e, STACK_SET, word & 31, word >> 5 & 31, word >> 30 & 1 ? -value : value);
	} else if ((word & 0xfe000000) == 0xa8000000 && word >> 23 & 3) {
		take_pair(word, false, &e);
	} else if ((word & 0xfe000000) == 0x6c000000 && word >> 23 & 3) {
		take_pair(word, true, &e);
	} else if ((word & 0xff800000) == 0xf9000000 ||
		   ((word & 0xffa00000) == 0xf8000000 && (word >> 10 & 3) != 2)) {
		take_single(word, &e);
	} else if ((word & 0xffe0ffe0) == 0xaa0003e0) {
		if ((word >> 16 & 31) != 31)
			add_step(&e, STACK_SET, word & 31, word >> 16 & 31, 0);
		else
			e.writes = UINT64_C(1) << (word & 31);
	} else if ((word & 31) != 31) { /* a store or a branch writes no register, but this does no
					   harm: see `writes` */
		e.writes = UINT64_C(1) << (word & 31);
	}
	return e;
}

/* ---- all ---- */

struct stack_effect stack_effect_of(enum machine machine, struct bytes code)
{
	if (machine == MACHINE_X86_64)
		return x86_effect(code);
	if (machine == MACHINE_AARCH64)
		return aarch64_effect(code);
	return (struct stack_effect){.unknown = true};
}

#define BIT(n) (UINT64_C(1) << (n))

struct stack_roles stack_roles_of(enum machine machine)
{
	switch (machine) {
	case MACHINE_X86_64: /* rbx, rbp, r12 to r15 */
		return (struct stack_roles){DWARF_RSP, DWARF_RBP, STACK_NO_REGISTER,
					    BIT(3) | BIT(DWARF_RBP) | UINT64_C(0xf000)};
	case MACHINE_AARCH64: /* x19 to x29 */
		return (struct stack_roles){DWARF_SP, 29, 30, UINT64_C(0x3ff80000)};
	case MACHINE_RISCV64: /* s0 to s11 */ break;
	}
	return (struct stack_roles){2, 8, 1, BIT(8) | BIT(9) | UINT64_C(0xffc0000)};
}

bool stack_effects_equal(const struct stack_effect *a, const struct stack_effect *b)
{
	bool equal = a->count == b->count && a->writes == b->writes && a->unknown == b->unknown;

	for (unsigned i = 0; equal && i < a->count; i++) {
		const struct stack_step *s = &a->steps[i], *t = &b->steps[i];
		equal = s->kind == t->kind && s->reg == t->reg && s->base == t->base &&
			s->value == t->value;
	}
	return equal;
}

bool stack_effect_is_of_frame(enum machine machine, const struct stack_effect *effect)
{
	struct stack_roles roles = stack_roles_of(machine);

	if (effect->writes >> roles.stack_pointer & 1)
		return true;
	for (unsigned i = 0; i < effect->count; i++) {
		const struct stack_step *step = &effect->steps[i];
		bool in_frame =
			step->base == roles.stack_pointer || step->base == roles.frame_pointer;
		bool kept =
			step->reg == roles.link || (step->reg < 64 && roles.kept >> step->reg & 1);
		if (step->reg == roles.stack_pointer ||
		    (step->kind == STACK_SET ?
			     step->reg == roles.frame_pointer && step->base == roles.stack_pointer :
			     in_frame && kept))
			return true;
	}
	return false;
}
