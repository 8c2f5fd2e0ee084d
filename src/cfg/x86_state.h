/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An instruction while it is decoded, for the files that share the work. */
#ifndef CFG_X86_STATE_H
#define CFG_X86_STATE_H

#include "src/cfg/x86_insn.h"

struct x86_state {
	struct bytes left;
	const uint8_t *begin;
	uint8_t rex; /* REX.W, R, X, B in bits 3 to 0 */
	bool has_rex, size16, address32;
	uint8_t repeat; /* f2, f3 or 0 */
	bool cut;
};

/* A little-endian number of `size` bytes; 0 where they are cut. */
uint64_t x86_take(struct x86_state *d, size_t size);
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
