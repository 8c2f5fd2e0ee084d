/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A report's profile beside another one: what moved, and where the counts of both lie. */
#ifndef FIGURES_AGAINST_H
#define FIGURES_AGAINST_H

#include "src/base/json.h"
#include "src/figures/overlap.h"
#include "src/figures/code_parts.h"
#include "src/figures/same_names.h"
#include "src/figures/subject.h"

/* Writes "movers": functions whose shares changed most, as many as fit.  false: out of memory */
BC_MUST_USE bool movers_write(struct json *json, const char *key, const struct overlap *overlap, size_t room);

/* Writes the heat of both: each record counts where it comes from, in the input if that is known, else in the optimised
 * binary.  null if the other one has numbers of blocks whose places are not known.  false: out of memory */
BC_MUST_USE bool record_heats_write(struct json *json, const char *key, const struct report_subject *subject,
				    const struct code_parts *parts, const struct flat_profile *other, const struct same_names *same, size_t room);

#endif
