/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Where code ran, as the page has it.  Heat is cells of one size, and no more of them than fit;
 * what adds up in larger cells is what was added, so that a page can zoom out by itself.
 */
#ifndef FIGURES_PAGE_HEAT_H
#define FIGURES_PAGE_HEAT_H

#include "src/base/json.h"
#include "src/code/pair.h"
#include "src/figures/quality.h"
#include "src/figures/heat.h"
#include "src/figures/page.h"
#include "src/figures/overlap.h"
#include "src/figures/shown_code.h"

/* Writes "sections", "regions", "heat" with its footprint, and "curve".  false: out of memory */
BC_MUST_USE bool places_write(struct json *json, const struct report_subject *subject);

/* Writes the heat of the records of two profiles: each record counts where it comes from, in the
 * input if that is known, else in the optimized binary.  null if the other one has numbers of
 * blocks whose locations are not known.  false: out of memory */
BC_MUST_USE bool record_heats_write(struct json *json, const char *key,
				    const struct report_subject *subject,
				    const struct code_parts *parts,
				    const struct flat_profile *other,
				    const struct same_names *same);

/* ---- parts of it ---- */

#define CELL_WANTED 64 /* bytes of a cell, if they fit */

/* What addresses of a page are counted from: a browser's numbers have 53 bits.  0, or a multiple of
 * all sizes of cells that a page zooms through. */
#define BASE_NEEDED (UINT64_C(1) << 53)
#define BASE_UNIT   (UINT64_C(2) << 20)

/* Writes heat of smaller buckets as an object of cells: of CELL_WANTED bytes, or as many times
 * twice of that as makes it fit into `room` characters.  Without cells it is an object, too. false:
 * out of memory */
BC_MUST_USE bool cells_write(struct json *json, const char *key, const struct heat *heat,
			     size_t room);

/* Which kind of code lies where: hot, cold, old, ignored, PLT. */
struct code_region {
	uint64_t begin, end;
	enum code_place place;
};
DEFINE_VEC(region_vec, struct code_region);

/* Regions by address, neighbors of a kind as one.  If they are more than `most`, the shortest are
 * left out, and what is around them is joined.  false: out of memory */
BC_MUST_USE bool regions_take(const struct binary *binary, size_t most, struct region_vec *out);

/* How many lines of the instruction cache and how many pages the executed code lies in, as BOLT
 * laid it out and in the input.
 *
 * Writes an array of {"unit": bytes, "output": {"all": units, "held": units}, "input": likewise or
 * null}.  Both heats have buckets of one byte.  input: NULL if the locations in the input are not
 * known.  false: out of memory */
BC_MUST_USE bool footprint_write(struct json *json, const char *key, const struct heat *output,
				 const struct heat *input);

#define CURVE_POINTS 200 /* at most, of each */

/* Cumulative shares: so many of the hottest functions, or bytes, hold so many percent of all
 * samples.
 *
 * Writes {"functions": [[n, percent], ...], "bytes": ...}; bytes in buckets of HEAT_BUCKET.  false:
 * out of memory */
BC_MUST_USE bool curve_write(struct json *json, const char *key,
			     const struct quality_sources *sources);

/* The heat of an optimized binary at the locations that its code has in the input.
 *
 * heat: with buckets of one byte, and so is *out.  *lost: hits of code that the input does not
 * have, or whose location in it is not known.  out->hits + *lost is what heat->hits is.  false: out
 * of memory */
BC_MUST_USE bool input_heat_take(const struct heat *heat, const struct pair *pair, struct heat *out,
				 uint64_t *lost);

#endif
