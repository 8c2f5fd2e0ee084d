/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the text of an x86-64 instruction in AT&T syntax, as LLVM prints it, says
 * about registers and memory: enough to recognise jumps through tables.
 */
#ifndef CFG_X86_TEXT_H
#define CFG_X86_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define X86_OPERANDS 5

/* General registers of any width are known by the number of their 64-bit one. */
enum { X86_RAX, X86_RCX, X86_RDX, X86_RBX, X86_RSP, X86_RBP, X86_RSI, X86_RDI,
       X86_R8, X86_R11 = 11, X86_R31 = 31, X86_RIP = 32, X86_NO_REGISTER = 33 };

struct x86_operand {
	enum { X86_OTHER, X86_REGISTER, X86_MEMORY } kind;
	int reg; /* REGISTER: general ones, else X86_NO_REGISTER */
	/* MEMORY: displacement(base, index, scale) */
	bool segment; /* through fs, gs, ... */
	int64_t displacement;
	int base, index, scale; /* X86_NO_REGISTER: none */
};

struct x86_text {
	char mnemonic[24]; /* without prefixes such as lock and notrack */
	struct x86_operand operands[X86_OPERANDS];
	size_t count;
};

/* Text that is no instruction has an empty mnemonic. */
void x86_parse(const char *text, struct x86_text *out);

/* Does the instruction write (part of) a general register? */
bool x86_writes(const struct x86_text *insn, int reg);

/* "op memory, register": is it that, for this mnemonic? */
bool x86_is_load(const struct x86_text *insn, const char *mnemonic);

#endif
