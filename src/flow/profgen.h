/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The unsymbolized profile that llvm-profgen reads: docs/conversion.md, section 8. */
#ifndef FLOW_PROFGEN_H
#define FLOW_PROFGEN_H

#include <stdio.h>

#include "src/flow/ranges.h"

/* The caller checks ferror(). */
void profgen_write(const struct ranges *ranges, FILE *file);

#endif
