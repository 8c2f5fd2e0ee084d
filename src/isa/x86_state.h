/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An instruction while it is decoded, for the files that share the work. */
#ifndef ISA_X86_STATE_H
#define ISA_X86_STATE_H

#include "src/isa/x86_insn.h"

enum {
	X86_SIZE16 = 1,    /* 66 */
	X86_ADDRESS32 = 2, /* 67 */
	X86_SEGMENT = 4,   /* 26, 2e, 36, 3e, 64, 65 */
	X86_REPNE = 8,     /* f2, if no f3 follows */
	X86_REP = 16,      /* f3, if no f2 follows */
	X86_REPEAT = X86_REPNE | X86_REP,
	X86_REX = 32,
	X86_REX2 = 64,
	X86_ESCAPED = 128, /* 0f is before the opcode, or REX2 says so */
	X86_CUT = 256,     /* more was asked for than is there */
};

struct x86_state {
	const uint8_t *begin, *at, *end;
	unsigned flags; /* X86_... */
	uint8_t rex;    /* REX.W, R, X, B in bits 3 to 0 */
	uint8_t opcode;
};

/* Which encodings after VEX and EVEX are certain, for one map, opcode and prefix (66, f3, f2).
 * A shape is a bit: W, and twice the vector length.  Without a flag its field must be unused. */
struct x86_vector {
	uint8_t memory, memory_flags;      /* shapes with a memory operand */
	uint8_t registers, register_flags; /* shapes without               */
	uint8_t digits;                    /* bit n: /n in the middle of ModRM */
};

enum {
	VECTOR_OPERAND = 1, /* vvvv names a register                     */
	VECTOR_LOW = 2,     /* only the first 8 registers, of all fields */
	VECTOR_MASK = 4,    /* EVEX: aaa, without z                      */
	VECTOR_ZERO = 8,    /* aaa with z                                */
	VECTOR_BROADCAST = 16,
	VECTOR_ROWS = 3 * 256 * 4, /* by map - 1, opcode, prefix */
};

/* The next byte; 0 where there is none. */
static inline uint8_t x86_peek(const struct x86_state *d)
{
	return d->at < d->end ? *d->at : 0;
}

static inline size_t x86_left(const struct x86_state *d)
{
	return (size_t)(d->end - d->at);
}

/* Take bytes; false, and nothing is taken, where they are cut. */
static inline bool x86_skip(struct x86_state *d, size_t size)
{
	if (x86_left(d) < size) {
		d->flags |= X86_CUT;
		return false;
	}
	d->at += size;
	return true;
}

/* 0 where it is cut. */
static inline uint8_t x86_take_byte(struct x86_state *d)
{
	return x86_skip(d, 1) ? d->at[-1] : 0;
}

/* A signed distance of 4 bytes; 0 where it is cut. */
static inline int32_t x86_take_word(struct x86_state *d)
{
	return x86_skip(d, 4) ? (int32_t)le32(d->at - 4) : 0;
}

void x86_take_modrm(struct x86_state *d, struct x86_insn *out);

/* Note that it writes the register that a field of ModRM names. */
void x86_writes_rm(const struct x86_state *d, struct x86_insn *out);
void x86_writes_reg(const struct x86_state *d, struct x86_insn *out);

/* What follows an opcode of this form; false: not known. */
bool x86_take_operands(struct x86_state *d, char form, struct x86_insn *out);

/* What follows 0f 38, 0f 3a, the VEX prefix `lead`, EVEX; false: not known. */
bool x86_decode_0f38(struct x86_state *d, struct x86_insn *out);
bool x86_decode_0f3a(struct x86_state *d, struct x86_insn *out);
bool x86_decode_vex(struct x86_state *d, uint8_t lead, struct x86_insn *out);
bool x86_decode_evex(struct x86_state *d, struct x86_insn *out);

/* A general register as a bit; the others are none. */
static inline uint32_t x86_bit(unsigned number)
{
	return number < 16 ? UINT32_C(1) << number : 0;
}

/* A register's number with its bit in REX. */
static inline uint8_t x86_extended(const struct x86_state *d, unsigned number, unsigned rex_bit)
{
	return (uint8_t)(number | (d->rex >> rex_bit & 1u) << 3);
}

#endif
