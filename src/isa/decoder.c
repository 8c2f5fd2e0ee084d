/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/isa/decoder.h"

#include "src/isa/machines.h"

const char *machine_name(enum machine machine)
{
	switch (machine) {
	case MACHINE_X86_64: return "x86-64";
	case MACHINE_AARCH64: return "AArch64";
	case MACHINE_RISCV64: break;
	}
	return "RISC-V 64";
}

struct insn insn_decode(enum machine machine, struct bytes code, uint64_t at)
{
	switch (machine) {
	case MACHINE_X86_64: return insn_x86(code, at);
	case MACHINE_AARCH64: return insn_aarch64(code, at);
	case MACHINE_RISCV64: break;
	}
	return insn_riscv(code, at);
}

struct insn insn_branch(enum machine machine, struct bytes code, uint64_t at)
{
	return machine == MACHINE_X86_64 ? branch_x86(code, at) : insn_decode(machine, code, at);
}

void decoder_open(enum machine machine, struct decoder *out)
{
	*out = (struct decoder){.machine = machine};
}

void decoder_close(struct decoder *decoder)
{
	llvm_close(&decoder->llvm);
}

/* Its kind is in the bytes that LLVM takes for it; what address it forms is not known. */
static bool ask_llvm(struct decoder *decoder, struct bytes code, uint64_t at, struct insn *out)
{
	if (decoder->machine != MACHINE_X86_64 || decoder->llvm_missing || !code.size)
		return false;
	if (!decoder->llvm.handle && !llvm_open(&decoder->llvm)) {
		decoder->llvm_missing = true;
		return false;
	}
	size_t size = llvm_length(&decoder->llvm, code, at);
	*out = insn_branch(MACHINE_X86_64, bytes_first(code, size), at);
	out->size = (uint8_t)size;
	return size;
}

bool decoder_next(struct decoder *decoder, struct bytes code, uint64_t at, struct insn *out)
{
	*out = insn_decode(decoder->machine, code, at);
	return out->size || ask_llvm(decoder, code, at, out);
}

bool decoder_read(struct decoder *decoder, struct bytes code, uint64_t at, struct insn_vec *out)
{
	struct insn insn;

	for (uint32_t offset = 0; offset < code.size && code.size <= UINT32_MAX;
	     offset += insn.size) {
		if (!decoder_next(decoder, bytes_from(code, offset), at + offset, &insn))
			break;
		insn.offset = offset;
		if (!insn_vec_push(out, insn))
			return false;
	}
	return true;
}
