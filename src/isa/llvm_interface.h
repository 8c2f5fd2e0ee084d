/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The part of LLVM's C interface that is used, declared as in llvm-c/Disassembler.h and Target.h,
 * which need not be there.  A test declares it so once more after those headers of each release
 * that is installed.
 *
 * The callbacks are never given: their types, which changed over the releases, are the declarer's.
 */
#ifndef ISA_LLVM_INTERFACE_H
#define ISA_LLVM_INTERFACE_H

#include <stddef.h>
#include <stdint.h>

#define LLVM_INITIALIZE(name) void name(void)
#define LLVM_CREATE_DISASM(name, op_info, symbol_lookup)                                           \
	void *name(const char *triple, void *info, int tag, op_info get_info, symbol_lookup lookup)
#define LLVM_CREATE_DISASM_CPU(name, op_info, symbol_lookup)                                       \
	void *name(const char *triple, const char *cpu, const char *features, void *info, int tag, \
		   op_info get_info, symbol_lookup lookup)
#define LLVM_SET_DISASM_OPTIONS(name) int name(void *context, uint64_t options)
#define LLVM_DISASM_DISPOSE(name)     void name(void *context)
#define LLVM_DISASM_INSTRUCTION(name)                                                              \
	size_t name(void *context, uint8_t *bytes, uint64_t size, uint64_t pc, char *text,         \
		    size_t text_size)

#endif
