/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The walk over counted traces.  Where the ends of a trace lie, whether code of the input ran there
 * at its own location, whether its branch is a return, and where its fall-through ends: all this is
 * decided here, once, for everybody who takes the traces.
 *
 * A trace has two ways: the branch from `source` to `from`, and the fall-through from there to
 * `to`.
 */
#ifndef FLOW_TRACES_H
#define FLOW_TRACES_H

#include <stdatomic.h>

#include "src/code/cfg.h"
#include "src/code/pair.h"
#include "src/count/aggregate.h"
#include "src/count/located.h"
#include "src/code/labels.h"
#include "src/code/targets.h"
#include "src/samples/trace.h"
#include "src/profile/build_check.h"

/*
 * Where instructions begin in functions, and so whether a location lies inside one, or right
 * after a call.  Code is read from the function's start on, and again from each entry of its
 * table; LLVM is asked for lengths that we do not know in functions without a table, where a walk
 * asks it, too.  What is after an instruction of unknown length is not known.
 *
 * A function is read when it is first asked for, once, by whichever thread: a location takes a look
 * at some bits then.
 */
DEFINE_BY_CODE(start_bits,
	       _Atomic(uint64_t *)) /* a bit for each byte that an instruction begins at, or NULL */

/* Zeroed means of no binary. */
struct insn_starts {
	const struct binary *binary;
	struct start_bits of;
	const struct cfg *graphs; /* whose bits are among them; or NULL */
};

BC_MUST_USE bool insn_starts_open(struct insn_starts *starts, const struct binary *binary,
				  struct bc_error *err);
/* What graphs were made of need not be read again; they must outlive `starts`.  Before threads
 * share it. */
void insn_starts_share(struct insn_starts *starts, const struct cfg *graphs);
void insn_starts_close(struct insn_starts *starts);

enum insn_verdict {
	INSN_NO,
	INSN_YES,
	INSN_UNSURE, /* the code cannot be read so far without a disassembler */
	INSN_NO_MEMORY,
};

/* Does an instruction begin there?  The decoder is of this thread.  `place.function` is not
 * NULL. */
enum insn_verdict insn_begins(struct insn_starts *starts, struct decoder *decoder,
			      struct output_place place);

/* Is the branch there a return by its instruction?  In code that BOLT moved the bytes show, as
 * perf2bolt has it; in what it ignored no return begins inside an instruction. */
enum insn_verdict insn_is_return(struct insn_starts *starts, struct decoder *decoder,
				 struct output_place place, struct insn insn);

/* Does the instruction before it, in the same function, end there, and is it a call? */
enum insn_verdict insn_follows_call(struct insn_starts *starts, struct decoder *decoder,
				    struct output_place place);

/*
 * Returns that only the location they lead to shows: from other files, which have no instruction
 * to look at, to the location right after a call.  A landing pad may be there, too, after a
 * call that never returns: what leads to it is the unwinder.
 */
struct return_places { /* of one thread */
	struct insn_starts *starts;
	struct decoder *decoder;
	bool used;                    /* else there are none */
	const struct label_vec *pads; /* of all functions that are entered, sorted */
	struct trace_end last; /* the location that was asked for, as one mostly comes in a row */
	bool last_has;
	bool no_memory;
};

/* Neither its source nor a record of the input says what it is. */
static inline bool return_places_may_have(const struct return_places *places, struct trace trace)
{
	return places->used && (trace_end_is(trace.branch, TRACE_END_EXTERNAL) ||
				trace_end_is(trace.branch, TRACE_END_FT_EXTERNAL));
}

/* Is a trace's branch a return by its location?  from: where trace.from lies. */
bool return_places_has(struct return_places *places, struct trace trace, struct output_place from);

/* ---- the walk ---- */

struct located_trace {
	const struct count_row *row;
	struct trace trace;
	struct trace_end end; /* of the line: that of the trace, or an imputed one; TRACE_END_NONE:
				 there is no line */
	struct output_place source, from, to; /* .function NULL: in none; `to`: of a line only */
	struct old_place old_source, old_from,
		old_to;   /* with the input at hand: code that ran where the input has it */
	struct insn insn; /* the branch; INSN_NEXT where there is no code */
	bool returns;     /* the branch is a return */
	bool into_thunk;  /* it leads into a thunk, or a jump to a landing pad: `from` is where that
			     leads, and the line is the thunk's */
	bool of_thunk; /* it is the jump of a thunk, or to a landing pad: what led there counts */
};

/* What all threads read. */
struct trace_facts {
	struct located_counts *located; /* and the binary */
	const struct pair *pair;        /* or NULL */
	const struct returns *returns;
	const struct number_set *typed; /* of these: by their type */
	struct profile_rules rules;
	bool imputes;
	struct insn_starts starts;
	bool passes; /* thunks, and jumps to landing pads that llvm-bolt made, are passed over */
	struct thunks thunks;   /* none if they are not */
	uint32_t *last_entries; /* of each function, the offset of the last entry of its fragment;
				   NULL if they are not */
	struct label_vec pads;  /* landing pads of functions that were noted as entered `behind`,
				  sorted; set by the caller */
};

/* One thread's walk; zeroed except for `facts`. */
struct trace_walk {
	struct trace_facts *facts;
	struct decoder decoder;
	struct return_places places;
	struct impute impute; /* of the shard at hand */
	struct returns_found found;
	struct build_check check;
	bool no_memory;
};

/* Functions in which something ran; arrays of zeros at first. */
struct trace_notes {
	atomic_bool
		*entered; /* by function of the output: a trace begins there, or came from there */
	atomic_bool *walked; /* likewise: a line is in it, and there is no table */
	atomic_bool *behind; /* likewise: something outside the binary led to a location after its
				beginning, or a jump there may be one to a landing pad */
	atomic_bool *ran;    /* by function of the input; or NULL */
};

/* All must outlive *out.  BC_NOMEM */
BC_MUST_USE bool trace_facts_open(struct located_counts *located, const struct pair *pair,
				  const struct aggregate *aggregate, struct trace_facts *out,
				  struct bc_error *err);
void trace_facts_close(struct trace_facts *facts);

void trace_walk_open(struct trace_walk *walk, struct trace_facts *facts);
void trace_walk_close(struct trace_walk *walk);

/* Before the walk: notes the functions of a shard's traces. */
void traces_note(struct trace_walk *walk, size_t shard, const struct trace_notes *notes);

/* Call `take` for each trace of a shard, in their order. */
typedef void trace_fn(void *ctx, const struct located_trace *trace);
void traces_walk(struct trace_walk *walk, size_t shard, trace_fn *take, void *ctx);

/* A location in code of the input, as far as the rules take it for that. */
static inline struct old_place old_place_by_rules(const struct profile_rules *rules,
						  struct old_place old)
{
	bool takes = old.input &&
		     rules_restore(rules, old.has_table ? RESTORE_ORIGINAL : RESTORE_IGNORED);

	return takes ? old : (struct old_place){0};
}

#endif
