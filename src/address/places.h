/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Locations by name, in both binaries, and the way back: from an offset in a function
 * of the input binary to all locations of its code in the optimized one.
 *
 * Forward, BAT is a function: each location has one input offset.  Backward it is
 * not: code that BOLT copied has several locations, what it deleted none.  Within a
 * block offsets are kept (docs/addresses.md, "Backwards"), so that exactly those
 * locations are found whose translation is the offset that was asked for.
 */
#ifndef ADDRESS_PLACES_H
#define ADDRESS_PLACES_H

#include "src/elf/binary.h"

struct named_place {
	const char *name;
	uint32_t function; /* index in the function table */
};

struct places {
	const struct binary *binary;
	struct named_place *names; /* sorted by name, then function; each pair once */
	size_t name_count;
	struct fragments_by_function fragments;
};

/* The binary must outlive the locations.  False when out of memory. */
BC_MUST_USE bool places_init(struct places *places, const struct binary *binary);
void places_free(struct places *places);

/* The functions of a name, as BOLT has it or as a symbol of them: `count` of
 * names[] from the result on.  NULL and 0: none. */
const struct named_place *places_named(const struct places *places, struct text name,
				       size_t *count);

/* Receives a vaddr in the optimized binary.  False: stop. */
typedef bool places_fn(void *ctx, struct vaddr at);

/* All locations of the optimized binary that are translated to `offset` of the input
 * function that `function` represents, by ascending fragment and offset.  A
 * function that BOLT did not touch is its own. */
void places_of_input(const struct places *places, const struct function *function, uint32_t offset,
		     places_fn *found, void *ctx);

/* The largest input offset below `offset` that has a location.  False: none. */
bool places_nearest_below(const struct places *places, const struct function *function,
			  uint32_t offset, uint32_t *out);

#endif
