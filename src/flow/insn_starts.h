/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where instructions begin in functions, and so whether a place lies inside one, or right
 * behind a call.  Code is read from the function's start on, and anew from each entry of its
 * table; LLVM is asked for lengths that we do not know in functions without a table, where a walk
 * asks it, too.  What stands behind an instruction of unknown length is not known.
 *
 * A function is read when it is first asked for, once, by whichever thread: a place takes a look
 * at some bits then.
 */
#ifndef FLOW_INSN_STARTS_H
#define FLOW_INSN_STARTS_H

#include <stdatomic.h>

#include "src/code/cfg.h"
#include "src/code/labels.h"
#include "src/elf/binary.h"
#include "src/samples/trace.h"

DEFINE_BY_CODE(start_bits, _Atomic(uint64_t *)) /* a bit for each byte that an instruction begins at, or NULL */

/* Zeroed means of no binary. */
struct insn_starts {
	const struct binary *binary;
	struct start_bits of;
	const struct cfg *graphs; /* whose bits are among them; or NULL */
};

BC_MUST_USE bool insn_starts_open(struct insn_starts *starts, const struct binary *binary,
				  struct bc_error *err);
/* What graphs were made of need not be read again; they must outlive `starts`.  Before threads share it. */
void insn_starts_share(struct insn_starts *starts, const struct cfg *graphs);
void insn_starts_close(struct insn_starts *starts);

enum insn_verdict {
	INSN_NO,
	INSN_YES,
	INSN_UNSURE, /* the code cannot be read so far without a disassembler */
	INSN_NO_MEMORY,
};

/* Does an instruction begin there?  The decoder is of this thread.  place.function is not NULL. */
enum insn_verdict insn_begins(struct insn_starts *starts, struct decoder *decoder, struct output_place place);

/* Is the branch there a return by its instruction?  In code that BOLT moved the bytes tell, as perf2bolt has it; in what
 * it left alone no return begins inside an instruction. */
enum insn_verdict insn_is_return(struct insn_starts *starts, struct decoder *decoder, struct output_place place,
				 struct insn insn);

/* Does the instruction before it, in the same function, end there, and is it a call? */
enum insn_verdict insn_follows_call(struct insn_starts *starts, struct decoder *decoder, struct output_place place);

/*
 * Returns that only the place they lead to shows: from other files, which have no instruction
 * to look at, to the place right behind a call.  A landing pad may stand there, too, behind a
 * call that never returns: what leads to it is the unwinder.
 */
struct return_places { /* of one thread */
	struct insn_starts *starts;
	struct decoder *decoder;
	bool used; /* else there are none */
	const struct label_vec *pads; /* of all functions that are entered, sorted */
	struct trace_end last;        /* the place that was asked for, as one mostly comes in a row */
	bool last_has;
	bool no_memory;
};

/* Neither its source nor a record of the input says what it is. */
static inline bool return_places_may_have(const struct return_places *places, struct trace trace)
{
	return places->used && (trace_end_is(trace.branch, TRACE_END_EXTERNAL) ||
				trace_end_is(trace.branch, TRACE_END_FT_EXTERNAL));
}

/* Is a trace's branch a return by its place?  from: where trace.from lies. */
bool return_places_has(struct return_places *places, struct trace trace, struct output_place from);

#endif
