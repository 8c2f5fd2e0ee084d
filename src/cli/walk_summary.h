/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What became of traces of the processor that were walked through the code, in the summary of a conversion. */
#ifndef CLI_WALK_SUMMARY_H
#define CLI_WALK_SUMMARY_H

#include <stdio.h>

#include "src/cli/say.h"
#include "src/figures/figure_table.h"
#include "src/samples/flow_walk.h"

/* Rows of a struct flow_walk_report. */
extern const struct figure_row walk_rows[];

/* What was followed and what was lost, by reason; nothing without traces.  all: reasons of nothing, too */
void walk_print(const struct flow_walk_report *walked, bool all, FILE *out);

/* Warns where more was lost than little, with the files and what to do. */
void warn_of_walk(const struct flow_walk_report *walked, const struct warnings *to);

#endif
