/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Any bytes as instructions, one after the other, of the machine that the first byte chooses:
 * a certain length is there, has the same instruction without what follows it, and none if a byte
 * is cut off; insn_branch() and x86_decode() agree; LLVM 19, if it is there, has the same length.
 */
#undef NDEBUG /* what is asserted here must be done, too */
#include <assert.h>
#include <string.h>

#include "src/isa/decoder.h"
#include "src/isa/x86_insn.h"

#define AT UINT64_C(0x401000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_same(struct insn a, struct insn b)
{
	return a.kind == b.kind && a.size == b.size && a.target == b.target && a.nop == b.nop &&
	       a.lock == b.lock && a.short_only == b.short_only;
}

static void check_branch(enum machine machine, struct bytes code, struct insn insn)
{
	struct insn branch = insn_branch(machine, code, AT);

	assert(branch.kind == insn.kind && branch.nop == insn.nop && branch.lock == insn.lock);
	assert(!insn_is_direct(insn) || branch.target == insn.target);
}

static void check_x86(struct bytes code, struct insn insn)
{
	static struct llvm_context llvm;
	static bool asked;
	struct x86_insn x86;

	if (!asked && llvm_open(&llvm) && !strstr(llvm_loaded(), "19"))
		llvm_close(&llvm);
	asked = true;
	assert(x86_decode(code, &x86) == !!insn.size && (!insn.size || x86.size == insn.size));
	assert(!insn.size || !llvm.handle || llvm_length(&llvm, code, AT) == insn.size);
}

static void check_cuts(enum machine machine, struct bytes code, struct insn insn)
{
	if (!insn.size)
		return;
	assert(insn.size <= 15 && insn.size <= code.size);
	assert(is_same(insn_decode(machine, bytes_first(code, insn.size), AT), insn));
	assert(!insn_decode(machine, bytes_first(code, insn.size - 1u), AT).size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	enum machine machine = (enum machine)(data[0] % 3);
	struct bytes code = {data + 1, size - 1};

	while (code.size) {
		struct insn insn = insn_decode(machine, code, AT);
		check_branch(machine, code, insn);
		check_cuts(machine, code, insn);
		if (machine == MACHINE_X86_64)
			check_x86(code, insn);
		code = bytes_from(code, insn.size ? insn.size : 1);
	}
	return 0;
}
