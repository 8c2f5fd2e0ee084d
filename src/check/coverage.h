/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* How much of a binary's code the table maps, and why not the rest. */
#ifndef CHECK_COVERAGE_H
#define CHECK_COVERAGE_H

#include "src/elf/binary.h"

/* X(NAME, "key", "why a function has no map") */
#define UNMAPPED_REASONS(X)                                                            \
	X(LEFT, "left", "BOLT left it where it was: its offsets are the same in the input") \
	X(OLD, "old-body", "the old place of a function that BOLT moved: it never runs")    \
	X(STUB, "stub", "a PLT entry")                                                      \
	X(REWRITTEN, "rewritten", "BOLT rewrote it, and the table does not know it")

enum unmapped_reason {
#define X(name, key, why) UNMAPPED_##name,
	UNMAPPED_REASONS(X)
#undef X
	UNMAPPED_COUNT
};

struct unmapped_info {
	const char *key, *why;
};
extern const struct unmapped_info unmapped_infos[UNMAPPED_COUNT];

struct coverage {
	uint64_t executable; /* bytes of executable sections                      */
	uint64_t mapped;     /* bytes of fragments                                */
	uint64_t rewritten;  /* bytes of the sections that BOLT wrote; 0: it wrote
	                        into the input's own                              */
	uint64_t mapped_functions, fragments;
	struct {
		uint64_t functions, bytes;
	} unmapped[UNMAPPED_COUNT];
};

void coverage_measure(const struct binary *subject, struct coverage *out);

#endif
