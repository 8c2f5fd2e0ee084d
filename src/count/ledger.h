/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where everything that was read has gone.  Nothing is lost without a name:
 * in each ledger, read == kept + the sum of dropped.
 */
#ifndef COUNT_LEDGER_H
#define COUNT_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/error.h"

/* Why something is not in the profile.  Excluded: an option or the processor leaves it out, it is
 * of other code, or a record that is kept says the same.  Lost: it would be in the profile if more
 * were known.  A summary has the words of `text` before " (", and shows all of them with -v. */
enum drop_kind { DROP_EXCLUDED, DROP_LOST };

/* X(NAME, key for machines, EXCLUDED or LOST, text for people) */
#define SAMPLE_DROPS(X)                                                                            \
	X(OTHER_PID, "other_pid", EXCLUDED, "of processes that --pid leaves out")                  \
	X(OTHER_EVENT, "other_event", EXCLUDED, "of events that --event leaves out")               \
	X(OTHER_TIME, "other_time", EXCLUDED, "outside the time of --time")                        \
	X(PAST_LIMIT, "past_limit", EXCLUDED, "after the first --max-samples")                     \
	X(LATE, "late", LOST, "out of order: older than a process event that was read before")     \
	X(GUEST, "guest", EXCLUDED, "of virtual machines")                                         \
	X(UNKNOWN_EVENT, "unknown_event", LOST, "with an id that no event has")                    \
	X(NO_PROCESS, "no_process", EXCLUDED, "in processes that did not map the binary")          \
	X(NO_STACK, "no_branch_stack", LOST, "without a branch stack")                             \
	X(KERNEL, "kernel", EXCLUDED, "in the kernel")                                             \
	X(OTHER_IMAGE, "other_image", EXCLUDED, "in other files of the process")                   \
	X(UNKNOWN, "unknown_memory", LOST, "in memory that no file is mapped to")                  \
	X(NO_ADDRESS, "no_address", LOST, "without an address")                                    \
	X(NO_FUNCTION, "no_function", LOST, "in the binary, but in no function")                   \
	X(NO_PARENT, "no_parent", LOST, "in a cold fragment of unknown parent")                    \
	X(UNNAMEABLE, "unnameable", LOST, "in functions whose name the profile cannot hold")

#define BRANCH_DROPS(X)                                                                            \
	X(DROPPED_SAMPLE, "dropped_sample", EXCLUDED, "of dropped samples")                        \
	X(NO_PROCESS, "no_process", EXCLUDED,                                                      \
	  "in other processes (of a trace: not mapped there, or left out by --pid)")               \
	X(BASIC_MODE, "basic_mode", EXCLUDED, "not used in basic mode")                            \
	X(KERNEL, "kernel", EXCLUDED, "from or to the kernel")                                     \
	X(NO_SOURCE, "no_source", EXCLUDED,                                                        \
	  "without a source (Arm SPE: where the branch before led to)")                            \
	X(ERRATUM, "erratum", EXCLUDED, "LBR erratum (of Skylake: the newest two of 32 entries)")  \
	X(RETURN, "return", EXCLUDED, "returns (their calls are counted)")                         \
	X(OUTSIDE, "outside", EXCLUDED, "outside the binary's functions (at both ends)")           \
	X(NO_PARENT, "no_parent", LOST, "in a cold fragment of unknown parent")                    \
	X(UNNAMEABLE, "unnameable", LOST, "in functions whose name the profile cannot hold")       \
	X(MADE, "inserted_block", EXCLUDED,                                                        \
	  "of code that llvm-bolt inserted (no edge of the input binary)")                         \
	X(NO_BRANCH, "no_branch", LOST, "from addresses of the input binary that have no branch")

