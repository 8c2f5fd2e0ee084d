/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The finished profile: it holds what the conversion made, and nothing else. */
#ifndef PROFILE_SELF_CHECK_PROFILE_H
#define PROFILE_SELF_CHECK_PROFILE_H

#include "src/profile/profile.h"
#include "src/profile/self_check_count.h"

/* A record that is put into a batch. */
void self_check_record(struct check_sum *pushed, const struct binary *binary,
		       const struct record *record);

/* The profile holds what was put into batches, sorted, each record once, every offset
 * inside its function as far as the input function is known.
 *
 * ledgers  all of the conversion */
BC_MUST_USE bool self_check_profile(const struct self_check *check, const struct profile *profile,
				    const struct check_sum *pushed, const struct ledgers *ledgers,
				    struct bc_error *err);

#endif
