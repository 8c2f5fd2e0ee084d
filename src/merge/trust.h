/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Inputs read once.  A first look at all of an input (merge_look()) tells whether it can be used, and then it is read
 * again.  Nearly always it can: so what is written aside anyway is first merged without that look, and only if it fails,
 * for whatever reason, all is forgotten and begun again with it.  What comes out is the same.
 */
#ifndef MERGE_TRUST_H
#define MERGE_TRUST_H

#include "src/merge/merge.h"

/* Instead of merge_look(): take large inputs for granted but for their beginnings, and read small ones.  False: some
 * input cannot be trusted, or was found to be wrong; err says nothing of use. */
BC_MUST_USE bool merge_trust(struct merge *merge, struct bc_error *err);

/* After merge_write(): count what is known of inputs only now. */
void merge_trusted(struct merge *merge);

/* Whatever was found of inputs and written aside is forgotten: as after merge_init(). */
void merge_forget(struct merge *merge);

/* It failed, with this error.  Where memory was too little for several threads, and all inputs are files that can be read
 * again, all is forgotten, and one thread can try: true. */
bool merge_forget_threads(struct merge *merge, const struct bc_error *err);

#endif
