/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opcodes of three bytes, and vector instructions. */
#include "src/cfg/x86_state.h"

/* SSSE3 to AES, whose operands are vectors; movbe, crc32, adcx. */
bool x86_decode_0f38(struct x86_state *d, struct x86_insn *out)
{
	out->map = X86_0F38;
	out->opcode = (uint8_t)x86_take(d, 1);
	uint8_t op = out->opcode;
	x86_take_modrm(d, out);
	if ((op == 0xf0 || op == 0xf1) && !d->repeat) { /* movbe */
		out->writes = op == 0xf0 ? x86_bit(out->reg) : 0;
		return out->is_memory;
	}
	if (op >= 0xf0) {
		x86_writes_reg(d, out);
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
bool x86_decode_0f3a(struct x86_state *d, struct x86_insn *out)
{
	out->map = X86_0F3A;
	out->opcode = (uint8_t)x86_take(d, 1);
	uint8_t op = out->opcode;
	x86_take_modrm(d, out);
	x86_take(d, 1);
	if (op >= 0x14 && op <= 0x17)
		x86_writes_rm(d, out);
	return d->size16 && !d->repeat &&
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

/* A vector instruction behind its prefix. */
static bool take_vector(struct x86_state *d, unsigned map, unsigned vvvv, struct x86_insn *out)
{
	out->map = X86_VECTOR;
	out->opcode = (uint8_t)x86_take(d, 1);
	if (map == 1 && out->opcode == 0x77) /* vzeroupper */
		return true;
	x86_take_modrm(d, out);
	bool immediate = out->opcode == 0xc2 || (out->opcode >= 0xc4 && out->opcode <= 0xc6) ||
			 (out->opcode & 0xfc) == 0x70;
	x86_take(d, map == 3 || (map == 1 && immediate));
	out->writes = vector_writes(map, out->opcode, vvvv, out);
	return true;
}

/* 62: EVEX, of three more bytes. */
bool x86_decode_evex(struct x86_state *d, struct x86_insn *out)
{
	uint8_t first = (uint8_t)x86_take(d, 1), second = (uint8_t)x86_take(d, 1);
	unsigned map = first & 7;

	x86_take(d, 1);
	if (d->has_rex || d->size16 || d->repeat || map < 1 || map > 3 || first & 8 || !(second & 4))
		return false;
	d->rex = (uint8_t)((~first >> 5 & 7) | (second >> 7) << 3);
	return take_vector(d, map, 16, out);
}

/* c5, c4: VEX.  Registers' high bits are stored inverted. */
bool x86_decode_vex(struct x86_state *d, uint8_t lead, struct x86_insn *out)
{
	uint8_t first = (uint8_t)x86_take(d, 1), second = lead == 0xc4 ? (uint8_t)x86_take(d, 1) : first;
	unsigned map = lead == 0xc4 ? first & 31u : 1;

	if (d->has_rex || d->size16 || d->repeat || map < 1 || map > 3)
		return false;
	d->rex = (uint8_t)(lead == 0xc4 ? (~first >> 5 & 7) | (second >> 7) << 3 : (~first >> 5 & 4));
	return take_vector(d, map, ~(second >> 3) & 15u, out);
}
