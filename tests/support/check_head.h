/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The head of a file says what the whole of it does. */
#ifndef TESTS_SUPPORT_CHECK_HEAD_H
#define TESTS_SUPPORT_CHECK_HEAD_H

#include "src/base/bytes.h"

/* Any bytes as a file whose head is read; false: it is refused.  What is not refused has the kind,
 * build-id and segments of the whole, and the digest of its code is the same in steps. */
bool check_head(struct bytes file);

#endif
