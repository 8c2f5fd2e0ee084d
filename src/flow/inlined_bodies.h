/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Bodies of functions that llvm-bolt inlined, in the code of the output.  The table has nothing of
 * them.  They are found by following the ways of a function through both binaries at once, from
 * each block of the table on: where the input calls a function and the output does not, the output
 * has that function's instructions, and so on within these.
 */
#ifndef FLOW_INLINED_BODIES_H
#define FLOW_INLINED_BODIES_H

#include "src/code/targets.h"
#include "src/isa/decoder.h"
#include "src/code/out_functions.h"

/* ---- the code of small functions of the input, and the calls that they make, read when they are
 * first asked for ---- */

/* A direct call, or a jump out of the function: a tail call, or the end of a part that the compiler
 * put elsewhere. */
struct known_call {
	uint32_t place;      /* an offset in the caller */
	uint32_t callee, to; /* the input's function, and an offset there; of a call 0 */
};
DEFINE_VEC(known_call_vec, struct known_call);

struct known_calls {
	const struct pair *pair;
	const struct targets *targets; /* of the input */
	struct decoder *decoder;       /* likewise */
	struct insn_vec **codes;       /* per function of the input; NULL: not read yet */
	struct known_call_vec at;
	uint32_t *begin, *end; /* per function of the input: its calls, in order; KNOWN_CALLS_NONE:
				  its code was not read yet */
	uint64_t looks;        /* at calls, blocks and instructions of the input, which are left:
				  LOOKS_EACH for each byte of the input, and LOOKS_ALWAYS */
};
#define KNOWN_CALLS_NONE UINT32_MAX
#define LOOKS_EACH       16
#define LOOKS_ALWAYS     (UINT64_C(1) << 22)

/* Larger functions are not inlined: they have none. */
#define INLINED_MOST ((uint64_t)4096)

/* All must outlive *out, which is to be closed all the same.  Returns false when out of memory. */
BC_MUST_USE bool known_calls_open(const struct pair *pair, const struct targets *targets,
				  struct decoder *decoder, struct known_calls *out);
void known_calls_close(struct known_calls *calls);

/* Takes from the looks that are left.  False: there are fewer, and none from now on. */
bool known_calls_spend(struct known_calls *calls, uint64_t looks);

/* The code of a function that was read. */
static inline const struct insn_vec *known_calls_code(const struct known_calls *calls,
						      uint32_t function)
{
	return calls->codes[function];
}

/* Reads the calls of a function, up to where it cannot be decoded: those from begin[] to end[].
 * Returns false when out of memory. */
BC_MUST_USE bool known_calls_read(struct known_calls *calls, uint32_t function);

/* Adds the calls that a function makes whenever it runs: no path through its code passes them by.
 * None if there are too few looks left. Returns false when out of memory. */
BC_MUST_USE bool known_calls_always(struct known_calls *calls, uint32_t function,
				    struct known_call_vec *out);

/* ---- bodies ---- */

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
	bool turned;    /* a conditional jump that continues where the input's jumps */
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

/* Where the input calls what a location of the output does, or jumps out of a function, if it does
 * so in a body.  False: not known. */
bool inlined_call_at(const struct inlined_bodies *bodies, struct output_place place,
		     struct input_place *out);

uint32_t inlined_offset_outside(const struct inlined_bodies *bodies, struct output_place place,
				bool before, uint32_t by_table);

/* Where control is in the function's own code.  llvm-bolt puts blocks of bodies, and what is after
 * them, after other blocks, for which the table takes them: `by_table`, if that is in the right
 * block.  before: at the instruction before the location. */
static inline uint32_t inlined_own_offset(const struct inlined_bodies *bodies,
					  struct output_place place, bool before, uint32_t by_table)
{
	return bodies->of ? inlined_offset_outside(bodies, place, before, by_table) : by_table;
}

/* Counts a fall-through in a function, and a branch out of it.  Several threads may. */
void inlined_take_line(const struct inlined_bodies *bodies, struct output_place from, uint32_t to,
		       uint64_t count);
void inlined_take_branch(const struct inlined_bodies *bodies, struct output_place from,
			 uint64_t count);

#endif
