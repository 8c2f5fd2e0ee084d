/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What sets the layouts apart: one decoder and one encoder serve the three LEB128
 * ones, BAT_LAYOUT_FIXED has its own.  And the errors that all parts share.
 */
#ifndef BATCONV_BAT_LAYOUT_H
#define BATCONV_BAT_LAYOUT_H

#include "bat/bat.h"

/* Fill the error with BAT_ERROR_NOMEM.  Returns false. */
bool bat_fail_nomem(struct bat_error *err);

/* Is it a layout of this library?  If not, fills the error with BAT_ERROR_ARGUMENT. */
bool bat_know_layout(enum bat_layout layout, struct bat_error *err);

/* How many layouts this release knows: not for programs, of which an older one can meet more. */
#define BAT_LAYOUT_COUNT 4

struct bat_features {
	bool fixed;         /* fixed-width integers, one list of all fragments,
			       cold ones name the address of a hot one          */
	bool equal_hot;     /* hot functions have EqualElems                       */
	bool equal_cold;    /* cold ones too                                       */
	bool wrong_parents; /* HotIndex can be a count of the cold ones          */
	bool hashed;        /* hashes, block indices, entry points, ColdInputSkew;
			       entries may share an OutputOffset                   */
};

const struct bat_features *bat_layout_features(enum bat_layout layout);

#endif
