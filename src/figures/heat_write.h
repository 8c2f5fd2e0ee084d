/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Heat as llvm-bolt-heatmap 22 writes it: a picture in text, and two tables. */
#ifndef FIGURES_HEAT_WRITE_H
#define FIGURES_HEAT_WRITE_H

#include <stdio.h>

#include "src/figures/heat.h"

struct heat_picture {
	const struct heat_sections *sections;
	unsigned line;  /* buckets of a line, at least 1 */
	bool mappings;  /* sections are in the legend */
	bool wide;      /* addresses of 16 digits */
};

/* How many cells the picture has, those of empty lines included.  heat: at most HEAT_BUCKETS_MOST buckets */
uint64_t heat_picture_cells(const struct heat *heat, unsigned line);

void heat_write_picture(const struct heat *heat, const struct heat_picture *how, FILE *out);

/* The hottest buckets first: how many, their size, and their share of all hits. */
void heat_write_buckets(const struct heat *heat, const struct heat_run_vec *hottest, FILE *out);
void heat_write_sections(const struct heat *heat, const struct heat_sections *sections, FILE *out);

#endif
