/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What stands in the code at a spot: read one instruction after the other, from the function's start or the last entry of
 * its table before it. */
#ifndef RECOUNT_CODE_H
#define RECOUNT_CODE_H

#include "tests/recount/spot.h"

/* It lies inside an instruction, as far as that is known. */
bool code_is_inside(const struct binary *binary, const struct spot *spot);

/* A call ends right before it, and no landing pad stands there. */
bool code_is_returned_to(const struct binary *binary, const struct spot *spot);

#endif
