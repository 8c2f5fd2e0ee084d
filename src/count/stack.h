/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The rules by which a branch stack becomes traces of one file: for samples of a known binary
 * (sample_counter.h), and for those of any file that runs (src/record).  Whose addresses the
 * entries have, and where traces are counted, is for the caller to say.
 */
#ifndef COUNT_STACK_H
#define COUNT_STACK_H

#include "src/base/counts.h"
#include "src/count/returns.h"
#include "src/samples/event.h"

/* `from` comes first, so that traces of one function are near each other. */
static inline void trace_key(const struct trace *trace, uint64_t key[COUNT_KEY_WORDS])
{
	key[0] = trace->from.word;
	key[1] = trace->branch.word;
	key[2] = trace->to.word;
}

static inline struct trace trace_of(const uint64_t key[COUNT_KEY_WORDS])
{
	return trace_of_words(key[1], key[0], key[2]);
}

/* Addresses with this bit are the kernel's. */
#define KERNEL_BIT (UINT64_C(1) << 63)

/* Entries that are not of the kernel. */
size_t stack_depth(const struct sample *sample);

/* Is it what Arm SPE records: one branch, and perhaps where the taken branch before it led to, an
 * entry without a source? */
static inline bool stack_is_single(const struct sample *sample)
{
	return sample->branch_count == 1 ||
	       (sample->branch_count == 2 && !sample->branches[1].from);
}

/* How many of the newest entries of a stack must go, for x86-64: from the first stack of exactly 32
 * branches on the two newest of each, by Intel's Skylake erratum.  *seen: there was such a stack.
 */
uint8_t stack_erratum(bool *seen, const struct sample *sample);

/* Should the branches of a stack have types?  *seen: some had; samples: how many there were with
 * this one, of its input. */
bool stack_is_typed(bool *seen, uint64_t samples, const struct sample *sample);

/* What is to be done with each entry of a stack. */
struct entry_use {
	size_t skip;  /* newest entries to leave out, of those that are left after kernel entries
			 were dropped */
	bool typed;   /* its branches should have types */
	bool partial; /* as sample.partial */
	uint32_t extra_flags; /* the second counter of traces counts an entry that has one of these
				 flags, */
	bool extra;           /* or every entry */
	uint64_t kernel_bit;  /* an address that has it is the kernel's; 0: the file is a kernel */
};

static inline bool counts_extra(const struct branch *b, const struct entry_use *use)
{
	return (b->flags & use->extra_flags) | use->extra;
}

/* What became of the entries of a stack. */
struct entry_sums {
	uint64_t kernel, skipped, outside, outside_fall_throughs, fall_throughs;
};

/* Whose walk over a stack it is.  The functions are compiled into the walk: a constant struct, and
 * no calls. */
struct stack_walker {
	/* Where the source or the target of an entry lies: a location in the file, or `outside`. */
	struct trace_end (*find)(void *ctx, const struct branch *entry, bool source,
				 struct trace_end outside);
	void (*count)(void *ctx, const struct branch *entry, const struct trace *trace, bool extra);
	/* An entry is a branch that came back from outside, by its type. */
	void (*returned)(void *ctx, const struct branch *entry);
};

/* Counts entries [begin, end) of a stack from the newest to the oldest.  Each is a trace whose end
 * is the source of the entry before, the next newer one: `to`, for the first of them.  What lies
 * outside at both ends leaves nothing to count.  A partial stack has no such ends.  Returns the
 * next `to`. */
static inline __attribute__((always_inline)) struct trace_end
stack_walk(const struct stack_walker walker, void *ctx, struct branch_types *types,
	   const struct branch *begin, const struct branch *end, struct entry_use use,
	   struct trace_end to, struct entry_sums *sums)
{
	const struct trace_end none = trace_end_of(TRACE_END_NONE),
			       outside = trace_end_of(TRACE_END_EXTERNAL);

	for (const struct branch *b = begin; b < end; b++) {
		if ((b->from | b->to) & use.kernel_bit) {
			sums->kernel++;
			continue;
		}
		if (sums->skipped < use.skip) {
			sums->skipped++;
			continue;
		}
		struct trace_end branch = walker.find(ctx, b, true, outside);
		struct trace_end from = walker.find(ctx, b, false, outside);
		struct trace trace = {branch, from, to};
		sums->fall_throughs += trace_has_fall_through(&trace);
		to = use.partial ? none : branch;
		if (branch_is_return(b)) {
			trace.branch = branch_types_return(types, b, branch, from);
			if (trace_end_is(trace.branch, TRACE_END_FT_RETURN))
				walker.returned(ctx, b);
		} else if (use.typed && branch_must_wait(b, trace)) {
			branch_types_wait(types, b, from, trace.to, counts_extra(b, &use));
			continue;
		}
		if (trace_is_external(&trace)) {
			sums->outside++;
			sums->outside_fall_throughs += trace_has_fall_through(&trace);
		} else {
			walker.count(ctx, b, &trace, counts_extra(b, &use));
		}
	}
	return to;
}

#endif
