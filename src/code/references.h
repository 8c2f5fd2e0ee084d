/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Branches from one function into the middle of another, as hand-written
 * assembler has them: their targets are entries, wherever the branch is.
 *
 * All code is looked through, but only bytes that would be such a branch are
 * decoded, with the function that they lie in, to see if they are one.
 * Large sections are looked through by several threads.
 */
#ifndef CODE_REFERENCES_H
#define CODE_REFERENCES_H

#include "src/code/labels.h"
#include "src/isa/decoder.h"

/* Add a label for each place inside a chosen function that a branch of another
 * function leads to.  False when out of memory. */
bool labels_of_references(const struct chosen *chosen, struct decoder *decoder, unsigned threads,
			  struct label_vec *out);

#endif
