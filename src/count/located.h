/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where the ends of counted traces lie, or the addresses: each is looked up once, for all who ask
 * later.
 */
#ifndef COUNT_LOCATED_H
#define COUNT_LOCATED_H

#include "src/count/sample_counter.h"
#include "src/elf/binary.h"

struct location {
	uint32_t function; /* its number in the binary's table; LOCATION_NONE: in none */
	uint32_t offset;   /* from its beginning */
};
#define LOCATION_NONE UINT32_MAX

/* Ends of a trace, numbered as the words of its key (trace_key()); an address has the first. */
enum trace_end_number { END_FROM, END_BRANCH, END_TO, END_COUNT };

/* Zeroed: nothing is located. */
struct located_counts {
	const struct binary *binary;
	struct counts *counts; /* settled; borrowed */
	bool basic;            /* addresses, else traces */
	struct location
		*at[COUNTS_SHARDS]; /* by row: END_COUNT of each trace, one of each address */
	bool known[COUNTS_SHARDS];  /* by shard: its ends were looked up */
};

/* `binary` and `counts` must outlive it.  BC_NOMEM: there is nothing to free. */
BC_MUST_USE bool located_make(const struct binary *binary, struct counts *counts, bool basic,
			      struct located_counts *out, struct bc_error *err);
void located_free(struct located_counts *located);

/* Frees a shard that nobody reads again, and its counts. */
void located_free_shard(struct located_counts *located, size_t shard);

/* The rows of a shard.  Who asks first looks their ends up, so that this is done by many threads,
 * with the rows at hand; no two threads may have the same shard at a time. */
const struct count_table *located_rows(struct located_counts *located, size_t shard);

/* The locations of one row, after located_rows(). */
static inline const struct location *located_row(const struct located_counts *located, size_t shard,
						 size_t row)
{
	return &located->at[shard][located->basic ? row : row * END_COUNT];
}

static inline struct output_place located_place(const struct located_counts *located,
						struct location at)
{
	if (at.function == LOCATION_NONE)
		return (struct output_place){0};
	return binary_place_in(located->binary, at.function, at.offset);
}

/* ---- ends that were not recorded ----
 * The newest entry of a branch stack says where it went, not how far it ran from there.  The guess
 * is perf2bolt's: the mean length of the fall-throughs after the same branch, else the instruction
 * that it went to. */

/* What was seen of the traces of one branch to one location.  Zeroed at first. */
struct impute {
	struct trace_end branch, from;
	uint64_t bytes, count; /* sums over those that have an end */
};

/* Where a trace ends.  All traces of a branch and a location that it went to must be
 * given in a row, the one without an end last, as trace_key() sorts them.
 *
 * from  where it begins */
struct trace_end impute_end(struct impute *impute, const struct binary *binary,
			    const struct count_row *row, struct output_place from);

#endif
