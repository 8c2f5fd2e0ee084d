/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CHECK_NOP_H
#define CHECK_NOP_H

#include "src/base/bytes.h"
#include "src/isa/machine.h"

/* Does a nop, of any length, begin there? */
bool is_nop(enum machine machine, struct bytes code);

#endif
