/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What linkers and compilers put between functions. */
#ifndef ELF_PADDING_H
#define ELF_PADDING_H

#include "src/elf/image.h"

/* Is a gap between two functions nothing but padding?  x86-64: only int3; or
 * nops, zero bytes and jumps forward inside the gap, after any int3.  Always
 * true for the others. */
bool padding_fills(enum machine machine, struct bytes gap);

#endif
