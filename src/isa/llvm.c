/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/isa/llvm.h"

#include <pthread.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/base/library.h"
#include "src/isa/llvm_interface.h"

/* Runtime libraries by the names that distributions give them, the best known
 * first: 19 is what most tests ran with. */
static const char *const library_names[] = {
	"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM.so.22.1", "libLLVM-22.so.1",
	"libLLVM.so.23.1", "libLLVM-23.so.1", "libLLVM.so.21.1", "libLLVM-21.so.1",
	"libLLVM.so.20.1", "libLLVM-20.so.1", "libLLVM.so.18.1", "libLLVM-18.so.1",
	"libLLVM-17.so.1", "libLLVM-17.so",   "libLLVM-16.so.1", "libLLVM-15.so.1",
	"libLLVM-14.so.1", "libLLVM.so",
};

typedef void (*callback)(void);

static struct {
	const char *name;
	void *library;
	LLVM_INITIALIZE((*initialize[3]));
	LLVM_CREATE_DISASM((*create), callback, callback);
	LLVM_CREATE_DISASM_CPU((*create_cpu), callback, callback);
	LLVM_SET_DISASM_OPTIONS((*set_options));
	LLVM_DISASM_DISPOSE((*dispose));
	LLVM_DISASM_INSTRUCTION((*decode));
} llvm;

static const struct {
	const char *symbol;
	void *field;
} interface[] = {
	{"LLVMInitializeX86TargetInfo", &llvm.initialize[0]},
	{"LLVMInitializeX86TargetMC", &llvm.initialize[1]},
	{"LLVMInitializeX86Disassembler", &llvm.initialize[2]},
	{"LLVMCreateDisasm", &llvm.create},
	{"LLVMCreateDisasmCPUFeatures", &llvm.create_cpu},
	{"LLVMSetDisasmOptions", &llvm.set_options},
	{"LLVMDisasmDispose", &llvm.dispose},
	{"LLVMDisasmInstruction", &llvm.decode},
};

/* Take the interface from a library; false if a part of it is missing. */
static bool bind(void *library)
{
	for (size_t i = 0; i < BC_COUNT(interface); i++)
		if (!library_function(library, interface[i].symbol, interface[i].field))
			return false;
	return true;
}

static void load(void)
{
	for (size_t i = 0; i < BC_COUNT(library_names); i++) {
		struct bc_error ignored;
		void *library;
		if (!library_load(library_names[i], &library, &ignored) || !bind(library))
			continue;
		for (size_t k = 0; k < BC_COUNT(llvm.initialize); k++)
			llvm.initialize[k]();
		llvm.name = library_names[i];
		llvm.library = library;
		return;
	}
}

static void load_once(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
}

bool llvm_open(struct llvm_context *out)
{
	load_once();
	out->handle = llvm.name ? llvm.create("x86_64", NULL, 0, NULL, NULL) : NULL;
	return out->handle;
}

/* A machine as LLVM names it, with what its processors can do: an instruction that none of these
 * has is none. */
static const struct {
	const char *triple, *features;
	const char *initialize[3]; /* of x86-64: with the library */
} machines[] = {
	[MACHINE_X86_64] = {"x86_64", "", {NULL}},
	[MACHINE_AARCH64] = {"aarch64",
			     "+v8.6a,+sve2,+aes,+sha2",
			     {"LLVMInitializeAArch64TargetInfo", "LLVMInitializeAArch64TargetMC",
			      "LLVMInitializeAArch64Disassembler"}},
	[MACHINE_RISCV64] = {"riscv64",
			     "+m,+a,+f,+d,+c,+zba,+zbb,+zbs",
			     {"LLVMInitializeRISCVTargetInfo", "LLVMInitializeRISCVTargetMC",
			      "LLVMInitializeRISCVDisassembler"}},
};

#define PRINT_IMMEDIATES_AS_HEX 2 /* LLVMDisassembler_Option_PrintImmHex */

bool llvm_open_text(enum machine machine, struct llvm_context *out)
{
	LLVM_INITIALIZE((*initialize));

	*out = (struct llvm_context){0};
	load_once();
	for (size_t i = 0; llvm.name && i < BC_COUNT(machines[machine].initialize) &&
			   machines[machine].initialize[i];
	     i++) {
		if (!library_function(llvm.library, machines[machine].initialize[i], &initialize))
			return false;
		initialize();
	}
	if (llvm.name)
		out->handle = llvm.create_cpu(machines[machine].triple, "",
					      machines[machine].features, NULL, 0, NULL, NULL);
	return out->handle && llvm.set_options(out->handle, PRINT_IMMEDIATES_AS_HEX);
}

void llvm_close(struct llvm_context *context)
{
	if (context->handle)
		llvm.dispose(context->handle);
	context->handle = NULL;
}

size_t llvm_length(const struct llvm_context *context, struct bytes code, uint64_t at)
{
	uint8_t window[16]; /* LLVM takes bytes it may write, and needs 15 at most */
	char text[1];       /* not wanted */

	code = bytes_first(code, 15);
	memcpy(window, code.data, code.size);
	return llvm.decode(context->handle, window, code.size, at, text, sizeof(text));
}

size_t llvm_text(const struct llvm_context *context, struct bytes code, uint64_t at, char *text,
		 size_t size)
{
	uint8_t window[16] = {0};

	code = bytes_first(code, 15);
	memcpy(window, code.data, code.size);
	text[0] = '\0';
	return llvm.decode(context->handle, window, code.size, at, text, size);
}

const char *llvm_loaded(void)
{
	return llvm.name;
}
