/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * --self-check: what a conversion counted is counted again, by plain code that
 * shares none of the tables, batches, threads and sorting of the first count, and
 * both must agree.  docs/security.md, "Self-check", lists what is compared.
 *
 *   reader --> self_check_sink() --> aggregate     what was delivered
 *              self_check_counts()                 = what was counted
 *              self_check_record()                 what was put into batches
 *              self_check_profile()                = what is in the profile
 *              self_check_input()                  lies inside the input binary
 *
 * All fail with BC_BUG: the contradiction is in batconv, not in its input.
 */
#ifndef PROFILE_SELF_CHECK_H
#define PROFILE_SELF_CHECK_H

#include "src/profile/self_check_count.h"
#include "src/profile/self_check_input.h"
#include "src/profile/self_check_profile.h"

/* Debug builds check themselves always. */
#ifdef NDEBUG
#define SELF_CHECK_ALWAYS false
#else
#define SELF_CHECK_ALWAYS true
#endif

#endif
