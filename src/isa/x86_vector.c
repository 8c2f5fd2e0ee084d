/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opcodes of three bytes, and vector instructions. */
#include "src/isa/x86_state.h"

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
	       (d->flags & X86_SIZE16 && (op == 0x10 || op == 0x14 || op == 0x15 || op == 0x17 ||
			      (op >= 0x20 && op <= 0x25) || op == 0x28 || op == 0x29 ||
			      op == 0x2b || (op >= 0x30 && op <= 0x35) ||
			      (op >= 0x37 && op <= 0x41) || (op >= 0xdb && op <= 0xdf)));
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
	case 0x12c: case 0x12d: case 0x150: case 0x193: case 0x1c5: case 0x1d7: case 0x178:
	case 0x179: case 0x2f2: case 0x2f5: case 0x2f7: case 0x3f0:
		return x86_bit(insn->reg);
	case 0x2f3:
		return x86_bit(vvvv);
	case 0x2f6:
		return x86_bit(insn->reg) | x86_bit(vvvv);
	case 0x17e: case 0x314: case 0x315: case 0x316: case 0x317:
		return rm;
	}
	return 0;
}

#define ROW(map, opcode, pp, memory, memory_flags, registers, register_flags, digits) \
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

/* A vector instruction behind its prefix. */
static bool take_vector(struct x86_state *d, struct vector v, struct x86_insn *out)
{
	out->map = X86_VECTOR;
	out->opcode = x86_take_byte(d);
	if (d->flags & (X86_REX | X86_SIZE16 | X86_REPEAT) || v.map < 1 || v.map > 3 || v.length > 2)
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
	struct vector v = {.rows = evex_rows, .map = first & 7, .pp = second & 3, .length = third >> 5 & 3,
			   .wide = second >> 7, .operand = 16, .high = operand >= 8 || (first & 0xf0) != 0xf0};

	if (first & 8 || !(second & 4) || (zero && !masked))
		return false;
	v.flags = (operand ? VECTOR_OPERAND : 0) | (zero ? VECTOR_ZERO : masked ? VECTOR_MASK : 0) |
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
	struct vector v = {.rows = vex_rows, .map = is_long ? first & 31 : 1, .pp = second & 3,
			   .length = second >> 2 & 1, .wide = second >> 7, .operand = operand,
			   .flags = operand ? VECTOR_OPERAND : 0};

	d->rex = (uint8_t)(is_long ? (~first >> 5 & 7) | v.wide << 3 : ~first >> 5 & 4);
	v.high = operand >= 8 || d->rex & 7;
	return take_vector(d, v, out);
}
