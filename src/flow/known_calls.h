/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The calls that small functions of the input make, read from their code when they are first asked
 * for. */
#ifndef FLOW_KNOWN_CALLS_H
#define FLOW_KNOWN_CALLS_H

#include "src/code/pair.h"
#include "src/code/targets.h"
#include "src/isa/decoder.h"

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
#define LOOKS_EACH 16
#define LOOKS_ALWAYS (UINT64_C(1) << 22)

/* Larger functions are not inlined: they have none. */
#define INLINED_MOST ((uint64_t)4096)

/* All must outlive *out, which is to be closed all the same.  Returns false when out of memory. */
BC_MUST_USE bool known_calls_open(const struct pair *pair, const struct targets *targets,
				  struct decoder *decoder, struct known_calls *out);
void known_calls_close(struct known_calls *calls);

/* Takes from the looks that are left.  False: there are fewer, and none from now on. */
bool known_calls_spend(struct known_calls *calls, uint64_t looks);

/* Reads the code of a function, as far as it can be decoded; none of a large one.  Returns false
 * when out of memory. */
BC_MUST_USE bool known_calls_load(struct known_calls *calls, uint32_t function);

/* The code of a function that was read. */
static inline const struct insn_vec *known_calls_code(const struct known_calls *calls,
						      uint32_t function)
{
	return calls->codes[function];
}

/* Reads the calls of a function, up to where it cannot be decoded: those from begin[] to end[].
 * Returns false when out of memory. */
BC_MUST_USE bool known_calls_read(struct known_calls *calls, uint32_t function);

/* Adds the calls that a function makes whenever it runs: no way through its code passes them by.
 * None if there are too few looks left. Returns false when out of memory. */
BC_MUST_USE bool known_calls_always(struct known_calls *calls, uint32_t function,
				    struct known_call_vec *out);

#endif
