/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Functions that a sample touched: that it, or a branch of it, came from or went to. */
#ifndef PROFILE_TOUCHED_H
#define PROFILE_TOUCHED_H

#include "src/elf/binary.h"
#include "src/profile/aggregate.h"

/* One for each function of the binary, for free(); NULL when out of memory. */
bool *touched_functions(const struct aggregate *aggregate, const struct binary *binary, bool basic);

#endif
