/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/isa/llvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "src/base/attr.h"
#include "src/isa/llvm_interface.h"

/* Runtime libraries by the names that distributions give them, the best known
 * first: 19 is what most tests ran with. */
static const char *const library_names[] = {
	"libLLVM.so.19.1",   "libLLVM-19.so.1", "libLLVM.so.22.1", "libLLVM-22.so.1",
	"libLLVM.so.23.1",   "libLLVM-23.so.1", "libLLVM.so.21.1", "libLLVM-21.so.1",
	"libLLVM.so.20.1",   "libLLVM-20.so.1", "libLLVM.so.18.1", "libLLVM-18.so.1",
	"libLLVM-17.so.1",   "libLLVM-17.so",   "libLLVM-16.so.1", "libLLVM-15.so.1",
	"libLLVM-14.so.1",   "libLLVM.so",
};

typedef void (*callback)(void);

static struct {
	const char *name;
	LLVM_INITIALIZE((*initialize[3]));
	LLVM_CREATE_DISASM((*create), callback, callback);
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
	{"LLVMDisasmDispose", &llvm.dispose},
	{"LLVMDisasmInstruction", &llvm.decode},
};

/* Take the interface from a library; false if a part of it is missing. */
static bool bind(void *library)
{
	for (size_t i = 0; i < BC_COUNT(interface); i++) {
		void *address = dlsym(library, interface[i].symbol);
		if (!address)
			return false;
		/* POSIX: a function's address fits a data pointer. */
		memcpy(interface[i].field, &address, sizeof(address));
	}
	return true;
}

static void load(void)
{
	for (size_t i = 0; i < BC_COUNT(library_names); i++) {
		void *library = dlopen(library_names[i], RTLD_LAZY | RTLD_LOCAL);
		if (!library)
			continue;
		if (!bind(library)) {
			dlclose(library);
			continue;
		}
		for (size_t k = 0; k < BC_COUNT(llvm.initialize); k++)
			llvm.initialize[k]();
		llvm.name = library_names[i];
		return;
	}
}

bool llvm_open(struct llvm_context *out)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load);
	out->handle = llvm.name ? llvm.create("x86_64", NULL, 0, NULL, NULL) : NULL;
	return out->handle;
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

const char *llvm_loaded(void)
{
	return llvm.name;
}
