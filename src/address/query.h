/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * One address or location, in all forms that it has: of the process, of the file, of the functions
 * of a binary and of its input.
 */
#ifndef ADDRESS_QUERY_H
#define ADDRESS_QUERY_H

#include <stdio.h>

#include "src/samples/snapshots.h"
#include "src/address/address_chain.h"
#include "src/address/debug_lines.h"

/* Which address it is that is given. */
enum addr_kind { ADDR_RUN, ADDR_VADDR, ADDR_OFFSET, ADDR_FUNC, ADDR_INPUT };

/* An address as it was given. */
struct query {
	enum addr_kind kind;
	struct text text;
	uint64_t value;       /* the address; of a function the offset in it */
	struct text function; /* ADDR_FUNC, ADDR_INPUT */
};

/* Returns NULL, or what is wrong.  Numbers are hexadecimal, with or without 0x;
 * functions are NAME, NAME+0xOFFSET or NAME+OFFSET. */
const char *query_parse(enum addr_kind kind, struct text text, struct query *out);

/* What the results are made from. */
struct addr_context {
	struct subject subject;
	struct loaded_at process;   /* loads.all.len 0: no process is known */
	struct debug_lines *source; /* NULL: no source lines are wanted */
	bool source_is_input;       /* its addresses are the input binary's */
	bool before;                /* look one byte before a run-time address: it is a
				       return address */
	bool explain;
};

DEFINE_VEC(chain_list, struct address_chain);

/* Finds every location in the binary that a query means, in the order of their vaddrs.  Gives one
 * chain for each location and each load of the binary.  BC_NOMEM. */
BC_MUST_USE bool query_answer(const struct addr_context *context, const struct query *query,
			      struct chain_list *out, struct bc_error *err);

/* A block of text, or a line of JSON. */
void answer_text(const struct addr_context *context, const struct query *query,
		 const struct chain_list *answer, FILE *out);
void answer_json(const struct addr_context *context, const struct query *query,
		 const struct chain_list *answer, FILE *out);

/* True if a query led nowhere: to no byte of the binary. */
bool answer_is_nowhere(const struct chain_list *answer);

#endif
