/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A pass of restore_records() over all functions, and the last of its steps: calls of functions that llvm-bolt inlined. */
#ifndef FLOW_RESTORE_PASS_H
#define FLOW_RESTORE_PASS_H

#include "src/elf/fragments_by_function.h"
#include "src/pair/targets.h"
#include "src/profile/entries.h"
#include "src/flow/restore.h"

/* The calls of a function of the input, in order: a direct call or a tail call of a known function. */
struct known_call {
	uint32_t callee, place;
};
DEFINE_VEC(known_call_vec, struct known_call);

struct known_calls {
	struct known_call_vec at;
	uint32_t *begin, *end; /* per function of the input; KNOWN_CALLS_NONE: its code was not read yet */
};
#define KNOWN_CALLS_NONE UINT32_MAX
#define LOOKS_EACH 16
#define LOOKS_ALWAYS (UINT64_C(1) << 22)

/* Steps past a block, which the output has as steps through it, as it asks the block's condition in front of the block before. */
struct displaced {
	const struct function *function; /* of the output */
	uint32_t before, block;          /* blocks: the one before, and the one that is passed */
	uint64_t count;
};
DEFINE_VEC(displaced_vec, struct displaced);

struct copy {
	uint32_t of; /* the block whose copy follows the block at hand in the output; NO_BLOCK: none does */
	const struct out_function *function; /* that has both in the output; NULL: not known */
	uint64_t begin, end;                 /* offsets there */
};

/* One pass over all functions. */
struct pass {
	const struct restoration *how;
	const struct binary *binary; /* the output */
	struct record_groups groups;
	struct entry_vec entries; /* for the second pass: what leads into functions, as the first left it */
	struct record_batch *out;
	struct targets input, output;
	struct decoder decoder; /* of the input */
	const struct code *code; /* of the function at hand, in the input */
	const struct function *function; /* likewise: the output's */
	size_t begin, end;               /* its records, of groups.records */
	struct fragments_by_function fragments; /* of the output */
	struct known_calls calls;
	struct displaced_vec displaced; /* by function, as records are; found by the first pass, for the second */
	size_t first_displaced;         /* of the function at hand, or of one behind it */
	uint64_t looks; /* at calls and blocks of the input, which are left: LOOKS_EACH for each byte of the input, and LOOKS_ALWAYS */
	struct copy *copies; /* per block of the function at hand */
	bool *shared; /* by function of the output: its body is that of several of the input's */
	bool *named;  /* likewise: a record that was added has it */
	bool out_of_memory;
};

static inline struct record pass_record(const struct pass *pass, size_t number)
{
	return record_unpack(&pass->groups.records[number], pass->binary, false);
}

void pass_add(struct pass *pass, struct record record);

/* Adds a branch within the current function. */
void pass_add_edge(struct pass *pass, uint32_t from, uint32_t to, uint64_t count, uint64_t mispredicted);

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
	pass->how->restored->guarded[guard] += count;
}

/* The function of the input that an instruction of the input calls or jumps to, if that is known; only
 * what leaves its function.  NO_TARGET: none. */
uint32_t pass_callee(const struct pass *pass, const struct function *input, const struct insn *insn);

/* The counts of the current function. */
struct flows {
	uint64_t *in, *out; /* per block: what arrives, and what leaves for other blocks or functions, calls included */
	uint64_t *on;       /* of what leaves: what goes on in the function */
};
/* Restores calls of functions that were inlined, when all else is restored.  Adds the records that replace others: *replaced[i] is for
 * record begin + i.  Returns false when out of memory. */
bool inlined_restore(struct pass *pass, const struct flows *flows, bool *replaced);

#endif
