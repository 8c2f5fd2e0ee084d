/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What the bytes of one instruction say about branching, without a
 * disassembler: enough to tell returns, and to check that a sample's branch
 * really is a branch of this binary.
 */
#ifndef ISA_BRANCH_H
#define ISA_BRANCH_H

#include "src/base/address.h"
#include "src/base/bytes.h"
#include "src/isa/machine.h"

enum branch_kind {
	BRANCH_NONE,        /* no branch, or not decodable                  */
	BRANCH_RETURN,      /* x86 ret, iret; AArch64 ret*, eret*, drps;
	                       RISC-V jalr x0, 0(ra) and c.jr ra            */
	BRANCH_DIRECT,      /* jump or call; `target` is where it goes      */
	BRANCH_CONDITIONAL, /* `target` is where it goes if taken           */
	BRANCH_INDIRECT,    /* jump or call through a register or memory    */
	BRANCH_SYSTEM,      /* system call or trap: control can come back
	                       anywhere                                     */
};

struct branch_insn {
	enum branch_kind kind;
	struct vaddr target; /* DIRECT and CONDITIONAL */
};

/* Decode the instruction that begins at `code` (what of it is there: a cut one
 * is BRANCH_NONE), which is loaded at `at`. */
struct branch_insn branch_decode(enum machine machine, struct bytes code,
				 struct vaddr at);

#endif
