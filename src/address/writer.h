/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Resolved stacks in several formats:
 *
 *   text    as they come: a head line per stack, then a line per frame
 *   json    as they come: one JSON object per stack
 *   folded  counted and sorted: "outermost;...;innermost COUNT", for flame graphs
 *   pprof   counted: profile.proto, gzip
 *
 * An inlined call is a frame of its own in text and folded stacks; in JSON the frame that it was
 * inlined into has it, as in pprof.
 */
#ifndef ADDRESS_WRITER_H
#define ADDRESS_WRITER_H

#include <stdio.h>

#include "src/address/frames.h"
#include "src/address/pprof.h"

struct stack {
	uint64_t time;
	uint32_t pid, map; /* UINT32_MAX: not known */
	bool has_map; /* `map` is there, and was looked in; of a recording's own maps not reported
	*/
	const struct frame *frames; /* innermost first */
	size_t count;
};

enum stack_format { STACKS_TEXT, STACKS_JSON, STACKS_FOLDED, STACKS_PPROF };

struct stack_writer {
	enum stack_format format;
	bool lines;                       /* print those that frames have */
	const struct mapped_files *files; /* borrowed: of the mappings */
	FILE *out;                        /* borrowed */
	struct strings folded;            /* distinct lines */
	struct count_vec counts;          /* of each */
	struct pprof pprof;
};

void stack_writer_free(struct stack_writer *writer);

/* Write or count one stack.  BC_NOMEM. */
BC_MUST_USE bool stack_writer_add(struct stack_writer *writer, const struct stack *stack,
				  struct bc_error *err);

/* Write what was counted.  BC_NOMEM. */
BC_MUST_USE bool stack_writer_finish(struct stack_writer *writer, struct bc_error *err);

#endif
