/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Counted ranges and branches of several threads become the lists of one profile. */
#ifndef FLOW_GATHER_H
#define FLOW_GATHER_H

#include "src/flow/ranges.h"

/* A key of the tables: one of these, from, to. */
enum { COUNTED_RANGE, COUNTED_BRANCH };

/* Makes the lists of all rows; equal ones are added up.  False when out of memory. */
BC_MUST_USE bool ranges_gather(const struct count_table *counts, unsigned tables, struct ranges *out);

/* The address from which llvm-profgen counts: that of the first page of code. */
uint64_t ranges_base(const struct image *image);

#endif
