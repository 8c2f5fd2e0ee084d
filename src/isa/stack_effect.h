/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What an instruction does to a function's frame: it moves the stack pointer, saves registers and
 * loads them again, copies pointers into the frame.  Registers have their DWARF numbers, as call
 * frame information names them.
 */
#ifndef ISA_STACK_EFFECT_H
#define ISA_STACK_EFFECT_H

#include <stdint.h>

#include "src/base/bytes.h"
#include "src/isa/insn.h"

enum stack_step_kind {
	STACK_SET,   /* reg = base + value */
	STACK_STORE, /* 8 bytes at base + value = reg; STACK_NO_REGISTER: something else */
	STACK_LOAD,  /* reg = 8 bytes at base + value */
};

struct stack_step {
	enum stack_step_kind kind;
	uint8_t reg, base;
	int64_t value;
};

#define STACK_NO_REGISTER 255
#define STACK_STEPS_MOST  3

struct stack_effect {
	struct stack_step steps[STACK_STEPS_MOST]; /* one after the other */
	unsigned count;
	uint64_t writes; /* bits of the first 64 registers that it gives another value, which no
			    step shows; on x86-64 exact */
	bool unknown;    /* it may do more than this */
};

/* For the instruction that `code` is. */
struct stack_effect stack_effect_of(enum machine machine, struct bytes code);

bool stack_effects_equal(const struct stack_effect *a, const struct stack_effect *b);

/* Which registers have a role. */
struct stack_roles {
	uint8_t stack_pointer, frame_pointer;
	uint8_t link;  /* that a call leaves the return address in; STACK_NO_REGISTER: it is on the
			  stack */
	uint64_t kept; /* registers that a function gives back as it got them, of the first 64 */
};
struct stack_roles stack_roles_of(enum machine machine);

/* Does it move the stack pointer, make a frame pointer, or save or restore a register that
 * functions keep? */
bool stack_effect_is_of_frame(enum machine machine, const struct stack_effect *effect);

#endif
