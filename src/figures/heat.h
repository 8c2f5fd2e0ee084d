/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where code ran, by address: memory is cut into buckets of one size, and each trace counts in
 * every bucket that it ran through.  What is counted, and where, is what llvm-bolt-heatmap 22
 * counts: docs/quality.md, "Heat".
 */
#ifndef FIGURES_HEAT_H
#define FIGURES_HEAT_H

#include <stdio.h>

#include "src/base/vec.h"
#include "src/count/aggregate.h"
#include "src/elf/functions.h"

/* Buckets next to each other that were hit equally often. */
struct heat_run {
	uint64_t first, count; /* buckets */
	uint64_t hits;
};
DEFINE_VEC(heat_run_vec, struct heat_run);

struct heat {
	uint64_t bucket;          /* bytes */
	struct heat_run_vec runs; /* by address; no bucket is in two runs */
	uint64_t buckets, hits;   /* of all of them; sums stop at 2^64 - 1 */
	uint64_t invalid; /* distinct traces that were left out: too long, backwards, or outside the
			     addresses */
	bool raw; /* invalid traces are distinct by their addresses; else all addresses outside of
		     the binary are one */
	uint64_t elsewhere; /* counts of traces and samples that were left out, as no segment is
			       where they begin */
};

struct heat_options {
	uint64_t bucket;           /* at least 1 */
	const struct image *image; /* of the executed code */
	uint64_t min, max;         /* addresses, both included, that a trace may begin at */
	bool zero_counts; /* in pre-aggregated records, address 0 represents code outside of the
			     binary */
};

static inline uint64_t heat_product(uint64_t buckets, uint64_t hits)
{
	uint64_t product;

	return __builtin_mul_overflow(buckets, hits, &product) ? UINT64_MAX : product;
}

/* Hits of ranges of addresses, from which heat is made.  Zeroed means none. */
struct heat_edge {
	uint64_t bucket; /* at which a range begins or ends */
	uint64_t hits;
	bool ends;
};
DEFINE_VEC(heat_edge_vec, struct heat_edge);

/* Adds hits to the buckets of a range, its last address included, but never a bucket 2^64 - 1.
 * false: out of memory */
BC_MUST_USE bool heat_add(struct heat_edge_vec *edges, uint64_t bucket, uint64_t from, uint64_t to,
			  uint64_t hits);

/* Makes heat of ranges that were added with buckets of this size.  false: out of memory */
BC_MUST_USE bool heat_of_edges(struct heat_edge_vec *edges, uint64_t bucket, struct heat *out);

#define HEAT_BUCKET 64
#define HEAT_MAX    UINT64_C(0xffffffff)

void heat_free(struct heat *heat);

/* Takes the counts before they are converted.  BC_NOMEM */
BC_MUST_USE bool heat_take(const struct aggregate *aggregate, bool basic,
			   const struct heat_options *options, struct heat *out,
			   struct bc_error *err);

/* What can be written of a heat map.  Whoever runs at addresses that have nothing to do with each
 * other has a map that is a thousand times as large as the samples. */
#define HEAT_BUCKETS_MOST (UINT64_C(1) << 22)
#define HEAT_CELLS_MOST   (UINT64_C(1) << 26)

/* Puts the same hits into larger buckets.  false: out of memory */
BC_MUST_USE bool heat_zoom(const struct heat *heat, uint64_t bucket, struct heat *out);

/* The hottest runs first; of equally hot ones by address.  false: out of memory */
BC_MUST_USE bool heat_hottest(const struct heat *heat, struct heat_run_vec *out);

/* How many buckets, the hottest first, hold so many percent of all hits.  runs: heat_hottest() */
uint64_t heat_working_set(const struct heat *heat, const struct heat_run_vec *runs, double percent);

/* A part of the binary: a section with code. */
struct heat_section {
	struct text name;
	uint64_t begin, end;
	uint64_t hits, touched; /* touched: buckets */
};
DEFINE_VEC(heat_section_vec, struct heat_section);

struct heat_sections {
	struct heat_section_vec at; /* by address */
	struct heat_section hot;    /* between __hot_start and __hot_end; empty: there is none */
	uint64_t unmapped;          /* hits of buckets that are in no section */
};

void heat_sections_free(struct heat_sections *sections);

/* Gives each bucket to the first section that it reaches.  false: out of memory */
BC_MUST_USE bool heat_sections_take(const struct heat *heat, const struct function_table *functions,
				    struct heat_sections *out);

/* How many buckets contain a byte of a section. */
uint64_t heat_section_buckets(const struct heat *heat, const struct heat_section *section);

/* ---- as llvm-bolt-heatmap 22 writes it: a heat map in text, and two tables ---- */

struct heat_picture {
	const struct heat_sections *sections;
	unsigned line; /* buckets of a line, at least 1 */
	bool mappings; /* sections are in the legend */
	bool wide;     /* addresses of 16 digits */
};

/* How many cells the heat map has, those of empty lines included.  heat: at most HEAT_BUCKETS_MOST
 * buckets */
uint64_t heat_picture_cells(const struct heat *heat, unsigned line);

void heat_write_picture(const struct heat *heat, const struct heat_picture *how, FILE *out);

/* The hottest buckets first: how many, their size, and their share of all hits. */
void heat_write_buckets(const struct heat *heat, const struct heat_run_vec *hottest, FILE *out);
void heat_write_sections(const struct heat *heat, const struct heat_sections *sections, FILE *out);

#endif
