/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * A taken branch and the fall-through after it, up to the next taken
 * branch.
 *
 * Each end of a trace is a vaddr, or says why there is none.  Both are in one word, as BOLT's
 * pre-aggregated format has them and as tables count traces by words; this header alone
 * distinguishes them.
 */
#ifndef SAMPLES_TRACE_H
#define SAMPLES_TRACE_H

#include <stdbool.h>

#include "src/base/address.h"

/* The words that are no vaddrs, by BOLT's names. */
#define TRACE_EXTERNAL    UINT64_C(0)      /* somewhere outside the binary     */
#define TRACE_BR_ONLY     UINT64_MAX       /* `to`: no fall-through is known   */
#define TRACE_FT_ONLY     UINT64_MAX       /* `branch`: only a fall-through    */
#define TRACE_FT_EXTERNAL (UINT64_MAX - 1) /* `branch`: came from outside      */
#define TRACE_FT_RETURN   (UINT64_MAX - 2) /* `branch`: a return from outside  */

struct trace_end {
	uint64_t word;
};

enum trace_end_kind {
	TRACE_END_VADDR,
	TRACE_END_EXTERNAL,
	TRACE_END_NONE, /* TRACE_BR_ONLY, TRACE_FT_ONLY */
	TRACE_END_FT_EXTERNAL,
	TRACE_END_FT_RETURN,
};

struct trace {
	struct trace_end branch; /* TRACE_END_NONE and above: only the fall-through is known */
	struct trace_end from;   /* where the branch went to: the fall-through begins there  */
	struct trace_end to;     /* the next taken branch; TRACE_END_NONE: not known         */
};

static inline enum trace_end_kind trace_end_kind(struct trace_end end)
{
	switch (end.word) {
	case TRACE_EXTERNAL: return TRACE_END_EXTERNAL;
	case TRACE_BR_ONLY: return TRACE_END_NONE;
	case TRACE_FT_EXTERNAL: return TRACE_END_FT_EXTERNAL;
	case TRACE_FT_RETURN: return TRACE_END_FT_RETURN;
	default: return TRACE_END_VADDR;
	}
}

/* An end of a kind that has no vaddr. */
static inline struct trace_end trace_end_of(enum trace_end_kind kind)
{
	switch (kind) {
	case TRACE_END_VADDR:
	case TRACE_END_EXTERNAL: break;
	case TRACE_END_NONE: return (struct trace_end){TRACE_BR_ONLY};
	case TRACE_END_FT_EXTERNAL: return (struct trace_end){TRACE_FT_EXTERNAL};
	case TRACE_END_FT_RETURN: return (struct trace_end){TRACE_FT_RETURN};
	}
	return (struct trace_end){TRACE_EXTERNAL};
}

static inline struct trace_end trace_end_at(struct vaddr at)
{
	return (struct trace_end){at.v};
}

static inline bool trace_end_is(struct trace_end end, enum trace_end_kind kind)
{
	return kind == TRACE_END_VADDR ? trace_end_kind(end) == kind :
					 end.word == trace_end_of(kind).word;
}

static inline bool trace_end_equal(struct trace_end a, struct trace_end b)
{
	return a.word == b.word;
}

/* The vaddr of an end.  An end of another kind gives one that lies in no function. */
static inline struct vaddr trace_end_vaddr(struct trace_end end)
{
	return (struct vaddr){end.word};
}

/* Is a branch known, though it may be one outside the binary? */
static inline bool trace_has_branch(const struct trace *trace)
{
	return trace->branch.word < TRACE_FT_RETURN;
}

static inline bool trace_has_fall_through(const struct trace *trace)
{
	return trace->to.word != TRACE_BR_ONLY;
}

/* Do the branch and the location it went to both lie outside the binary? */
static inline bool trace_is_external(const struct trace *trace)
{
	return !(trace->branch.word | trace->from.word);
}

static inline struct trace trace_of_words(uint64_t branch, uint64_t from, uint64_t to)
{
	return (struct trace){{branch}, {from}, {to}};
}

#endif
