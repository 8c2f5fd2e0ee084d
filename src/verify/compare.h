/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Two tables, fragment by fragment, paired up by the names of their functions. */
#ifndef VERIFY_COMPARE_H
#define VERIFY_COMPARE_H

#include "src/elf/binary.h"

/* CHANGE_MOVED: to another address, and nothing else. */
enum change { CHANGE_NONE, CHANGE_VANISHED, CHANGE_APPEARED, CHANGE_MOVED, CHANGE_CHANGED };
#define CHANGE_COUNT 5

struct difference {
	const char *name; /* of the input function; a number in text if it has none */
	uint32_t part;    /* 0: hot; N: its Nth cold part by address               */
	uint32_t a, b;    /* fragments; NO_FRAGMENT_HERE: not on this side         */
	enum change change;
	uint32_t entries;      /* that differ, or are on one side only            */
	uint32_t first;        /* of these                                        */
	uint32_t hashes;       /* blocks whose hash or index differs              */
	bool function_differs; /* hash, number of blocks or entry points          */
	uint64_t size;         /* what differs in all, in entries; 0: only moved  */
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
/* The layouts count, too. */
bool comparison_differs(const struct comparison *comparison, const struct binary *a,
			const struct binary *b);

/* A line of numbers, then each difference, unless only the summary is wanted; or one JSON object.
 */
void comparison_text(const struct comparison *comparison, const struct binary *a,
		     const struct binary *b, bool summary_only, FILE *out);
void comparison_json(const struct comparison *comparison, const struct binary *a,
		     const struct binary *b, bool summary_only, FILE *out);
void comparison_free(struct comparison *comparison);

#endif
