/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* decoder_next() of each machine. */
#ifndef CFG_INSN_ISA_H
#define CFG_INSN_ISA_H

#include "src/cfg/insn.h"

bool insn_x86(struct decoder *decoder, struct bytes code, uint64_t at, struct insn *out);
bool insn_aarch64(struct bytes code, uint64_t at, struct insn *out);
bool insn_riscv(struct bytes code, uint64_t at, struct insn *out);

#endif
