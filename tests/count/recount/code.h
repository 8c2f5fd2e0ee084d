/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What is in the code at a spot: read one instruction after the other, from the function's
 * start or the last entry of its table before it. */
#ifndef TESTS_COUNT_RECOUNT_CODE_H
#define TESTS_COUNT_RECOUNT_CODE_H

#include "tests/count/recount/spot.h"

/* Is the branch at this vaddr a return by its instruction?  Where BOLT moved code, bytes show;
 * elsewhere bytes inside an instruction show nothing. */
bool code_is_return(const struct binary *binary, uint64_t branch);

/* A call ends right before it, and no landing pad is there. */
bool code_is_returned_to(const struct binary *binary, const struct spot *spot);

#endif
