/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/insn.h"

#include "src/cfg/insn_isa.h"
#include "src/cfg/x86_insn.h"

void decoder_open(enum machine machine, struct decoder *out)
{
	*out = (struct decoder){.machine = machine};
}

void decoder_close(struct decoder *decoder)
{
	llvm_close(&decoder->llvm);
}

bool decoder_next(struct decoder *decoder, struct bytes code, uint64_t at,
		  struct insn *out)
{
	switch (decoder->machine) {
	case MACHINE_X86_64:
		return insn_x86(decoder, code, at, out);
	case MACHINE_AARCH64:
		return insn_aarch64(code, at, out);
	case MACHINE_RISCV64:
		break;
	}
	return insn_riscv(code, at, out);
}

size_t insn_length(enum machine machine, struct bytes code)
{
	struct x86_insn insn;

	switch (machine) {
	case MACHINE_X86_64:
		return x86_decode(code, &insn) ? insn.size : 0;
	case MACHINE_AARCH64:
		return 4;
	case MACHINE_RISCV64:
		if (code.size < 2)
			return 0;
		return (code.data[0] & 3) == 3 ? 4 : 2;
	}
	return 0;
}
