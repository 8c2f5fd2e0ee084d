/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two tables, fragment by fragment, paired up by the names of their functions. */
#ifndef VERIFY_COMPARE_H
#define VERIFY_COMPARE_H

#include "src/elf/binary.h"

enum change { CHANGE_NONE, CHANGE_VANISHED, CHANGE_APPEARED, CHANGE_MOVED, CHANGE_CHANGED };
#define CHANGE_COUNT 5

/* "same", "vanished", "appeared", "moved" (to another address, and nothing else) or
 * "changed". */
const char *change_name(enum change change);

struct difference {
	const char *name; /* of the input function; a number in text if it has none */
	uint32_t part;    /* 0: hot; N: its Nth cold part by address               */
	uint32_t a, b;    /* fragments; NO_FRAGMENT_HERE: not on this side         */
	enum change change;
	uint32_t entries;       /* that differ, or are on one side only            */
	uint32_t first;         /* of these                                        */
	uint32_t hashes;        /* blocks whose hash or index differs              */
	bool function_differs;  /* hash, number of blocks or entry points          */
	uint64_t size;          /* what differs in all, in entries; 0: only moved  */
};
#define NO_FRAGMENT_HERE UINT32_MAX

struct comparison {
	struct difference *at; /* all fragments of both sides: what differs first, largest
				* first; of one size by name, then part */
	size_t count;
	uint64_t counts[CHANGE_COUNT];
	char *numbers; /* text of names that are addresses */
};

/* BC_NOMEM */
BC_MUST_USE bool compare_tables(const struct binary *a, const struct binary *b,
				struct comparison *out, struct bc_error *err);
void comparison_free(struct comparison *comparison);

#endif
