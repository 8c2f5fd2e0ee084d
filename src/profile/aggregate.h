/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From events to counts: the sink that every reader delivers to.  Addresses
 * become vaddrs, branch stacks become traces, and equal ones are counted.
 */
#ifndef PROFILE_AGGREGATE_H
#define PROFILE_AGGREGATE_H

#include "src/base/count_table.h"
#include "src/base/vec.h"
#include "src/input/sample.h"
#include "src/locate/process.h"
#include "src/profile/ledger.h"

/* What of the samples is used. */
enum sample_mode {
	MODE_AUTO, /* branch stacks if there are any, else addresses */
	MODE_BASIC,
};

struct aggregate_options {
	enum sample_mode mode;
	/* From the first stack of exactly 32 branches in an input on, drop the
	 * two newest of every stack: Intel's Skylake erratum, for x86-64. */
	bool erratum;
};

DEFINE_VEC(name_vec, char *);

struct aggregate {
	struct aggregate_options options;
	struct process_maps maps;

	struct count_table traces;  /* key: branch, from, to as in struct trace;
	                               count, mispredictions                 */
	struct count_table returns; /* key: a branch that an R record names  */
	struct count_table basic;   /* key: a vaddr                          */
	struct name_vec events;     /* of basic samples; sorted at the end   */

	/* What was read, and of that what was dropped here.  What becomes of
	 * the rest is for the conversion to say. */
	struct ledgers ledgers;
	struct ledger addresses; /* samples as basic ones, until it is clear
	                            whether there are branches             */
	bool branches_seen;
	bool erratum_seen; /* in the present input */
};

/* `image` and `match` are borrowed. */
BC_MUST_USE bool aggregate_init(struct aggregate *aggregate, const struct image *image,
				const struct aggregate_options *options,
				const struct image_match_options *match, struct bc_error *err);
void aggregate_fini(struct aggregate *aggregate);

/* The sink for the next input. */
struct sample_sink aggregate_sink(struct aggregate *aggregate);

/* After the last input: settle the ledgers.  Returns true if the profile is to
 * be of addresses, false if of branches. */
bool aggregate_finish(struct aggregate *aggregate);

#endif
