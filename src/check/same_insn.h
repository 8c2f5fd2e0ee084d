/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions that are the same but for what llvm-bolt changes when it moves them. */
#ifndef CHECK_SAME_INSN_H
#define CHECK_SAME_INSN_H

#include "src/isa/decoder.h"

/* Two instructions, decoded to i and k.  Branches are the same if they are of one
 * kind: BOLT turns conditions round and sends them elsewhere. */
bool same_instruction(enum machine machine, struct bytes a, const struct insn *i, struct bytes b,
		      const struct insn *k);

#endif
