/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The identifier that a linker gives to each of its outputs (NT_GNU_BUILD_ID), and whether two
 * files belong together. */
#ifndef BASE_BUILD_ID_H
#define BASE_BUILD_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "src/base/text.h"

#define BUILD_ID_MAX 64 /* bytes; GNU ld writes 20, others 8 to 32 */

struct build_id {
	uint8_t size; /* 0: none */
	uint8_t data[BUILD_ID_MAX];
};

/* As hexadecimal text; out has room for 2 * BUILD_ID_MAX + 1 characters. */
void build_id_format(const struct build_id *id, char *out);

/* Parses hexadecimal text of an even number of digits. */
bool build_id_parse(struct text hex, struct build_id *out);

/* Are all bytes equal, and as many of them? */
bool build_id_same(const struct build_id *a, const struct build_id *b);

/* Are two build-ids equal, where perf can have cut one to 20 bytes, or padded it with zeros to 20
 * bytes?  An absent build-id equals no other. */
bool build_id_equal(const struct build_id *a, const struct build_id *b);

/* Is `output` the id that llvm-bolt gives to what it makes of `input`?  The last bit is the other
 * one; after release 23 (#214784) the first bit, too. */
bool build_id_is_marked(const struct build_id *input, const struct build_id *output);

/* ---- whether files belong together ---- */

/*
 * Do two files belong together: samples and the binary that ran, a binary and its input, two tables
 * of one input?  Build-ids decide where they can show.  Elsewhere a share decides: how much of what
 * was compared mismatches.
 */

struct disagreement {
	uint64_t compared, differ; /* of what was compared: does not fit */
};

enum belonging {
	BELONGS,         /* at most the limit mismatches */
	BELONGS_BY_ID,   /* more does, and the build-ids fit */
	BELONGS_PERHAPS, /* more does, but that is little: see DISAGREE_FEW */
	BELONGS_NOT,
};

/* So few mismatches show another file only where they are more than half of all. */
#define DISAGREE_FEW 10

/* In percent; 0 if nothing was compared. */
double disagreement_percent(struct disagreement d);

/* limit: in percent; by_id: the build-ids can show, and fit */
enum belonging belonging_judge(struct disagreement d, double limit, bool by_id);

/* Why files are taken all the same: the end of a sentence that has the share.  Empty for BELONGS
 * and BELONGS_NOT. */
const char *belonging_although(enum belonging belonging);

#endif
