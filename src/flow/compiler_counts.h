/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The compiler's own counts, which it left in the binary (elf/block_map.h), as counted branches and
 * fall-throughs of its code, which convert as those of a recording do.  docs/next-build.md, "The
 * compiler's counts".
 */
#ifndef FLOW_COMPILER_COUNTS_H
#define FLOW_COMPILER_COUNTS_H

#include "src/code/cfg.h"
#include "src/elf/binary.h"
#include "src/samples/event.h"

/* What the map is like. */
struct compiler_counts {
	uint64_t functions;    /* that have code in the binary */
	uint64_t mapped;       /* of these: the map has them */
	uint64_t countable;    /* of these: with entry counts and probabilities, be they 0 */
	uint64_t counted;      /* of these: with an entry count that is not 0 */
	uint64_t undercounted; /* of these: their direct callers count more than COMPILER_CALLS_MOST
				  times as many entries */
	uint64_t no_code;  /* of those counted: their code cannot be read, or does not begin a block
			      where the map says so */
	uint64_t unsolved; /* of those counted: their control flow takes too many steps: it is
			      counted by frequencies */
	uint64_t code_bytes,
		unmapped_bytes; /* of functions; of these: of those that the map does not have */
	bool forced; /* no function has an entry count: each was counted as if it had been entered
			COMPILER_ENTRIES times */
};

#define COMPILER_CALLS_MOST 1.05
#define COMPILER_ENTRIES    1024

/* Limits of a warning, chosen by docs/next-build.md, "What it says". */
#define COMPILER_COUNTED_LEAST     10.0 /* percent of those mapped */
#define COMPILER_CONTRADICTED_MOST 15.0 /* percent of those counted */
#define COMPILER_CONTRADICTED_OF                                                                   \
	20 /* of fewer functions a share shows nothing: recursion that was inlined does not match  \
	      some */
double compiler_counted_percent(const struct compiler_counts *counts);
double compiler_undercounted_percent(const struct compiler_counts *counts);
bool compiler_counts_few(const struct compiler_counts *
				 counts); /* functions have a count; not of those that are forced */
bool compiler_counts_older(
	const struct compiler_counts *counts); /* than the code: too many are undercounted */

struct compiler_job {
	const struct binary *binary; /* that llvm-bolt did not write */
	struct cfg *graphs; /* of it: those of counted functions are built, with their code */
	bool force;         /* a map without a count will do */
	unsigned threads;
};

/* Deliver the counts: EVENT_BEGIN, EVENT_TRACES, EVENT_END.  The result does not depend on the
 * number of threads.
 *
 * BC_NOTFOUND     there is no map
 * BC_MISMATCH     it has no counts; the text says what to do
 * BC_UNSUPPORTED  it is of clang 14 or older
 * BC_FORMAT       it is damaged, or leads to the same code too often
 * BC_NOMEM, and errors of the sink; of all that is no error of the sink, the text has no path */
BC_MUST_USE bool compiler_counts_read(const struct compiler_job *job, const struct event_sink *sink,
				      struct compiler_counts *out, struct bc_error *err);

#endif
