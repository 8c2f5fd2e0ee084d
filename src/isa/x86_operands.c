/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Operands by the form of an opcode, a letter in the tables of x86_insn.c. */
#include "src/isa/x86_state.h"

static void take_sib(struct x86_state *d, unsigned mod, struct x86_insn *out)
{
	uint8_t sib = x86_take_byte(d);

	out->scale = (uint8_t)(1u << (sib >> 6));
	out->index = x86_extended(d, sib >> 3 & 7, 1);
	if (out->index == X86_RSP)
		out->index = X86_NO_REGISTER;
	out->base = x86_extended(d, sib & 7, 0);
	if ((sib & 7) == X86_RBP && !mod) {
		out->base = X86_NO_REGISTER;
		out->displacement = x86_take_word(d);
	}
}

void x86_take_modrm(struct x86_state *d, struct x86_insn *out)
{
	uint8_t modrm = x86_take_byte(d);
	unsigned mod = modrm >> 6, rm = modrm & 7;

	out->has_modrm = true;
	out->reg = x86_extended(d, modrm >> 3 & 7, 2);
	out->rm = x86_extended(d, rm, 0);
	out->is_memory = mod != 3;
	out->base = out->index = X86_NO_REGISTER;
	out->scale = 1;
	if (!out->is_memory)
		return;
	if (rm == X86_RSP) {
		take_sib(d, mod, out);
	} else if (!mod && rm == X86_RBP) {
		out->base = X86_RIP;
		out->displacement = x86_take_word(d);
	} else {
		out->base = out->rm;
	}
	if (mod == 1)
		out->displacement = (int8_t)x86_take_byte(d);
	else if (mod == 2)
		out->displacement = x86_take_word(d);
}

/* imm32, or imm16 */
static void take_immediate(struct x86_state *d)
{
	x86_skip(d, d->flags & X86_SIZE16 && !(d->rex & 8) ? 2 : 4);
}

/* Without REX the byte registers 4 to 7 are ah to bh. */
static uint32_t written(const struct x86_state *d, unsigned number, bool is_byte)
{
	return x86_bit(is_byte && !(d->flags & X86_REX) && number >= 4 ? number - 4 : number);
}

static bool is_byte_sized(const struct x86_insn *insn)
{
	if (insn->map == X86_0F)
		return (insn->opcode & 0xf0) == 0x90 || insn->opcode == 0xb0 || insn->opcode == 0xc0;
	return insn->map == X86_ONE_BYTE && !(insn->opcode & 1) && insn->opcode != 0x8c;
}

void x86_writes_rm(const struct x86_state *d, struct x86_insn *out)
{
	if (!out->is_memory)
		out->writes |= written(d, out->rm, is_byte_sized(out));
}

void x86_writes_reg(const struct x86_state *d, struct x86_insn *out)
{
	out->writes |= written(d, out->reg, is_byte_sized(out));
}

/* f6, f7: test with an immediate, not, neg, mul, imul, div, idiv */
static bool group_3(struct x86_state *d, struct x86_insn *out)
{
	switch (out->reg & 7) {
	case 0:
		if (out->opcode == 0xf6)
			x86_skip(d, 1);
		else
			take_immediate(d);
		return true;
	case 1:
		return false;
	case 2:
	case 3:
		x86_writes_rm(d, out);
		return true;
	}
	out->writes |= x86_bit(X86_RAX) | x86_bit(X86_RDX);
	return true;
}

/* fe, ff: inc, dec, call, far call, jmp, far jmp, push */
static bool group_5(struct x86_state *d, struct x86_insn *out)
{
	unsigned which = out->reg & 7;

	if (which <= 1)
		x86_writes_rm(d, out);
	if (out->opcode == 0xfe)
		return which <= 1;
	if (which <= 1)
		return true;
	return which != 7 && ((which != 3 && which != 5) || (out->is_memory && !(d->flags & X86_SIZE16)));
}

static bool group_of_one_byte(struct x86_state *d, struct x86_insn *out)
{
	unsigned which;

	x86_take_modrm(d, out);
	which = out->reg & 7;
	switch (out->opcode) {
	case 0x80: /* arithmetic with an immediate */
	case 0x81:
	case 0x83:
		if (which != 7)
			x86_writes_rm(d, out);
		if (out->opcode == 0x81)
			take_immediate(d);
		else
			x86_skip(d, 1);
		return true;
	case 0xc0: /* shifts */
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		x86_writes_rm(d, out);
		x86_skip(d, out->opcode < 0xd0);
		return which != 6;
	case 0xc6: /* mov */
	case 0xc7:
		x86_writes_rm(d, out);
		if (out->opcode == 0xc6)
			x86_skip(d, 1);
		else
			take_immediate(d);
		return which == 0;
	case 0xf6:
	case 0xf7:
		return group_3(d, out);
	}
	return group_5(d, out);
}

