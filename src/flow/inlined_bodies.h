/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Bodies of functions that llvm-bolt inlined, in the code of the output.  The table has nothing of
 * them.  They are found by following the ways of a function through both binaries at once, from
 * each block of the table on: where the input calls a function and the output does not, the output
 * has that function's instructions, and so on within these.
 */
#ifndef FLOW_INLINED_BODIES_H
#define FLOW_INLINED_BODIES_H

#include "src/flow/known_calls.h"
#include "src/code/out_functions.h"

/* A function within another; the frame 0 is none, and ROOT_FRAME the function of the output itself.
 */
struct inlined_frame {
	uint32_t function; /* the input's */
	uint32_t caller;   /* a frame */
	uint32_t site;     /* the call: the number of an instruction of the caller's code */
	uint32_t depth;
	bool broken; /* its code is not that of the input throughout, or that of the one that it is
			in */
};
DEFINE_VEC(inlined_frame_vec, struct inlined_frame);
#define ROOT_FRAME 1

/* Which instruction of the input one of the output is. */
struct inlined_tie {
	uint32_t frame; /* 0: not known */
	uint32_t insn;  /* of the frame's function */
	bool turned;    /* a conditional jump that goes on where the input's jumps */
	bool between;   /* llvm-bolt put it in, and `insn` is what runs next */
};

/* A function of the output, or a cold fragment. */
struct inlined_code {
	struct inlined_frame_vec *frames; /* callers before what they call; shared by all fragments;
					     NULL: none was inlined */
	struct inlined_tie *ties;         /* per instruction */
	_Atomic uint64_t *runs;  /* per instruction and one more: differences of how often it ran */
	_Atomic uint64_t *taken; /* per instruction: how often it branched */
};

DEFINE_VEC(inlined_frames_vec, struct inlined_frame_vec *);

struct inlined_bodies {
	struct out_functions *functions;
	const struct known_calls *calls;
	struct inlined_frames_vec frames; /* of all functions that have some */
	struct inlined_code *of;          /* by number of an output's function */
};

/* Finds the bodies in all functions.  What takes more looks than are left is not found.  All must
 * outlive *out.  Returns false when out of memory; *out is to be closed all the same. */
BC_MUST_USE bool inlined_bodies_open(struct out_functions *functions, struct known_calls *calls,
				     const struct targets *output, struct inlined_bodies *out);
void inlined_bodies_close(struct inlined_bodies *bodies);

/* NULL: nothing was inlined into a function, or what it has is not known. */
static inline struct inlined_code *inlined_code_of(const struct inlined_bodies *bodies,
						   const struct function *output)
{
	struct out_function *f = bodies->of ? out_function_of(bodies->functions, output) : NULL;
	struct inlined_code *code = f ? &bodies->of[f - bodies->functions->at] : NULL;

	return code && code->frames ? code : NULL;
}

/* What is known of an instruction in a body.  NULL: it is not in one, or that is not the input's.
 */
const struct inlined_tie *inlined_tie_at(const struct inlined_bodies *bodies,
					 struct output_place place);

/* Where the input calls what a place of the output does, or jumps out of a function, if it does so
 * in a body.  False: not known. */
bool inlined_call_at(const struct inlined_bodies *bodies, struct output_place place,
		     struct input_place *out);

/* Where control is in the function's own code.  llvm-bolt puts blocks of bodies, and what is behind
 * them, behind other blocks, for which the table takes them: `by_table`, if that is in the right
 * block.  before: at the instruction before the place. */
uint32_t inlined_own_offset(const struct inlined_bodies *bodies, struct output_place place,
			    bool before, uint32_t by_table);

/* Counts a straight line in a function, and a branch out of it.  Several threads may. */
void inlined_take_line(const struct inlined_bodies *bodies, struct output_place from, uint32_t to,
		       uint64_t count);
void inlined_take_branch(const struct inlined_bodies *bodies, struct output_place from,
			 uint64_t count);

#endif