#define TRACE_DROPS(X)                                                                             \
	X(OUTSIDE, "out_of_range", EXCLUDED, "with an end outside the binary's functions")         \
	X(TWO_FRAGMENTS, "two_fragments", LOST, "with ends in two fragments")                      \
	X(ONE_BLOCK, "one_block", EXCLUDED, "inside one block (no edge to count)")                 \
	X(BACKWARDS, "backwards", LOST, "that end before they begin")                              \
	X(INVALID, "invalid", LOST, "through code without a fall-through")                         \
	X(NO_MAP, "no_map", LOST, "in functions without a BAT map or a control-flow graph")        \
	X(BASIC_MODE, "basic_mode", EXCLUDED, "not used in basic mode")                            \
	X(NO_PARENT, "no_parent", LOST, "in a cold fragment of unknown parent")                    \
	X(UNNAMEABLE, "unnameable", LOST, "in functions whose name the profile cannot hold")

#define MEMORY_DROPS(X)                                                                            \
	X(NO_PROCESS, "no_process", EXCLUDED, "in processes that did not map the binary")          \
	X(CODE, "code", EXCLUDED, "by code outside the binary's functions")                        \
	X(UNNAMED, "unnamed", EXCLUDED, "to memory without a symbol, such as heap and stack")      \
	X(NO_PARENT, "no_parent", LOST, "in a cold fragment of unknown parent")                    \
	X(NO_ROOM, "unsupported", LOST, "which pre-aggregated text cannot hold")                   \
	X(UNNAMEABLE, "unnameable", LOST, "with a name that the profile cannot hold")

/* Why something was dropped, or that it was kept. */
#define X(name, key, kind, text) SAMPLE_DROP_##name,
enum sample_drop { SAMPLE_DROPS(X) SAMPLE_KEPT, SAMPLE_DROP_COUNT = SAMPLE_KEPT };
#undef X
#define X(name, key, kind, text) BRANCH_DROP_##name,
enum branch_drop { BRANCH_DROPS(X) BRANCH_KEPT, BRANCH_DROP_COUNT = BRANCH_KEPT };
#undef X
#define X(name, key, kind, text) TRACE_DROP_##name,
enum trace_drop { TRACE_DROPS(X) TRACE_KEPT, TRACE_DROP_COUNT = TRACE_KEPT };
#undef X
#define X(name, key, kind, text) MEMORY_DROP_##name,
enum memory_drop { MEMORY_DROPS(X) MEMORY_KEPT, MEMORY_DROP_COUNT = MEMORY_KEPT };
#undef X

#define LEDGER_REASONS 17 /* the longest of the lists above */

struct ledger {
	uint64_t read, kept;
	uint64_t dropped[LEDGER_REASONS]; /* by the enum of its kind */
};

/* The ledgers of a conversion. */
struct ledgers {
	struct ledger samples;  /* raw and basic samples                       */
	struct ledger branches; /* taken branches: entries of branch stacks    */
	struct ledger traces;   /* fall-throughs between two taken branches    */
	struct ledger memory;   /* sampled accesses to memory                  */
};

/* A ledger's words, for whoever prints it. */
struct ledger_words {
	const char *key, *text; /* of the ledger */
	size_t reason_count;
	struct {
		const char *key;
		enum drop_kind kind;
		const char *text;
	} reasons[LEDGER_REASONS];
};
extern const struct ledger_words sample_words, branch_words, trace_words, memory_words;

uint64_t ledger_dropped(const struct ledger *ledger);

/* What was dropped for reasons of one kind. */
uint64_t ledger_dropped_as(const struct ledger *ledger, const struct ledger_words *words,
			   enum drop_kind kind);

void ledger_add(struct ledger *to, const struct ledger *from);

/* So much that was kept is dropped after all. */
void ledger_move(struct ledger *ledger, unsigned why, uint64_t count);

/* So many more were read.  BC_FORMAT: then there are 2^64 or more of them. */
BC_MUST_USE bool ledger_read(struct ledger *ledger, uint64_t count, struct bc_error *err);

#endif