/* 0f ae, ba, c7 */
static bool group_of_two_bytes(struct x86_state *d, struct x86_insn *out)
{
	x86_take_modrm(d, out);
	unsigned which = out->reg & 7;
	switch (out->opcode) {
	case 0xae: /* fxsave to clflush; lfence, mfence, sfence */
		return out->is_memory || ((out->rm & 7) == 0 && which >= 5);
	case 0xba: /* bt, bts, btr, btc */
		x86_skip(d, 1);
		if (which != 4)
			x86_writes_rm(d, out);
		return which >= 4;
	}
	out->writes |= x86_bit(X86_RAX) | x86_bit(X86_RDX); /* cmpxchg8b, cmpxchg16b */
	return which == 1 && out->is_memory;
}

/* x87: those with a memory operand, and the plainest others. */
static bool x87(struct x86_state *d, struct x86_insn *out)
{
	x86_take_modrm(d, out);
	unsigned which = out->reg & 7;
	if (out->is_memory)
		return !(out->opcode == 0xd9 && which == 1) && !(out->opcode == 0xdd && which == 5) &&
		       !(out->opcode == 0xdb && (which == 4 || which == 6));
	out->writes = out->opcode == 0xdf ? x86_bit(X86_RAX) : 0; /* fnstsw */
	switch (out->opcode) {
	case 0xd8:
		return true;
	case 0xd9:
		if (which == 4) /* fchs, fabs, ftst, fxam */
			return (out->rm & 2) == 0;
		return which <= 1 || which >= 6 || (which == 5 && (out->rm & 7) != 7);
	case 0xda:
	case 0xdb:
		return which <= 3 || (out->opcode == 0xdb && (which == 5 || which == 6));
	case 0xdc:
	case 0xde:
		return which <= 1 || which >= 4;
	case 0xdd:
		return which == 2 || which == 3;
	}
	return which == 5 || which == 6 || (which == 4 && (out->rm & 7) == 0);
}

/* Forms without operands: what they write. */
static bool take_nothing(char form, unsigned low, struct x86_insn *out)
{
	static const uint32_t rax = 1u << X86_RAX, rcx = 1u << X86_RCX, rdx = 1u << X86_RDX;

	switch (form) {
	case '0':
		return true;
	case 'a':
		out->writes = rax;
		return true;
	case 'd':
		out->writes = rdx;
		return true;
	case 't':
		out->writes = rax | rdx;
		return true;
	case 'u':
		out->writes = rax | rcx | rdx | 1u << X86_RBX;
		return true;
	case 's':
		out->writes = rax | rcx | 1u << X86_RSI | 1u << X86_RDI;
		return true;
	case 'l':
		out->writes = 1u << X86_RBP;
		return true;
	case 'e':
		out->writes = x86_bit(low) | rax;
		return true;
	case 'o':
		out->writes = x86_bit(low);
		return true;
	}
	return false;
}

/* Forms with an immediate or a distance only.  With a prefix for 16 bits a jump by
 * four bytes is one that LLVM and processors do not agree on. */
static bool take_number(struct x86_state *d, char form, unsigned low, struct x86_insn *out,
			bool *known)
{
	bool jumps = form == 'q' && out->opcode != 0xe8;

	*known = !(jumps && d->flags & X86_SIZE16 && !(d->rex & 8));
	switch (form) {
	case 'p':
		out->writes = written(d, low, true);
		x86_skip(d, 1);
		return true;
	case 'O':
		out->writes = x86_bit(low);
		if (d->rex & 8)
			x86_skip(d, 8);
		else
			take_immediate(d);
		return true;
	case 'b':
	case 'B':
		out->writes = form == 'B' ? x86_bit(X86_RAX) : 0;
		x86_skip(d, 1);
		return true;
	case 'z':
	case 'A':
		out->writes = form == 'A' ? x86_bit(X86_RAX) : 0;
		take_immediate(d);
		return true;
	case 'w':
	case 'q':
		x86_skip(d, form == 'w' ? 2 : 4);
		return true;
	}
	return false;
}

static void take_modrm_form(struct x86_state *d, char form, struct x86_insn *out)
{
	x86_take_modrm(d, out);
	if (form == 'r' || form == 'x' || form == 'R' || form == 'I')
		x86_writes_reg(d, out);
	if (form == 'M' || form == 'x' || form == 'N' || form == 'k')
		x86_writes_rm(d, out);
	if (form == 'k')
		out->writes |= x86_bit(X86_RAX);
	if (form == 'i' || form == 'R' || form == 'N')
		x86_skip(d, 1);
	if (form == 'I')
		take_immediate(d);
}

bool x86_take_operands(struct x86_state *d, char form, struct x86_insn *out)
{
	unsigned low = x86_extended(d, out->opcode & 7, 0);
	bool known;

	if (take_nothing(form, low, out))
		return true;
	if (take_number(d, form, low, out, &known))
		return known;
	if (form == '.')
		return false;
	if (form == 'g')
		return out->map == X86_0F ? group_of_two_bytes(d, out) : group_of_one_byte(d, out);
	if (form == 'f')
		return x87(d, out);
	take_modrm_form(d, form, out);
	return true;
}
