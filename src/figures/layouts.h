/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Two halves of the samples make two profiles, each with a layout of its own: the code is laid out
 * by one, and the branches of the other are counted in it.  docs/quality.md, "Stability" and
 * "Gain".
 */
#ifndef FIGURES_LAYOUTS_H
#define FIGURES_LAYOUTS_H

#include "src/figures/flow_figures.h"
#include "src/profile/profile.h"

/* ---- stability: would more samples change the layout? ---- */

/* Percentages. */
struct stability {
	double percent; /* .layout; of basic samples less the share that the inferred flow moves to
			   other blocks */
	double layout;  /* taken branches of a half in its own layout, of those in the other's; the
			   mean of both ways */
	double overlap; /* how often control arrived at each block: what both halves have in common,
			   as of `batconv overlap` */
	double hot_differ; /* of a half's hot blocks, by their counts: those that are not hot in the
			      other; the mean of both */
};

/* Taken branches of both halves, as a model of llvm-bolt's layout has them. */
struct layouts_taken {
	bool known;    /* the code is known that llvm-bolt reads */
	double before; /* in that code as it is */
	double own;    /* of each half in its own layout, which flatters: it fits what is chance in
			  the half, too */
	double others; /* of each half in the layout of the other one: that of half the samples */
};

/* `halves` are profiles of branches of one binary; moved: inferred_moved_percent(), 0 of branches
 * that were recorded.  code: without graphs the layouts are compared all the same.  BC_NOMEM */
BC_MUST_USE bool layouts_compare(const struct profile halves[2], double moved,
				 const struct flow_code *code, struct stability *out,
				 struct layouts_taken *all, struct bc_error *err);

#endif
