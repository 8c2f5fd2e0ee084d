/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Traces and addresses become records of the input's functions: docs/conversion.md, "Traces to
 * records".
 */
#ifndef FLOW_RECORDS_H
#define FLOW_RECORDS_H

#include "src/flow/fall_throughs.h"
#include "src/flow/inlined_bodies.h"
#include "src/code/block_places.h"
#include "src/flow/traces.h"
#include "src/profile/build_check.h"
#include "src/profile/profile.h"

struct plt_slot {
	uint64_t address;
	const struct function *entry;
	uint32_t jump; /* offset in the entry of its jump through the slot */
};

/*
 * Calls through the PLT that llvm-bolt made calls through the GOT (-plt=hot or all): the
 * instruction is `call *SLOT(%rip)` or `jmp *SLOT(%rip)`, on AArch64 blr x17 or br x17 after adrp
 * x16 and ldr x17, and the entry that jumps through the same slot is still there. llvm-bolt has
 * that option for these two machines.  Zeroed: there are none.
 */
struct plt_calls {
	struct plt_slot *at; /* by address */
	size_t count;
};

/* What all threads read. */
struct record_facts {
	const struct binary *binary;
	const struct pair
		*pair; /* NULL: the input is not at hand; else with graphs of the executed code */
	const struct cfg *cfg; /* graphs of functions that have no table */
	struct profile_rules rules;
	struct code_marks left_out;           /* functions whose code is not read; none; borrowed */
	struct code_marks unnameable;         /* none: every one is nameable */
	const struct inlined_bodies *inlined; /* zeroed: none are known */
	struct made_blocks made;
	struct plt_calls plt;
};

/* One thread's records; zeroed except for `facts`. */
struct record_walker {
	const struct record_facts *facts;
	struct record_batch records;
	struct ledgers ledgers;
	struct build_check check; /* of addresses */
	struct restored restored;
	struct address_walk walk;           /* to the last address */
	struct fall_throughs fall_throughs; /* of the function at hand */
	const struct function *walked_function;
	const struct function *walked_owner; /* the input function of its code */
	bool no_memory;
};

/* names: NAMES_ONE_LINE and so on (profile.h).  BC_NOMEM; the facts are to be closed all the same
 */
BC_MUST_USE bool record_facts_open(struct record_facts *facts, unsigned names,
				   struct bc_error *err);
void record_facts_close(struct record_facts *facts);

void record_walker_take_trace(struct record_walker *walker, const struct located_trace *trace);
void record_walker_take_address(struct record_walker *walker, struct output_place place,
				uint64_t count);

/* After the last trace of a shard. */
void record_walker_end_shard(struct record_walker *walker);

#endif
