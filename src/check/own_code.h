/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Code of BOLT's own at a branch entry: why one may stand on an instruction that
 * only goes on.
 *
 *  - a probe (probes.h);
 *  - on RISC-V, the auipc of a call or jump to far away, which the next
 *    instruction makes through the register that it set;
 *  - a call or jump that BOLT promoted, or whose block it copied: the comparison
 *    with the likely target, which a conditional jump follows at once;
 *  - the last instruction of a block of the input behind which BOLT put a copy of
 *    the next block (tail duplication), whose instructions are those of that block,
 *    or moves of registers that a function keeps, to or from the stack (shrink
 *    wrapping).
 */
#ifndef CHECK_OWN_CODE_H
#define CHECK_OWN_CODE_H

#include "src/check/code.h"

/* The instruction of this spot only goes on, and no block ends there: is it code that BOLT added? */
bool own_code_explains(const struct code_view *view, const struct spot *spot);

#endif
