/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What follows an opcode: operands by its form, a letter in the tables of x86.c; opcodes of three
 * bytes, and vector instructions. */
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
		return (insn->opcode & 0xf0) == 0x90 || insn->opcode == 0xb0 ||
		       insn->opcode == 0xc0;
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
	case 1: return false;
	case 2:
	case 3: x86_writes_rm(d, out); return true;
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
	return which != 7 &&
	       ((which != 3 && which != 5) || (out->is_memory && !(d->flags & X86_SIZE16)));
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
	case 0xf7: return group_3(d, out);
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
		return !(out->opcode == 0xd9 && which == 1) &&
		       !(out->opcode == 0xdd && which == 5) &&
		       !(out->opcode == 0xdb && (which == 4 || which == 6));
	out->writes = out->opcode == 0xdf ? x86_bit(X86_RAX) : 0; /* fnstsw */
	switch (out->opcode) {
	case 0xd8: return true;
	case 0xd9:
		if (which == 4) /* fchs, fabs, ftst, fxam */
			return (out->rm & 2) == 0;
		return which <= 1 || which >= 6 || (which == 5 && (out->rm & 7) != 7);
	case 0xda:
	case 0xdb: return which <= 3 || (out->opcode == 0xdb && (which == 5 || which == 6));
	case 0xdc:
	case 0xde: return which <= 1 || which >= 4;
	case 0xdd: return which == 2 || which == 3;
	}
	return which == 5 || which == 6 || (which == 4 && (out->rm & 7) == 0);
}

