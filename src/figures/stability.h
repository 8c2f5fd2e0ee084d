/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Would more samples change the layout?  Two halves of the samples make two profiles, each with a layout of its own: the code is laid out by
 * one, and the branches of the other are counted in it.  docs/quality.md, "Stability".
 */
#ifndef FIGURES_STABILITY_H
#define FIGURES_STABILITY_H

#include "src/profile/profile.h"

/* Percentages. */
struct stability {
	double percent; /* .layout; of plain samples less the share that the inferred flow moves to other blocks */
	double layout;  /* taken branches of a half in its own layout, of those in the other's; the mean of both ways */
	double overlap; /* how often control arrived at each block: what both halves have in common, as of `batconv overlap` */
	double hot_differ; /* of a half's hot blocks, by their counts: those that are not hot in the other; the mean of both */
};

/* `halves` are profiles of branches of one binary; moved: inferred_moved_percent(), 0 of branches that were recorded.  BC_NOMEM */
BC_MUST_USE bool stability_take(const struct profile halves[2], double moved, struct stability *out, struct bc_error *err);

#endif
