/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * What sets the three LEB128 layouts apart.  One decoder and one encoder serve
 * them all; BAT_LAYOUT_FIXED has its own.
 */
#ifndef BATCONV_BAT_LAYOUT_H
#define BATCONV_BAT_LAYOUT_H

#include "bat/bat.h"

/* How many layouts this release knows: not for programs, of which an older one can meet more. */
#define BAT_LAYOUT_COUNT 4

struct bat_features {
	bool equal_hot;  /* hot functions have EqualElems                       */
	bool equal_cold; /* cold ones too                                       */
	bool hashed;     /* hashes, block indices, entry points, ColdInputSkew;
	                    entries may share an OutputOffset                   */
};

/* All false for BAT_LAYOUT_FIXED. */
const struct bat_features *bat_layout_features(enum bat_layout layout);

#endif
