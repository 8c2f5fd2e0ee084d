/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The finished profile against the input binary itself, where there is one. */
#ifndef PROFILE_SELF_CHECK_INPUT_H
#define PROFILE_SELF_CHECK_INPUT_H

#include "src/profile/profile.h"

/* Every function of the profile is one of the input binary, every offset below its
 * size there.  Functions are known by name.  BC_NOTFOUND: one is not there, and it may
 * be another binary; BC_NOMEM */
BC_MUST_USE bool self_check_input(const struct profile *profile, const struct function_table *input,
				  struct bc_error *err);

#endif
