/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The form of an opcode is a letter in a table: which operands follow it and
 * which general registers it writes (Intel's manual, volume 2, appendix A). */
#include "src/cfg/x86_state.h"

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
	"0000010000010100" "fff3337310000003" "0000000033c3cc33" "0100000000000000"
	"3333333333333333" "3f553333fff7ffff" "3333333333332237" "f22233310000aa77"
	"1111111111111111" "1111111111111111" "1113330011033313" "1303003341337733"
	"13f1333111111111" "a333332333333333" "333333e333333333" "8333333333333330";

static bool take_prefix(struct x86_state *d, struct x86_insn *out)
{
	if (!d->left.size)
		return false;
	switch (d->left.data[0]) {
	case 0x66:
		d->size16 = true;
		break;
	case 0x67:
		d->address32 = true;
		break;
	case 0xf2:
	case 0xf3:
		d->repeat = d->left.data[0];
		break;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
		out->segment = true;
		break;
	default:
		return false;
	}
	x86_take(d, 1);
	return true;
}

/* Opcodes of two bytes that exist only with memory, or only without. */
static bool suits_operand(const struct x86_state *d, const struct x86_insn *insn)
{
	switch (insn->opcode) {
	case 0x12:
	case 0x16:
		return insn->is_memory || !d->size16;
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

static bool decode_two_bytes(struct x86_state *d, struct x86_insn *out)
{
	unsigned prefix = d->repeat == 0xf3 ? 4 : d->repeat == 0xf2 ? 8 : d->size16 ? 2 : 1;

	out->map = X86_0F;
	out->opcode = (uint8_t)x86_take(d, 1);
	if (out->opcode == 0x1e && d->repeat == 0xf3) /* endbr64 */
		return x86_take(d, 1) == 0xfa && !d->size16;
	if (out->opcode == 0x01 && !d->repeat && !d->size16) { /* xgetbv; xtest */
		uint8_t which = (uint8_t)x86_take(d, 1);
		out->writes = which == 0xd0 ? x86_bit(X86_RAX) | x86_bit(X86_RDX) : 0;
		return which == 0xd0 || which == 0xd6;
	}
	if (d->repeat && d->size16)
		return false;
	if (!(hex_digit(two_byte_prefixes[out->opcode]) & prefix))
		return false;
	bool ok = x86_take_operands(d, two_byte[out->opcode], out);
	if (out->opcode == 0x7e && d->repeat) /* movq between vector registers */
		out->writes = 0;
	return ok && suits_operand(d, out);
}

static bool suits_repeat(uint8_t opcode)
{
	return one_byte[opcode] == 's';
}

static bool decode_opcode(struct x86_state *d, struct x86_insn *out)
{
	out->opcode = (uint8_t)x86_take(d, 1);
	if (out->opcode == 0x0f && d->left.size) {
		if (d->left.data[0] != 0x38 && d->left.data[0] != 0x3a)
			return decode_two_bytes(d, out);
		return x86_take(d, 1) == 0x38 ? x86_decode_0f38(d, out) : x86_decode_0f3a(d, out);
	}
	if (out->opcode == 0xc4 || out->opcode == 0xc5)
		return x86_decode_vex(d, out->opcode, out);
	if (out->opcode == 0x62)
		return x86_decode_evex(d, out);
	if (d->repeat && !suits_repeat(out->opcode))
		return false;
	if (!x86_take_operands(d, one_byte[out->opcode], out))
		return false;
	if ((out->opcode & 0xfd) == 0x8c) /* mov with a segment register */
		return out->reg <= 5;
	return out->opcode != 0x8d || out->is_memory;
}

bool x86_decode(struct bytes code, struct x86_insn *out)
{
	struct x86_state d = {.left = bytes_first(code, 15), .begin = code.data};

	*out = (struct x86_insn){.base = X86_NO_REGISTER, .index = X86_NO_REGISTER, .scale = 1};
	if (code.size && code.data[0] == 0xf0) { /* lock is one of its own, for LLVM */
		out->size = 1;
		return true;
	}
	while (take_prefix(&d, out))
		;
	if (d.left.size && (d.left.data[0] & 0xf0) == 0x40) {
		d.rex = x86_take(&d, 1) & 15;
		d.has_rex = true;
	}
	out->wide = d.rex & 8;
	if (!decode_opcode(&d, out) || d.cut)
		return false;
	if (d.address32 && (!out->is_memory || out->base == X86_RIP))
		return false;
	out->size = (uint8_t)(d.left.data - d.begin);
	return true;
}

uint64_t x86_relative_address(const struct x86_insn *insn, uint64_t end)
{
	return insn->is_memory && insn->base == X86_RIP ? end + (uint64_t)insn->displacement : 0;
}
