/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Returns that only the place they lead to shows: from other files, which have no instruction
 * to look at, to the place right behind a call.  A landing pad may stand there, too, behind a
 * call that never returns: what leads to it is the unwinder.
 *
 * Traces are noted first, as landing pads are read for all functions at once.
 */
#ifndef FLOW_RETURN_PLACES_H
#define FLOW_RETURN_PLACES_H

#include "src/base/vec.h"
#include "src/cfg/labels.h"
#include "src/event/event.h"
#include "src/flow/insn_starts.h"

DEFINE_VEC(index_vec, uint32_t);

/* Of one thread. */
struct return_places {
	struct insn_starts *starts;
	struct decoder *decoder;
	bool used; /* else there are none */
	const struct label_vec *pads; /* sorted; known when all traces were noted */
	struct index_vec entered;     /* functions that were noted */
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

/* from: where trace.from lies. */
void return_places_note(struct return_places *places, struct trace trace, struct output_place from);

/* The functions that were noted, added to `all`.  Returns false when out of memory. */
BC_MUST_USE bool return_places_take(struct return_places *places, struct index_vec *all);

/* The landing pads of these, sorted.  Returns false when out of memory. */
BC_MUST_USE bool return_places_pads(const struct binary *binary, struct index_vec *functions,
				    struct label_vec *out);

/* Is a trace's branch a return by its place? */
bool return_places_has(struct return_places *places, struct trace trace, struct output_place from);

#endif
