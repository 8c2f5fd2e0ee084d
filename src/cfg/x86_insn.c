/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The form of an opcode is a letter in a table: which operands follow it and
 * which general registers it writes (Intel's manual, volume 2, appendix A). */
#include "src/cfg/x86_insn.h"

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

struct decoder_state {
	struct bytes left;
	const uint8_t *begin;
	uint8_t rex; /* REX.W, R, X, B in bits 3 to 0 */
	bool has_rex, size16, address32;
	uint8_t repeat; /* f2, f3 or 0 */
	bool cut;
};

static uint64_t take(struct decoder_state *d, size_t size)
{
	uint64_t value = 0;

	if (d->left.size < size) {
		d->cut = true;
		return 0;
	}
	for (size_t i = size; i-- > 0;)
		value = value << 8 | d->left.data[i];
	d->left = (struct bytes){d->left.data + size, d->left.size - size};
	return value;
}

static bool take_prefix(struct decoder_state *d, struct x86_insn *out)
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
	take(d, 1);
	return true;
}

static uint8_t extended(const struct decoder_state *d, unsigned number, unsigned rex_bit)
{
	return (uint8_t)(number | (d->rex >> rex_bit & 1u) << 3);
}

static void take_sib(struct decoder_state *d, unsigned mod, struct x86_insn *out)
{
	uint8_t sib = (uint8_t)take(d, 1);

	out->scale = (uint8_t)(1u << (sib >> 6));
	out->index = extended(d, sib >> 3 & 7, 1);
	if (out->index == X86_RSP)
		out->index = X86_NO_REGISTER;
	out->base = extended(d, sib & 7, 0);
	if ((sib & 7) == X86_RBP && !mod) {
		out->base = X86_NO_REGISTER;
		out->displacement = (int32_t)take(d, 4);
	}
}

static void take_modrm(struct decoder_state *d, struct x86_insn *out)
{
	uint8_t modrm = (uint8_t)take(d, 1);
	unsigned mod = modrm >> 6, rm = modrm & 7;

	out->has_modrm = true;
	out->reg = extended(d, modrm >> 3 & 7, 2);
	out->rm = extended(d, rm, 0);
	out->is_memory = mod != 3;
	out->base = out->index = X86_NO_REGISTER;
	out->scale = 1;
	if (!out->is_memory)
		return;
	if (rm == X86_RSP) {
		take_sib(d, mod, out);
	} else if (!mod && rm == X86_RBP) {
		out->base = X86_RIP;
		out->displacement = (int32_t)take(d, 4);
	} else {
		out->base = out->rm;
	}
	if (mod == 1)
		out->displacement = (int8_t)take(d, 1);
	else if (mod == 2)
		out->displacement = (int32_t)take(d, 4);
}

/* imm32, or imm16 */
static void take_immediate(struct decoder_state *d)
{
	take(d, d->size16 && !(d->rex & 8) ? 2 : 4);
}

static uint32_t bit(unsigned number)
{
	return number < 16 ? UINT32_C(1) << number : 0;
}

/* Without REX the byte registers 4 to 7 are ah to bh. */
static uint32_t written(const struct decoder_state *d, unsigned number, bool is_byte)
{
	return bit(is_byte && !d->has_rex && number >= 4 ? number - 4 : number);
}

static bool is_byte_sized(const struct x86_insn *insn)
{
	if (insn->map == X86_0F)
		return (insn->opcode & 0xf0) == 0x90 || insn->opcode == 0xb0 || insn->opcode == 0xc0;
	return insn->map == X86_ONE_BYTE && !(insn->opcode & 1) && insn->opcode != 0x8c;
}

static void writes_rm(const struct decoder_state *d, struct x86_insn *out)
{
	if (!out->is_memory)
		out->writes |= written(d, out->rm, is_byte_sized(out));
}

static void writes_reg(const struct decoder_state *d, struct x86_insn *out)
{
	out->writes |= written(d, out->reg, is_byte_sized(out));
}

/* f6, f7: test with an immediate, not, neg, mul, imul, div, idiv */
static bool group_3(struct decoder_state *d, struct x86_insn *out)
{
	switch (out->reg & 7) {
	case 0:
		if (out->opcode == 0xf6)
			take(d, 1);
		else
			take_immediate(d);
		return true;
	case 1:
		return false;
	case 2:
	case 3:
		writes_rm(d, out);
		return true;
	}
	out->writes |= bit(X86_RAX) | bit(X86_RDX);
	return true;
}

