/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One function in both binaries, instruction by instruction: block by block through the table, and
 * within a block by comparing instructions from its beginning on.
 */
#ifndef VERIFY_INSN_TIES_H
#define VERIFY_INSN_TIES_H

#include "src/verify/check_input.h"

enum tie_kind {
	TIE_SAME,     /* `input` is the same instruction */
	TIE_CARRIED,  /* a jump that BOLT added: runs where `input` runs next */
	TIE_PADDING,  /* a nop, or nothing reaches it */
	TIE_CHANGED,  /* BOLT put it in, inlined or changed it */
	TIE_INSERTED, /* in a block that BOLT made: at a call that it promoted, on a way that it
			 split */
	TIE_UNMAPPED, /* the table has nothing of it, or the input has no instruction there */
};

/* For an instruction of the output. */
struct insn_tie {
	uint8_t kind;   /* enum tie_kind */
	uint32_t input; /* number of the instruction in the input; may be one after the last */
};
DEFINE_VEC(insn_tie_vec, struct insn_tie);

/* Instructions of the output that are tied to none of the input, by the reason. */
struct untied_counts {
	uint64_t inserted; /* in blocks that BOLT made */
	uint64_t changed;  /* BOLT inserted, inlined or changed them */
	uint64_t padding;
	uint64_t unmapped; /* the table has nothing of them */
};

/* Counts an instruction that is tied to none.  False, and nothing is counted: it is tied. */
bool untied_counts_take(struct untied_counts *counts, const struct insn_tie *tie);

/* Code of one part, decoded as far as it goes. */
struct tied_code {
	struct bytes bytes;
	uint64_t address;
	struct insn_vec insns;
};

struct tied_fragment {
	uint32_t fragment;
	struct tied_code code;
	struct insn_tie_vec ties; /* one for each instruction */
};

struct tied_function {
	struct tied_code
		in; /* empty if the function is not known in the input: nothing is tied then */
	struct tied_fragment *fragments; /* by ascending address */
	uint32_t count;
	uint32_t hot;       /* which of them the function begins with */
	bool frame_changed; /* BOLT removed, inserted or changed an instruction that saves registers
			       or moves the stack pointer */
};

/* Ties all fragments of one function of the input, or of none (NO_FUNCTION).  `parts`: numbers of
 * fragments, ascending.  What is looked at counts as WORK_TIES, of the input's code in the input,
 * else in the output.  False: out of memory, or too much work (work_fail() of the one or the
 * other); free it either way. */
BC_MUST_USE bool insn_ties_make(const struct binary *subject, const struct input *input,
				uint32_t function, const uint32_t *parts, uint32_t count,
				struct decoder *decoder, struct tied_function *out);
void insn_ties_free(struct tied_function *function);

/* The bytes of an instruction of a part. */
static inline struct bytes tied_bytes(const struct tied_code *code, uint32_t insn)
{
	const struct insn *i = &code->insns.at[insn];

	return bytes_first(bytes_from(code->bytes, i->offset), i->size);
}

/* The number of the instruction that begins at a vaddr; UINT32_MAX: none does. */
uint32_t tied_insn_at(const struct tied_code *code, uint64_t address);

/* The fragment that has an instruction that begins at a vaddr, and the number of that; NULL: none
 * has. */
const struct tied_fragment *tied_fragment_at(const struct tied_function *function, uint64_t address,
					     uint32_t *insn);

#endif
