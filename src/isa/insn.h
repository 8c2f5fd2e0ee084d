/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One instruction: its length, what becomes of control flow, and where that leads.
 *
 * These functions look at the bytes alone, and say where they are not certain;
 * decoder.h asks LLVM then.  What else is to know of an x86-64 instruction is in
 * x86_insn.h.
 */
#ifndef ISA_INSN_H
#define ISA_INSN_H

#include "src/base/bytes.h"
#include "src/base/sort.h"
#include "src/base/vec.h"

/* The processors whose samples can be converted; all little-endian, 64 bits. */
enum machine { MACHINE_X86_64, MACHINE_AARCH64, MACHINE_RISCV64 };

/* "x86-64", "AArch64" or "RISC-V 64". */
const char *machine_name(enum machine machine);

enum insn_kind {
	INSN_NEXT,          /* continues; if `target` is not 0, it forms that address           */
	INSN_CALL,          /* to `target`; continues, sooner or later                          */
	INSN_CALL_INDIRECT, /* through a register, or the memory at `target`; continues, too    */
	INSN_CONDITIONAL,   /* to `target`, or on                                             */
	INSN_JUMP,          /* to `target`                                                    */
	INSN_JUMP_INDIRECT, /* through a register, or the memory at `target`                  */
	INSN_RETURN,        /* x86 ret, iret; AArch64 ret*, eret*, drps; RISC-V jr and jalr of
			       ra or t0 without a link, mret, sret                            */
	INSN_SYSTEM,        /* system call, int3 and the like: continues, but control can come
			       back anywhere                                                  */
	INSN_BREAK,         /* AArch64 brk: an exception, and nothing follows                 */
	INSN_TRAP,          /* goes nowhere, and no branch either: ud2, hlt, udf, unimp       */
};

struct insn {
	uint64_t target;     /* vaddr; 0: none, or not known               */
	uint32_t offset;     /* for the caller, who has a beginning to count from */
	uint8_t size;        /* bytes; 0: not certain                      */
	uint8_t kind;        /* enum insn_kind                             */
	bool short_only : 1; /* a branch that has no longer form, as BOLT needs one: loop, jrcxz */
	bool nop : 1;
	bool lock : 1; /* x86: this prefix alone, to LLVM an instruction; INSN_NEXT */
};
DEFINE_VEC(insn_vec, struct insn);
/* By offset: the index of the first instruction at an offset or after it. */
DEFINE_SEARCH(insns_before, struct insn, uint64_t, item->offset < key)

/* The number of the instruction that begins at an offset; NO_INSN: none does. */
#define NO_INSN UINT32_MAX
static inline uint32_t insns_at(const struct insn_vec *insns, uint64_t offset)
{
	size_t i = insns_before(insns->at, insns->len, offset);

	return i < insns->len && insns->at[i].offset == offset ? (uint32_t)i : NO_INSN;
}

/* The instruction that begins at `code` and is loaded at `at`.  For bytes that are cut,
 * or no instruction: size 0, INSN_NEXT.  The kind can be known without the size. */
struct insn insn_decode(enum machine machine, struct bytes code, uint64_t at);

/* The same without size, and without a target that is no branch's: in a third of the time. */
struct insn insn_branch(enum machine machine, struct bytes code, uint64_t at);

/* The page that an instruction of AArch64 loads, if that is adrp x16. */
bool aarch64_page(uint32_t word, uint64_t at, uint64_t *page);

/* Where code of AArch64 jumps: adrp x16, PAGE; add x16, x16, OFFSET; br x16.  False: it is other
 * code. */
bool aarch64_far_jump(struct bytes code, uint64_t at, uint64_t *target);

/* Can a processor record it as the source of a branch? */
static inline bool insn_is_branch(struct insn insn)
{
	return insn.kind != INSN_NEXT && insn.kind != INSN_TRAP;
}

/* Does it go to `target`, if it does not continue? */
static inline bool insn_is_direct(struct insn insn)
{
	return insn.kind == INSN_CALL || insn.kind == INSN_CONDITIONAL || insn.kind == INSN_JUMP;
}

/* Is it a jump whose target it shows itself? */
static inline bool insn_jumps(struct insn insn)
{
	return insn.kind == INSN_CONDITIONAL || insn.kind == INSN_JUMP;
}

static inline bool insn_is_call(struct insn insn)
{
	return insn.kind == INSN_CALL || insn.kind == INSN_CALL_INDIRECT;
}

/* Does what is after it run next, except for what a call or an exception runs first? */
static inline bool insn_goes_on(struct insn insn)
{
	return insn.kind == INSN_NEXT || insn.kind == INSN_SYSTEM || insn_is_call(insn);
}

/* Does control leave permanently, by a jump, a return or a trap? */
static inline bool insn_ends_way(struct insn insn)
{
	return insn.kind != INSN_CONDITIONAL && !insn_goes_on(insn);
}

#endif
