/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Declares LLVM's functions a second time, as src/isa/llvm.c takes them: a compiler refuses what
 * differs. */
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include "src/isa/llvm_interface.h"

LLVM_INITIALIZE(LLVMInitializeX86TargetInfo);
LLVM_INITIALIZE(LLVMInitializeX86TargetMC);
LLVM_INITIALIZE(LLVMInitializeX86Disassembler);
LLVM_CREATE_DISASM(LLVMCreateDisasm, LLVMOpInfoCallback, LLVMSymbolLookupCallback);
LLVM_CREATE_DISASM_CPU(LLVMCreateDisasmCPUFeatures, LLVMOpInfoCallback, LLVMSymbolLookupCallback);
LLVM_SET_DISASM_OPTIONS(LLVMSetDisasmOptions);
LLVM_DISASM_DISPOSE(LLVMDisasmDispose);
LLVM_DISASM_INSTRUCTION(LLVMDisasmInstruction);

#ifdef WRONG /* each of these must be refused */
#if WRONG == 1
LLVM_CREATE_DISASM(LLVMCreateDisasm, LLVMSymbolLookupCallback, LLVMOpInfoCallback);
#elif WRONG == 2
LLVM_DISASM_DISPOSE(LLVMDisasmInstruction);
#elif WRONG == 3
LLVM_INITIALIZE(LLVMDisasmDispose);
#elif WRONG == 4
LLVM_CREATE_DISASM_CPU(LLVMCreateDisasmCPU, LLVMOpInfoCallback, LLVMSymbolLookupCallback);
#elif WRONG == 5
LLVM_SET_DISASM_OPTIONS(LLVMDisasmDispose);
#endif
#endif