/* fe, ff: inc, dec, call, far call, jmp, far jmp, push */
static bool group_5(struct decoder_state *d, struct x86_insn *out)
{
	unsigned which = out->reg & 7;

	if (which <= 1)
		writes_rm(d, out);
	if (out->opcode == 0xfe)
		return which <= 1;
	if (which <= 1)
		return true;
	return which != 7 && ((which != 3 && which != 5) || out->is_memory) && !d->size16;
}

static bool group_of_one_byte(struct decoder_state *d, struct x86_insn *out)
{
	unsigned which;

	take_modrm(d, out);
	which = out->reg & 7;
	switch (out->opcode) {
	case 0x80: /* arithmetic with an immediate */
	case 0x81:
	case 0x83:
		if (which != 7)
			writes_rm(d, out);
		if (out->opcode == 0x81)
			take_immediate(d);
		else
			take(d, 1);
		return true;
	case 0xc0: /* shifts */
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		writes_rm(d, out);
		take(d, out->opcode < 0xd0);
		return which != 6;
	case 0xc6: /* mov */
	case 0xc7:
		writes_rm(d, out);
		if (out->opcode == 0xc6)
			take(d, 1);
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
static bool group_of_two_bytes(struct decoder_state *d, struct x86_insn *out)
{
	take_modrm(d, out);
	unsigned which = out->reg & 7;
	switch (out->opcode) {
	case 0xae: /* fxsave to clflush; lfence, mfence, sfence */
		return out->is_memory || ((out->rm & 7) == 0 && which >= 5);
	case 0xba: /* bt, bts, btr, btc */
		take(d, 1);
		if (which != 4)
			writes_rm(d, out);
		return which >= 4;
	}
	out->writes |= bit(X86_RAX) | bit(X86_RDX); /* cmpxchg8b, cmpxchg16b */
	return which == 1 && out->is_memory;
}

/* x87: those with a memory operand, and the plainest others. */
static bool x87(struct decoder_state *d, struct x86_insn *out)
{
	take_modrm(d, out);
	unsigned which = out->reg & 7;
	if (out->is_memory)
		return !(out->opcode == 0xd9 && which == 1) && !(out->opcode == 0xdd && which == 5) &&
		       !(out->opcode == 0xdb && (which == 4 || which == 6));
	out->writes = out->opcode == 0xdf ? bit(X86_RAX) : 0; /* fnstsw */
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

static bool take_operands(struct decoder_state *d, char form, struct x86_insn *out)
{
	unsigned low = extended(d, out->opcode & 7, 0);

	switch (form) {
	case '.':
		return false;
	case '0':
		return true;
	case 'a':
		out->writes = bit(X86_RAX);
		return true;
	case 'd':
		out->writes = bit(X86_RDX);
		return true;
	case 't':
		out->writes = bit(X86_RAX) | bit(X86_RDX);
		return true;
	case 'u':
		out->writes = bit(X86_RAX) | bit(X86_RCX) | bit(X86_RDX) | bit(X86_RBX);
		return true;
	case 's':
		out->writes = bit(X86_RAX) | bit(X86_RCX) | bit(X86_RSI) | bit(X86_RDI);
		return true;
	case 'l':
		out->writes = bit(X86_RBP);
		return true;
	case 'e':
		out->writes = bit(low) | bit(X86_RAX);
		return true;
	case 'o':
		out->writes = bit(low);
		return true;
	case 'p':
		out->writes = written(d, low, true);
		take(d, 1);
		return true;
	case 'O':
		out->writes = bit(low);
		if (d->rex & 8)
			take(d, 8);
		else
			take_immediate(d);
		return true;
	case 'B':
	case 'A':
		out->writes = bit(X86_RAX);
		break;
	}
	switch (form) {
	case 'b':
	case 'B':
		take(d, 1);
		return !(d->size16 && (out->opcode & 0xf0) == 0x70);
	case 'z':
	case 'A':
		take_immediate(d);
		return true;
	case 'w':
		take(d, 2);
		return !d->size16;
	case 'q':
		take(d, 4);
		return !d->size16;
	case 'g':
		return out->map == X86_0F ? group_of_two_bytes(d, out) : group_of_one_byte(d, out);
	case 'f':
		return x87(d, out);
	}
	take_modrm(d, out);
	if (form == 'r' || form == 'x' || form == 'R' || form == 'I')
		writes_reg(d, out);
	if (form == 'M' || form == 'x' || form == 'N' || form == 'k')
		writes_rm(d, out);
	if (form == 'k')
		out->writes |= bit(X86_RAX);
	if (form == 'i' || form == 'R' || form == 'N')
		take(d, 1);
	if (form == 'I')
		take_immediate(d);
	return true;
}

/* Opcodes of two bytes that exist only with memory, or only without. */
static bool suits_operand(const struct decoder_state *d, const struct x86_insn *insn)
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

static bool decode_two_bytes(struct decoder_state *d, struct x86_insn *out)
{
	unsigned prefix = d->repeat == 0xf3 ? 4 : d->repeat == 0xf2 ? 8 : d->size16 ? 2 : 1;

	out->map = X86_0F;
	out->opcode = (uint8_t)take(d, 1);
	if (out->opcode == 0x1e && d->repeat == 0xf3) /* endbr64 */
		return take(d, 1) == 0xfa && !d->size16;
	if (out->opcode == 0x01 && !d->repeat && !d->size16) { /* xgetbv; xtest */
		uint8_t which = (uint8_t)take(d, 1);
		out->writes = which == 0xd0 ? bit(X86_RAX) | bit(X86_RDX) : 0;
		return which == 0xd0 || which == 0xd6;
	}
	if (d->repeat && d->size16)
		return false;
	if (!(hex_digit(two_byte_prefixes[out->opcode]) & prefix))
		return false;
	bool ok = take_operands(d, two_byte[out->opcode], out);
	if (out->opcode == 0x7e && d->repeat) /* movq between vector registers */
		out->writes = 0;
	return ok && suits_operand(d, out);
}

/* SSSE3 to AES, whose operands are vectors; movbe, crc32, adcx. */
static bool decode_0f38(struct decoder_state *d, struct x86_insn *out)
{
	out->map = X86_0F38;
	out->opcode = (uint8_t)take(d, 1);
	uint8_t op = out->opcode;
	take_modrm(d, out);
	if ((op == 0xf0 || op == 0xf1) && !d->repeat) { /* movbe */
		out->writes = op == 0xf0 ? bit(out->reg) : 0;
		return out->is_memory;
	}
	if (op >= 0xf0) {
		writes_reg(d, out);
		return (op <= 0xf1 && d->repeat == 0xf2 && !d->size16) ||
		       (op == 0xf6 && d->size16 != (d->repeat == 0xf3) && d->repeat != 0xf2);
	}
	if (d->repeat)
		return false;
	return op <= 0x0b || (op >= 0x1c && op <= 0x1e) ||
	       (d->size16 && (op == 0x10 || op == 0x14 || op == 0x15 || op == 0x17 ||
			      (op >= 0x20 && op <= 0x25) || op == 0x28 || op == 0x29 ||
			      op == 0x2b || (op >= 0x30 && op <= 0x35) ||
			      (op >= 0x37 && op <= 0x41) || (op >= 0xdb && op <= 0xdf)));
}

/* All with an immediate byte; pextr writes a general register. */
static bool decode_0f3a(struct decoder_state *d, struct x86_insn *out)
{
	out->map = X86_0F3A;
	out->opcode = (uint8_t)take(d, 1);
	uint8_t op = out->opcode;
	take_modrm(d, out);
	take(d, 1);
	if (op >= 0x14 && op <= 0x17)
		writes_rm(d, out);
	return d->size16 && !d->repeat &&
	       ((op >= 0x08 && op <= 0x0f) || (op >= 0x14 && op <= 0x17) ||
		(op >= 0x20 && op <= 0x22) || (op >= 0x40 && op <= 0x42) || op == 0x44 ||
		(op >= 0x60 && op <= 0x63) || op == 0xdf);
}

/* General registers that vector instructions and BMI write; the field vvvv. */
static uint32_t vector_writes(unsigned map, unsigned op, unsigned vvvv, const struct x86_insn *insn)
{
	uint32_t rm = insn->is_memory ? 0 : bit(insn->rm);

	switch (map << 8 | op) {
	case 0x12c: case 0x12d: case 0x150: case 0x193: case 0x1c5: case 0x1d7: case 0x178:
	case 0x179: case 0x2f2: case 0x2f5: case 0x2f7: case 0x3f0:
		return bit(insn->reg);
	case 0x2f3:
		return bit(vvvv);
	case 0x2f6:
		return bit(insn->reg) | bit(vvvv);
	case 0x17e: case 0x314: case 0x315: case 0x316: case 0x317:
		return rm;
	}
	return 0;
}

/* A vector instruction behind its prefix. */
static bool take_vector(struct decoder_state *d, unsigned map, unsigned vvvv, struct x86_insn *out)
{
	out->map = X86_VECTOR;
	out->opcode = (uint8_t)take(d, 1);
	if (map == 1 && out->opcode == 0x77) /* vzeroupper */
		return true;
	take_modrm(d, out);
	bool immediate = out->opcode == 0xc2 || (out->opcode >= 0xc4 && out->opcode <= 0xc6) ||
			 (out->opcode & 0xfc) == 0x70;
	take(d, map == 3 || (map == 1 && immediate));
	out->writes = vector_writes(map, out->opcode, vvvv, out);
	return true;
}

/* 62: EVEX, of three more bytes. */
static bool decode_evex(struct decoder_state *d, struct x86_insn *out)
{
	uint8_t first = (uint8_t)take(d, 1), second = (uint8_t)take(d, 1);
	unsigned map = first & 7;

	take(d, 1);
	if (d->has_rex || d->size16 || d->repeat || map < 1 || map > 3 || first & 8 || !(second & 4))
		return false;
	d->rex = (uint8_t)((~first >> 5 & 7) | (second >> 7) << 3);
	return take_vector(d, map, 16, out);
}

/* c5, c4: VEX.  Registers' high bits are stored inverted. */
static bool decode_vex(struct decoder_state *d, uint8_t lead, struct x86_insn *out)
{
	uint8_t first = (uint8_t)take(d, 1), second = lead == 0xc4 ? (uint8_t)take(d, 1) : first;
	unsigned map = lead == 0xc4 ? first & 31u : 1;

	if (d->has_rex || d->size16 || d->repeat || map < 1 || map > 3)
		return false;
	d->rex = (uint8_t)(lead == 0xc4 ? (~first >> 5 & 7) | (second >> 7) << 3 : (~first >> 5 & 4));
	return take_vector(d, map, ~(second >> 3) & 15u, out);
}

static bool suits_repeat(uint8_t opcode)
{
	return one_byte[opcode] == 's';
}

static bool decode_opcode(struct decoder_state *d, struct x86_insn *out)
{
	out->opcode = (uint8_t)take(d, 1);
	if (out->opcode == 0x0f && d->left.size) {
		if (d->left.data[0] != 0x38 && d->left.data[0] != 0x3a)
			return decode_two_bytes(d, out);
		return take(d, 1) == 0x38 ? decode_0f38(d, out) : decode_0f3a(d, out);
	}
	if (out->opcode == 0xc4 || out->opcode == 0xc5)
		return decode_vex(d, out->opcode, out);
	if (out->opcode == 0x62)
		return decode_evex(d, out);
	if (d->repeat && !suits_repeat(out->opcode))
		return false;
	if (!take_operands(d, one_byte[out->opcode], out))
		return false;
	if ((out->opcode & 0xfd) == 0x8c) /* mov with a segment register */
		return out->reg <= 5;
	return out->opcode != 0x8d || out->is_memory;
}

bool x86_decode(struct bytes code, struct x86_insn *out)
{
	struct decoder_state d = {.left = bytes_first(code, 15), .begin = code.data};

	*out = (struct x86_insn){.base = X86_NO_REGISTER, .index = X86_NO_REGISTER, .scale = 1};
	if (code.size && code.data[0] == 0xf0) { /* lock is one of its own, for LLVM */
		out->size = 1;
		return true;
	}
	while (take_prefix(&d, out))
		;
	if (d.left.size && (d.left.data[0] & 0xf0) == 0x40) {
		d.rex = take(&d, 1) & 15;
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