/* Forms without operands: what they write. */
static bool take_nothing(char form, unsigned low, struct x86_insn *out)
{
	static const uint32_t rax = 1u << X86_RAX, rcx = 1u << X86_RCX, rdx = 1u << X86_RDX;

	switch (form) {
	case '0': return true;
	case 'a': out->writes = rax; return true;
	case 'd': out->writes = rdx; return true;
	case 't': out->writes = rax | rdx; return true;
	case 'u': out->writes = rax | rcx | rdx | 1u << X86_RBX; return true;
	case 's': out->writes = rax | rcx | 1u << X86_RSI | 1u << X86_RDI; return true;
	case 'l': out->writes = 1u << X86_RBP; return true;
	case 'e': out->writes = x86_bit(low) | rax; return true;
	case 'o': out->writes = x86_bit(low); return true;
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
	case 'q': x86_skip(d, form == 'w' ? 2 : 4); return true;
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

/* ---- opcodes of three bytes, and vector instructions ---- */

/* adcx has 66, adox f3. */
static bool only_prefix(unsigned flags)
{
	flags &= X86_SIZE16 | X86_REPEAT;
	return flags == X86_SIZE16 || flags == X86_REP;
}

/* SSSE3 to AES, whose operands are vectors; movbe, crc32, adcx. */
bool x86_decode_0f38(struct x86_state *d, struct x86_insn *out)
{
	out->map = X86_0F38;
	out->opcode = x86_take_byte(d);
	uint8_t op = out->opcode;
	x86_take_modrm(d, out);
	if ((op == 0xf0 || op == 0xf1) && !(d->flags & X86_REPEAT)) { /* movbe */
		out->writes = op == 0xf0 ? x86_bit(out->reg) : 0;
		return out->is_memory;
	}
	if (op >= 0xf0) {
		x86_writes_reg(d, out);
		return (op <= 0xf1 && d->flags & X86_REPNE && !(d->flags & X86_SIZE16)) ||
		       (op == 0xf6 && only_prefix(d->flags));
	}
	if (d->flags & X86_REPEAT)
		return false;
	return op <= 0x0b || (op >= 0x1c && op <= 0x1e) ||
	       (d->flags & X86_SIZE16 &&
		(op == 0x10 || op == 0x14 || op == 0x15 || op == 0x17 ||
		 (op >= 0x20 && op <= 0x25) || op == 0x28 || op == 0x29 || op == 0x2b ||
		 (op >= 0x30 && op <= 0x35) || (op >= 0x37 && op <= 0x41) ||
		 (op >= 0xdb && op <= 0xdf)));
}

/* All with an immediate byte; pextr writes a general register. */
bool x86_decode_0f3a(struct x86_state *d, struct x86_insn *out)
{
	out->map = X86_0F3A;
	out->opcode = x86_take_byte(d);
	uint8_t op = out->opcode;
	x86_take_modrm(d, out);
	x86_skip(d, 1);
	if (op >= 0x14 && op <= 0x17)
		x86_writes_rm(d, out);
	return d->flags & X86_SIZE16 && !(d->flags & X86_REPEAT) &&
	       ((op >= 0x08 && op <= 0x0f) || (op >= 0x14 && op <= 0x17) ||
		(op >= 0x20 && op <= 0x22) || (op >= 0x40 && op <= 0x42) || op == 0x44 ||
		(op >= 0x60 && op <= 0x63) || op == 0xdf);
}

/* General registers that vector instructions and BMI write; the field vvvv. */
static uint32_t vector_writes(unsigned map, unsigned op, unsigned vvvv, const struct x86_insn *insn)
{
	uint32_t rm = insn->is_memory ? 0 : x86_bit(insn->rm);

	switch (map << 8 | op) {
	case 0x12c:
	case 0x12d:
	case 0x150:
	case 0x193:
	case 0x1c5:
	case 0x1d7:
	case 0x178:
	case 0x179:
	case 0x2f2:
	case 0x2f5:
	case 0x2f7:
	case 0x3f0: return x86_bit(insn->reg);
	case 0x2f3: return x86_bit(vvvv);
	case 0x2f6: return x86_bit(insn->reg) | x86_bit(vvvv);
	case 0x17e:
	case 0x314:
	case 0x315:
	case 0x316:
	case 0x317: return rm;
	}
	return 0;
}

#define ROW(map, opcode, pp, memory, memory_flags, registers, register_flags, digits)              \
	[VECTOR_ROW(map, opcode, pp)] = {memory, memory_flags, registers, register_flags, digits}
#define VECTOR_ROW(map, opcode, pp) (((map) - 1) << 10 | (opcode) << 2 | (pp))
#include "src/isa/x86_vectors.inc"

/* What the prefix says. */
struct vector {
	const struct x86_vector *rows;
	unsigned map, pp, length, wide;
	unsigned operand; /* vvvv, or 0 */
	unsigned flags;   /* VECTOR_...: of what the row must allow, all but VECTOR_LOW */
	bool high;        /* a register above the first 8 */
};

static bool is_certain(const struct vector *v, const struct x86_insn *insn)
{
	const struct x86_vector *row = &v->rows[VECTOR_ROW(v->map, (unsigned)insn->opcode, v->pp)];
	unsigned shapes = insn->is_memory ? row->memory : row->registers;
	unsigned flags = insn->is_memory ? row->memory_flags : row->register_flags;

	return shapes >> (v->length << 1 | v->wide) & 1 && row->digits >> (insn->reg & 7) & 1 &&
	       !(v->flags & ~flags) && !(flags & VECTOR_LOW && v->high);
}

/* vzeroupper, vzeroall: no operands */
static bool is_vzero(const struct vector *v, unsigned opcode)
{
	return v->map == 1 && opcode == 0x77 && !v->pp && !v->flags && v->rows == vex_rows;
}

/* A vector instruction after its prefix. */
static bool take_vector(struct x86_state *d, struct vector v, struct x86_insn *out)
{
	out->map = X86_VECTOR;
	out->opcode = x86_take_byte(d);
	if (d->flags & (X86_REX | X86_SIZE16 | X86_REPEAT) || v.map < 1 || v.map > 3 ||
	    v.length > 2)
		return false;
	if (is_vzero(&v, out->opcode))
		return true;
	x86_take_modrm(d, out);
	bool immediate = out->opcode == 0xc2 || (out->opcode >= 0xc4 && out->opcode <= 0xc6) ||
			 (out->opcode & 0xfc) == 0x70;
	x86_skip(d, v.map == 3 || (v.map == 1 && immediate));
	out->writes = vector_writes(v.map, out->opcode, v.operand, out);
	return is_certain(&v, out);
}

/* 62: EVEX, of three more bytes. */
bool x86_decode_evex(struct x86_state *d, struct x86_insn *out)
{
	unsigned first = x86_take_byte(d), second = x86_take_byte(d), third = x86_take_byte(d);
	unsigned operand = (~second >> 3 & 15) | (~third << 1 & 16);
	bool zero = third & 0x80, masked = third & 7;
	struct vector v = {.rows = evex_rows,
			   .map = first & 7,
			   .pp = second & 3,
			   .length = third >> 5 & 3,
			   .wide = second >> 7,
			   .operand = 16,
			   .high = operand >= 8 || (first & 0xf0) != 0xf0};

	if (first & 8 || !(second & 4) || (zero && !masked))
		return false;
	v.flags = (operand ? VECTOR_OPERAND : 0) |
		  (zero   ? VECTOR_ZERO :
		   masked ? VECTOR_MASK :
			    0) |
		  (third & 0x10 ? VECTOR_BROADCAST : 0);
	d->rex = (uint8_t)((~first >> 5 & 7) | v.wide << 3);
	return take_vector(d, v, out);
}

/* c5, c4: VEX.  Registers' high bits are stored inverted. */
bool x86_decode_vex(struct x86_state *d, uint8_t lead, struct x86_insn *out)
{
	bool is_long = lead == 0xc4;
	unsigned first = x86_take_byte(d), second = is_long ? x86_take_byte(d) : first & 0x7f;
	unsigned operand = ~second >> 3 & 15;
	struct vector v = {.rows = vex_rows,
			   .map = is_long ? first & 31 : 1,
			   .pp = second & 3,
			   .length = second >> 2 & 1,
			   .wide = second >> 7,
			   .operand = operand,
			   .flags = operand ? VECTOR_OPERAND : 0};

	d->rex = (uint8_t)(is_long ? (~first >> 5 & 7) | v.wide << 3 : ~first >> 5 & 4);
	v.high = operand >= 8 || d->rex & 7;
	return take_vector(d, v, out);
}
