/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * For scripts/analyze alone, included before every file: an analyzer sees one file at a time
 * and does not know that these return false.
 */
#include "src/base/error.h"

#define bc_fail(...)        (bc_fail(__VA_ARGS__), false)
#define bc_fail_errno(...)  (bc_fail_errno(__VA_ARGS__), false)
#define bc_fail_nomem(...)  (bc_fail_nomem(__VA_ARGS__), false)
#define bc_fail_prefix(...) (bc_fail_prefix(__VA_ARGS__), false)
