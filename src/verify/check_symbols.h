/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Are the output's symbols where the code and data of the input's are?  Each symbol of .symtab and .dynsym is found in the output by its name,
 * binding, type and visibility, the Nth by the Nth.  If its code moved, its address is translated by the table; all others stay.  Sizes of code that
 * moved are held against .eh_frame, which is written of the code itself.
 */
#ifndef VERIFY_CHECK_SYMBOLS_H
#define VERIFY_CHECK_SYMBOLS_H

#include "src/verify/check_input.h"

struct symbols_summary {
	/* Symbols of the input's tables that name something.  Each is in one of: */
	uint64_t symbols;
	uint64_t same;  /* where the input has them, and so is what they name */
	uint64_t moved; /* with their code */
	uint64_t wrong; /* findings */
	uint64_t displaced; /* labels within code that moved that are elsewhere: findings, too */
	uint64_t lost;      /* likewise */
	uint64_t dropped;   /* local labels within code that moved, which llvm-bolt leaves out since release 19 */
	/* Not comparable: */
	uint64_t own;     /* llvm-bolt sets them anew: _end, __hot_start, ... */
	uint64_t labels;  /* of the assembler: .L..., $x */
	uint64_t no_map;  /* within code that moved and of which the table has nothing */
	uint64_t ordered; /* of sections of data that BOLT wrote anew (-reorder-data) */
	uint64_t no_table; /* the output has no such table: it was stripped */
	/* Others. */
	uint64_t sizes; /* of fragments, compared */
};

/* Adds findings, and fills the summary.  input->of is known.  *of_input: the error is the input's.  BC_FORMAT: a damaged table, or too much work.
 * BC_NOMEM */
BC_MUST_USE bool check_symbols(const struct binary *subject, const struct input *input, struct symbols_summary *out, struct findings *findings,
			       bool *of_input, struct bc_error *err);

#endif
