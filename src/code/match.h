/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions of one name in two binaries: steps of pair_open(). */
#ifndef CODE_MATCH_H
#define CODE_MATCH_H

#include "src/isa/decoder.h"
#include "src/code/pair.h"

/* Set body_of, input_of and output_of, and make pair->named with its extra functions.  llvm-bolt keeps the order
 * of .symtab, and its own symbols come last: the k-th symbol of a name (a local one: and of a file's) is the
 * k-th in the other.  Of a name that the output has less often nothing is known.  BC_NOMEM */
BC_MUST_USE bool pair_match(struct pair *pair, struct bc_error *err);

/* Adds what the entries of a fragment say of a function of the input: do they lie on its instructions?  False: no memory. */
BC_MUST_USE bool pair_fit_function(const struct pair *pair, struct decoder *decoder, uint32_t fragment, uint32_t input,
				   struct disagreement *out);

/* Sets pair->offsets from all functions with a table, or from some thousand if they are many.
 * BC_NOMEM */
BC_MUST_USE bool pair_fit(struct pair *pair, struct bc_error *err);

#endif
