/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "src/cfg/insn.h"

#include "src/cfg/insn_isa.h"

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
