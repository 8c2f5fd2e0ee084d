/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The instructions of a function's hottest blocks, in the optimized binary and in the input, as
 * libLLVM prints them. */
#ifndef FIGURES_LISTING_H
#define FIGURES_LISTING_H

#include "src/isa/llvm.h"
#include "src/base/json.h"
#include "src/figures/flow_figures.h"
#include "src/figures/shown_code.h"
#include "src/figures/page.h"

struct listing {
	const struct report_subject *subject;
	const struct code_parts *parts;
	struct source_lines *lines;
	struct llvm_context llvm; /* without a handle there are no listings */
};

void listing_open(const struct report_subject *subject, const struct code_parts *parts,
		  struct source_lines *lines, struct listing *out);
void listing_close(struct listing *listing);

/* A function that has blocks. */
struct listed_code {
	const struct function *function; /* of the optimized binary */
	const struct function *input;    /* NULL: it is not known */
	const struct flow_function *flow;
	const struct code_piece_vec *pieces; /* code_parts_pieces() */
};

/* Writes one object.  Each of its blocks is [offset, in the optimized binary, in the input]; each
 * of the two is null, if the block has no code of its own there that is known, or a list of
 *
 *   [address]       where the next instruction is, unless it follows the one before
 *   [file, line]    the source of what follows; the number of the file is one of the page's
 *   size, "text"    an instruction
 *   {"more": n}     n bytes of the block that are not listed
 *
 * false: out of memory */
BC_MUST_USE bool listing_write(struct json *json, struct listing *listing, size_t row,
			       const struct listed_code *code);

#endif
