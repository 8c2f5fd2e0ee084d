/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the parts of convert() share: one thread's share of the conversion. */
#ifndef FLOW_CONVERTER_H
#define FLOW_CONVERTER_H

#include "src/cfg/cfg.h"
#include "src/pair/pair.h"
#include "src/profile/build_check.h"
#include "src/flow/convert.h"
#include "src/profile/address_check.h"
#include "src/profile/impute.h"
#include "src/flow/insn_starts.h"
#include "src/flow/made_blocks.h"
#include "src/flow/plt_calls.h"
#include "src/flow/return_places.h"
#include "src/flow/fall_throughs.h"

struct converter {
	const struct binary *binary;
	const struct located_counts *located; /* what is converted */
	const struct returns *returns;
	struct code_marks unnameable; /* none: every one is nameable */
	struct code_marks left_out; /* as in struct convert_job */
	const struct number_set *typed; /* of those: by their type */
	struct insn_starts *starts;
	struct decoder decoder;
	struct return_places places;
	struct record_batch records;
	struct ledgers ledgers;
	struct build_check check;
	struct returns_found found;
	struct profile_rules rules;
	const struct made_blocks *made;
	const struct plt_calls *plt;
	struct restored restored;
	struct address_walk walk;    /* to the last address */
	struct index_vec without_map; /* functions that a fall-through needs the graph of */
	const struct cfg *cfg;        /* their graphs */
	const struct pair *pair;      /* NULL: the input is not at hand; else with the graphs of what ran */
	bool imputes;
	struct impute impute; /* of the shard at hand */
	struct fall_throughs fall_throughs; /* of the function at hand */
	const struct function *walked_function;
	const struct function *walked_owner; /* the input function of its code */
	bool out_of_memory;
};

static inline bool converter_cannot_name(const struct converter *c, const struct function *f)
{
	return c->unnameable.at && f && *code_marks_of(&c->unnameable, functions_code_number(&c->binary->functions, f));
}

/* convert.c: the fall-throughs of the function that the last traces lay in become records. */
void converter_take_fall_throughs(struct converter *c);

/* convert.c: walk a fall-through in the graph of its function, which may be NULL.  Returns
 * TRACE_KEPT, or why it gives no edge. */
enum trace_drop converter_walk_graph(struct converter *c, const struct graph *graph, const struct fall_through *fall,
				     uint64_t count);

/* branches.c: converts a taken branch that is no return, and counts it as kept or dropped. */
void converter_branch(struct converter *c, const struct count_row *row, struct output_place source, struct output_place target);

/* A way within a function, by falling through. */
void converter_edge(struct converter *c, struct input_place from, struct input_place to, uint64_t count);
void converter_add(struct converter *c, struct record record);

/*
 * old_code.c: code that runs at the address that it has in the input binary.
 */
struct old_place converter_old_place(const struct converter *c, struct vaddr at);
bool converter_is_old_return(struct converter *c, const struct count_row *row, struct insn insn);

/* Walk a trace that begins at an old place; source: where its branch lies.  Returns TRACE_KEPT, or why the trace gives no edge. */
enum trace_drop converter_walk_old(struct converter *c, const struct count_row *row, struct output_place source,
				   struct old_place from, struct vaddr end, bool after_return);

#endif
