/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In which kind of code did the program run: code that BOLT made hot or cold, or code that lies
 * where it was? */
#ifndef FIGURES_CODE_PLACES_H
#define FIGURES_CODE_PLACES_H

#include "src/count/located.h"

/* X(NAME, key for machines, text for people) */
#define CODE_PLACES(X)                                                         \
	X(HOT, "hot", "in hot parts of functions that BOLT moved")             \
	X(COLD, "cold", "in cold parts")                                       \
	X(OLD, "old", "in code at its old place (.bolt.org.text)")             \
	X(LEFT, "left", "in functions that BOLT left alone")                   \
	X(PLT, "plt", "in PLT entries")                                        \
	X(NONE, "none", "in no function")

#define X(name, key, text) PLACE_##name,
enum code_place { CODE_PLACES(X) CODE_PLACE_COUNT };
#undef X

struct code_places {
	uint64_t all[CODE_PLACE_COUNT];     /* traces that began in such code, or plain samples in it */
	uint64_t hottest[CODE_PLACE_COUNT]; /* of these, at the addresses that hold the first 90 % of them */
	uint64_t sum, hottest_sum;
};

#define HOTTEST_PERCENT 90

/* "hot" */
const char *code_place_key(enum code_place place);

/* Which kind of code is at a place? */
enum code_place code_place_of(const struct binary *binary, struct output_place place);

/* Takes the counts before they are converted.  BC_NOMEM */
BC_MUST_USE bool code_places_take(struct located_counts *located, struct code_places *out, struct bc_error *err);

#endif
