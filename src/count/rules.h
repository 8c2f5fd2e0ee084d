/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where a profile is better than perf2bolt's by another rule than its, and not by a mistake
 * less: one switch a rule, each a row of docs/conversion.md, section 6.  All off is the
 * profile that perf2bolt writes.
 */
#ifndef COUNT_RULES_H
#define COUNT_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* What is brought back that llvm-bolt changed.  X(NAME, word for --restore and machines, text for
 * people) */
#define RESTORE_RULES(X) RESTORE_RULES_OF_TABLE(X) RESTORE_RULES_OF_INPUT(X)
#define RESTORE_RULES_OF_TABLE(X)                                                                  \
	X(NAMES, "names", "of local functions whose name and file others share")                   \
	X(ENTRIES, "entries", "calls of functions whose first block became empty")                 \
	X(INSERTED, "inserted", "within a block of the input binary, or by thunks, left out")      \
	X(PLT, "plt", "calls through the PLT that became calls through memory")                    \
	X(SITES, "sites", "calls from locations of YAML without a call, left out")

/* With --input. */
#define RESTORE_RULES_OF_INPUT(X)                                                                  \
	X(ORIGINAL, "original", "in original bodies of functions that llvm-bolt moved")            \
	X(IGNORED, "ignored", "in functions that it ignored, by the CFG of the input binary")      \
	X(FOLDED, "folded", "calls of functions that were folded with another (ICF)")              \
	X(REMOVED, "removed", "paths through blocks that it removed")                              \
	X(EDGES, "edges", "along no edge of the input CFG, rerouted or left out")                  \
	X(DUPLICATED, "duplicated", "jumps into blocks that it duplicated (tail duplication)")     \
	X(TAILS, "tails", "paths to tail calls that it joined with the jump before")               \
	X(INLINED, "inlined", "calls of functions that it inlined")                                \
	X(UNCALLED, "uncalled", "folded functions that nothing called, named once each")

#define X(name, key, text) RESTORE_##name,
enum restore_rule { RESTORE_RULES(X) RESTORE_COUNT };
#undef X

/* Why a step stays as the output alone shows it, although the input is at hand.
 * X(NAME, word for machines, text for people) */
#define RESTORE_GUARDS(X)                                                                          \
	X(NO_CFG, "no_cfg", "in functions whose CFG in the input binary is not known")             \
	X(OFFSETS, "offsets", "in functions with an offset of the BAT section on no instruction")  \
	X(ANY_TARGET, "any_target", "from blocks whose jump can lead anywhere")                    \
	X(NO_PATH, "no_path", "that the CFG of the input binary has no path for")                  \
	X(FOLDED, "folded",                                                                        \
	  "to a folded body (ICF) of which the callee in the input is not known")                  \
	X(TAILS, "tails", "by tail calls that no block of the input binary leads to")              \
	X(INLINED, "inlined", "out of inlined bodies that do not lead to the function called")

#define X(name, key, text) GUARD_##name,
enum restore_guard { RESTORE_GUARDS(X) GUARD_COUNT };
#undef X

#define RESTORE_BIT(rule) (1u << (rule))
#define RESTORE_ALL       (RESTORE_BIT(RESTORE_COUNT) - 1)

struct profile_rules {
	/* A branch from outside the binary to the location right after a call is a return. */
	bool returns_by_place;
	/* A return from the function itself, as recursion has it, ends after its call as one from
	 * another function does. */
	bool own_returns;
	unsigned restore; /* bits */
	/* Arm SPE: the code that ran up to a sampled branch counts as much as the branches in it,
	 * which are sampled themselves, too. */
	bool even_lines;
	/* For basic samples branches are inferred where the binary's own code is the input's. */
	bool infer;
	/* YAML has blocks of BAT without a count that are a successor, too. */
	bool reached;
};

static inline bool rules_restore(const struct profile_rules *rules, enum restore_rule rule)
{
	return rules->restore & RESTORE_BIT(rule);
}

/* Zeroed: perf2bolt's. */
static const struct profile_rules best_rules = {.returns_by_place = true,
						.own_returns = true,
						.restore = RESTORE_ALL,
						.even_lines = true,
						.infer = true,
						.reached = true};

/* How often control went so, by rule; and how often a step was left as it is, by guard. */
struct restored {
	uint64_t count[RESTORE_COUNT];
	uint64_t skipped[GUARD_COUNT];
};

#endif
