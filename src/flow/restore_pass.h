/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A pass of restore_records() over all functions, and what its rules add to. */
#ifndef FLOW_RESTORE_PASS_H
#define FLOW_RESTORE_PASS_H

#include "src/elf/binary.h"
#include "src/flow/restore.h"
#include "src/profile/profile.h"

/* Steps past a block, which the output has as steps through it, as it asks the block's condition in
 * front of the block before. */
struct displaced {
	const struct function *function; /* of the output */
	uint32_t before, block;          /* blocks: the one before, and the one that is passed */
	uint64_t count;
};
DEFINE_VEC(displaced_vec, struct displaced);

/* Counts of a function of the input, of its copies in functions that llvm-bolt inlined it into. */
struct body_count {
	uint32_t function, place; /* an offset; 0 for the function itself */
	uint64_t count;
};
DEFINE_VEC(body_count_vec, struct body_count);

struct copy {
	uint32_t of; /* the block whose copy follows the block at hand in the output; NO_BLOCK: none
			does */
	const struct out_function *function; /* that has both in the output; NULL: not known */
	uint64_t begin, end;                 /* offsets there */
};

/* One pass over all functions. */
struct pass {
	const struct restoration *how;
	const struct binary *binary; /* the output */
	struct record_groups groups;
	struct entry_vec
		entries; /* for the second pass: what leads into functions, as the first left it */
	struct record_batch *out;
	struct known_calls *calls;
	const struct targets *input, *output;
	const struct code *code;                /* of the function at hand, in the input */
	const struct function *function;        /* likewise: the output's */
	size_t begin, end;                      /* its records, of groups.records */
	struct fragments_by_function fragments; /* of the output */
	struct displaced_vec displaced; /* by function, as records are; found by the first pass, for
					   the second */
	size_t first_displaced;         /* of the function at hand, or of one after it */
	struct body_count_vec copied_runs;  /* how often copies of a function ran */
	struct body_count_vec copied_calls; /* likewise: calls of theirs that have a record */
	struct copy *copies;                /* per block of the function at hand */
	bool *shared; /* by function of the output: its body is that of several of the input's */
	bool *named;  /* likewise: a record that was added has it */
	bool out_of_memory;
};

static inline struct record pass_record(const struct pass *pass, size_t number)
{
	return record_unpack(&pass->groups.records[number], pass->binary, false);
}

static inline void pass_add(struct pass *pass, struct record record)
{
	const struct function *functions = pass->binary->functions.at;

	if (record.from.function)
		pass->named[record.from.function - functions] = true;
	if (record.to.function)
		pass->named[record.to.function - functions] = true;
	if (!record_push(pass->out, pass->binary, &record))
		pass->out_of_memory = true;
}

/* Adds a branch within the current function. */
static inline void pass_add_edge(struct pass *pass, uint32_t from, uint32_t to, uint64_t count,
				 uint64_t mispredicted)
{
	pass_add(pass, (struct record){RECORD_BRANCH,
				       {pass->function, from},
				       {pass->function, to},
				       count,
				       mispredicted,
				       0});
}

static inline bool pass_does(const struct pass *pass, enum restore_rule rule)
{
	return rules_restore(&pass->how->rules, rule);
}

static inline void pass_count(struct pass *pass, enum restore_rule rule, uint64_t count)
{
	pass->how->restored->count[rule] += count;
}

static inline void pass_count_guarded(struct pass *pass, enum restore_guard guard, uint64_t count)
{
	pass->how->restored->skipped[guard] += count;
}

/* The counts of the current function. */
struct flows {
	uint64_t *in, *out; /* per block: what arrives, and what leaves for other blocks or
			       functions, calls included */
	uint64_t *on;       /* of what leaves: what continues in the function */
};

/* ---- the rule `inlined`, in restore_inlined.c.  False: out of memory ---- */

/* Restores calls of functions that were inlined.  Adds the records that replace others:
 * *replaced[i] is for record begin + i. */
bool inlined_restore(struct pass *pass, struct flows *flows, bool *replaced);

/* When the calls of all functions are restored: gives functions whose copies ran,
 * pass->copied_runs, the calls that they always make, and so on for those that these call. */
bool inlined_restore_nested(struct pass *pass);

#endif
