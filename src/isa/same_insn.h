/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instructions that are the same except for what llvm-bolt changes when it moves them. */
#ifndef ISA_SAME_INSN_H
#define ISA_SAME_INSN_H

#include "src/isa/insn.h"

/* Two instructions, decoded to i and k.  Branches are the same if they are of one
 * kind: BOLT turns conditions round and sends them elsewhere. */
bool same_instruction(enum machine machine, struct bytes a, const struct insn *i, struct bytes b,
		      const struct insn *k);

/* What two conditional jumps that are the same ask for. */
enum same_condition {
	CONDITION_SAME,
	CONDITION_TURNED, /* the one continues where the other jumps */
	CONDITION_OTHER,
};
enum same_condition same_condition(enum machine machine, struct bytes a, struct bytes b);

#endif
