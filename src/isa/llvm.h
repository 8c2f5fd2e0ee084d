/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * LLVM's disassembler: the length of x86-64 instructions that the own decoder does
 * not know, and instructions of all machines as text.  libLLVM takes 40 ms and 50 MB to load, and
 * most conversions never need it: it is loaded when the first context is asked for, and the program
 * is not linked with it.
 */
#ifndef ISA_LLVM_H
#define ISA_LLVM_H

#include <stdbool.h>
#include <stddef.h>

#include "src/base/bytes.h"
#include "src/isa/insn.h"

/* For one thread at a time. */
struct llvm_context {
	void *handle; /* NULL: none */
};

/* False: no libLLVM could be loaded.  Safe to call from several threads. */
bool llvm_open(struct llvm_context *out);
void llvm_close(struct llvm_context *context);

/* The length of the instruction that begins at `code` and is loaded at `at`, or
 * 0 if there is none. */
size_t llvm_length(const struct llvm_context *context, struct bytes code, uint64_t at);

/* For llvm_text(), of any machine.  False: no libLLVM could be loaded, or it does not know the
 * machine; to be closed, too. */
bool llvm_open_text(enum machine machine, struct llvm_context *out);

/* The same length, and the instruction as LLVM prints it for GNU's assembler, cut where it does not
 * fit: a tab, the mnemonic, and after another tab the operands.  Where a branch leads is a
 * distance.  size: at least 1 */
size_t llvm_text(const struct llvm_context *context, struct bytes code, uint64_t at, char *text,
		 size_t size);

/* The file name of the libLLVM that was loaded; NULL: none was, or none was
 * needed so far. */
const char *llvm_loaded(void);

#endif
