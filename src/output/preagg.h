/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The counts themselves, in BOLT's pre-aggregated text: what is kept of a
 * recording when it is to be converted or merged later.  Lines are sorted;
 * equal samples give equal bytes.  perf2bolt 21, 22 and 23 read them:
 *
 *   T, R, B (B always has its mispredictions, of which there are none)   traces
 *   B, F, f, r      where there are mispredictions
 *   E, S            addresses
 *
 * Before addresses of a shared library stands its build-id, without which 23 takes them for
 * outside; in a program it must not.
 */
#ifndef OUTPUT_PREAGG_H
#define OUTPUT_PREAGG_H

#include <stdio.h>

#include "src/flow/preagg_counts.h"

struct preagg_profile {
	const struct preagg_counts *counts;
	const struct aggregate *aggregate; /* events, returns */
	const struct image *image;
	bool basic;
};

/* The mispredictions that are written of a row. */
uint64_t preagg_mispredictions(const struct preagg_profile *profile, size_t row);

/* Errors of the file are the caller's to check. */
void preagg_write(const struct preagg_profile *profile, FILE *file);

#endif
