/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Which function of the new build each of the old one became. */
#ifndef CARRY_PARTNERS_H
#define CARRY_PARTNERS_H

#include "src/carry/build.h"

/* of[f]: the function of the new build that number f of the old one is, by its number, or
 * NO_FUNCTION; none is given twice.  By name: one that others see, else one with the file that it
 * is in, else any; at last by the name without the suffixes of compilers, if it is the only one.
 * For free(); NULL: out of memory. */
uint32_t *partners_find(const struct carry_build *old_build, const struct carry_build *new_build);

#endif
