/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The form of an opcode is a letter in a table: which operands follow it and
 * which general registers it writes (Intel's manual, volume 2, appendix A). */
#include "src/isa/x86_state.h"

/* .  not known           0  no operands
 * m  ModRM               r  it writes reg     M  it writes rm    x  it writes both
 * i  ModRM, imm8         R  it writes reg     N  it writes rm
 * I  ModRM, imm32, writes reg
 * b  imm8     z  imm32   w  imm16             q  32-bit distance
 * B  imm8, writes rax    A  imm32, writes rax
 * o  writes the register in the opcode        e  and rax
 * p  its low byte, from imm8                  O  from imm32 or imm64
 * a  writes rax          d  rdx               t  both            u  all from rax to rbx
 * s  string: writes rax, rcx, rsi, rdi        l  leave           k  ModRM, writes rm, rax
 * g  the reg field of ModRM tells                                 f  x87 */
static const char one_byte[] =
	"MMrrBA..MMrrBA.." "MMrrBA..MMrrBA.." "MMrrBA..MMrrBA.." "MMrrBA..mmmmbz.."
	"................" "00000000oooooooo" "...r....zIbi...." "bbbbbbbbbbbbbbbb"
	"gg.gmmxxMMrrMrm." "0eeeeeeead..000a" "....ssssbzssssss" "ppppppppOOOOOOOO"
	"ggw0..gg.lw00b.0" "gggg....ffffffff" "bbbbBBbbqq.baa00" "....00gg000000gg";
static const char two_byte[] =
	".....0.....0.m.." "mmmmmmmmm......m" "........mmmmrrmm" ".t.............."
	"rrrrrrrrrrrrrrrr" "rmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmmm" "iiiimmm0....mmMm"
	"qqqqqqqqqqqqqqqq" "MMMMMMMMMMMMMMMM" "00umNM..00.MNMgr" "kk.M..rrrmgMrrrr"
	"xximiRigoooooooo" "mmmmmmmrmmmmmmmm" "mmmmmmmmmmmmmmmm" "mmmmmmmmmmmmmmm.";

/* Which prefixes make an instruction of it: 1 none, 2 66, 4 f3, 8 f2. */
static const char two_byte_prefixes[] =
	"0000010000010100" "fff333731000000f" "0000000033c3cc33" "0100000000000000"
	"3333333333333333" "3f553333fff7ffff" "3333333333332237" "f22233310000aa77"
	"dddddddddddddddd" "1111111111111111" "1113330011033313" "1303003341337733"
	"13f1333111111111" "a333332333333333" "333333e333333333" "8333333333333330";

/* Opcodes of two bytes that exist only with memory, or only without. */
static bool suits_operand(const struct x86_state *d, const struct x86_insn *insn)
{
	switch (insn->opcode) {
	case 0x12:
	case 0x16:
		return insn->is_memory || !(d->flags & X86_SIZE16);
	case 0x0d:
	case 0x18:
		return insn->is_memory && (insn->reg & 7) <= (insn->opcode == 0x0d ? 1 : 3);
	case 0x13:
	case 0x17:
	case 0x2b:
	case 0xc3:
	case 0xe7:
	case 0xf0:
		return insn->is_memory;
	case 0x50:
	case 0xc5:
	case 0xd7:
	case 0xf7:
		return !insn->is_memory;
	case 0x71:
	case 0x72:
		return !insn->is_memory && (insn->reg & 7) >= 2 && !(insn->reg & 1);
	case 0x73:
		return !insn->is_memory && (insn->reg & 2);
	}
	return true;
}

static unsigned hex_digit(char c)
{
	return (unsigned)(c >= 'a' ? c - 'a' + 10 : c - '0');
}

static bool take_two_bytes(struct x86_state *d, struct x86_insn *out)
{
	unsigned prefix = d->flags & X86_REP ? 4 : d->flags & X86_REPNE ? 8 : d->flags & X86_SIZE16 ? 2 : 1;

	out->map = X86_0F;
	if (out->opcode == 0x1e && d->flags & X86_REP) /* endbr64 */
		return x86_take_byte(d) == 0xfa && !(d->flags & X86_SIZE16);
	if (out->opcode == 0x01 && !(d->flags & X86_REPEAT) && !(d->flags & X86_SIZE16)) { /* xgetbv; xtest */
		uint8_t which = x86_take_byte(d);
		out->writes = which == 0xd0 ? x86_bit(X86_RAX) | x86_bit(X86_RDX) : 0;
		return which == 0xd0 || which == 0xd6;
	}
	if (d->flags & X86_REPEAT && d->flags & X86_SIZE16 && out->opcode != 0x1f)
		return false;
	if (!(hex_digit(two_byte_prefixes[out->opcode]) & prefix))
		return false;
	bool ok = x86_take_operands(d, two_byte[out->opcode], out);
	if (out->opcode == 0x7e && d->flags & X86_REPEAT) /* movq between vector registers */
		out->writes = 0;
	return ok && suits_operand(d, out);
}

/* Strings; pause; near branches, where it says bnd or nothing. */
static bool suits_repeat(const struct x86_state *d, const struct x86_insn *out)
{
	uint8_t op = out->opcode;

	if (op == 0xff)
		return (out->reg & 7) == 2 || (out->reg & 7) == 4;
	return one_byte[op] == 's' || (op == 0x90 && d->flags & X86_REP && !(d->flags & X86_SIZE16)) || (op & 0xf0) == 0x70 ||
	       (op & 0xfe) == 0xc2 || (op & 0xfe) == 0xe8 || op == 0xeb;
}

static bool take_behind_opcode(struct x86_state *d, struct x86_insn *out)
{
	if (d->flags & X86_ESCAPED && out->opcode == 0x38)
		return x86_decode_0f38(d, out);
	if (d->flags & X86_ESCAPED && out->opcode == 0x3a)
		return x86_decode_0f3a(d, out);
	if (d->flags & X86_ESCAPED)
		return take_two_bytes(d, out);
	if (out->opcode == 0xc4 || out->opcode == 0xc5)
		return x86_decode_vex(d, out->opcode, out);
	if (out->opcode == 0x62)
		return x86_decode_evex(d, out);
	if (!x86_take_operands(d, one_byte[out->opcode], out) || (d->flags & X86_REPEAT && !suits_repeat(d, out)))
		return false;
	if ((out->opcode & 0xfd) == 0x8c) /* mov with a segment register; to cs is none */
		return out->reg <= 5 && (out->opcode == 0x8c || out->reg != 1);
	return out->opcode != 0x8d || out->is_memory;
}

bool x86_take_insn(struct x86_state *d, struct x86_insn *out)
{
	*out = (struct x86_insn){.base = X86_NO_REGISTER, .index = X86_NO_REGISTER, .scale = 1,
				 .opcode = d->opcode, .map = d->flags & X86_ESCAPED ? X86_0F : X86_ONE_BYTE,
				 .wide = d->rex & 8, .segment = d->flags & X86_SEGMENT};
	if (d->flags & X86_REX2 || !take_behind_opcode(d, out) || d->flags & X86_CUT)
		return false;
	/* LLVM takes an address size for part of some opcodes that have no address. */
	if (d->flags & X86_ADDRESS32 && (out->base == X86_RIP || (!out->is_memory && out->map != X86_ONE_BYTE)))
		return false;
	out->size = (uint8_t)(d->at - d->begin);
	return true;
}
