/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The unsymbolized profile that llvm-profgen reads: docs/conversion.md, section 8. */
#ifndef OUTPUT_PROFGEN_H
#define OUTPUT_PROFGEN_H

#include <stdio.h>

#include "src/flow/ranges.h"

/* The caller checks ferror(). */
void profgen_write(const struct ranges *ranges, FILE *file);

#endif
