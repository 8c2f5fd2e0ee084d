/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * From counted traces of the optimised binary to the profile of the input
 * binary: docs/conversion.md, "Traces to records".
 */
#ifndef PROFILE_CONVERT_H
#define PROFILE_CONVERT_H

#include "src/profile/aggregate.h"
#include "src/profile/profile.h"

/* Convert what was aggregated, as branches or as basic samples, and add to the
 * ledgers what became of it. */
BC_MUST_USE bool convert_traces(const struct aggregate *aggregate, struct profile *profile,
				struct ledgers *ledgers, struct bc_error *err);
BC_MUST_USE bool convert_basic(const struct aggregate *aggregate, struct profile *profile,
			       struct ledgers *ledgers, struct bc_error *err);

#endif
