/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * x86-64 instructions by their bytes: length, memory operand, and which general
 * registers they write.  Covers what compilers emit; of anything else, and of
 * all that LLVM could take for no instruction, it says that it does not know.
 * A test holds it against LLVM.
 */
#ifndef ISA_X86_INSN_H
#define ISA_X86_INSN_H

#include "src/base/bytes.h"

enum {
	X86_RAX,
	X86_RCX,
	X86_RDX,
	X86_RBX,
	X86_RSP,
	X86_RBP,
	X86_RSI,
	X86_RDI,
	X86_RIP = 16,
	X86_NO_REGISTER = 17
};

enum x86_map { X86_ONE_BYTE, X86_0F, X86_0F38, X86_0F3A, X86_VECTOR /* VEX, EVEX */ };

struct x86_insn {
	uint8_t size;
	uint8_t map, opcode; /* enum x86_map; the last byte of the opcode */
	bool wide;           /* operands of 64 bits */
	bool segment;        /* a segment prefix: notrack, fs, ... */
	bool has_modrm, is_memory;
	uint8_t reg, rm; /* ModRM: registers; rm only if it is no memory */
	/* Memory: displacement(base, index, scale) */
	uint8_t base, index, scale;
	int64_t displacement;
	uint32_t writes; /* one bit for each of the 16 general registers */
};

/* False: not known for certain, or cut; map, opcode and prefixes are reported if they are there. */
bool x86_decode(struct bytes code, struct x86_insn *out);

/* The address of a memory operand relative to the next instruction, which is
 * loaded at `end`; 0: it has none. */
uint64_t x86_relative_address(const struct x86_insn *insn, uint64_t end);

#endif
