/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether a recording told where the kernel was, if the binary is one.  After conversion_count(). */
#ifndef FLOW_KERNEL_CHECK_H
#define FLOW_KERNEL_CHECK_H

#include "src/flow/conversion.h"

/* Samples of kernel code were read from the input of this number, which does not tell where the kernel was:
 * it is taken to be where its file says. */
bool kernel_is_assumed(const struct conversion *conversion, size_t number);

/* BC_MISMATCH: no sample lies in the kernel, and an input does not tell where that
 * was; the text says how to record it. */
BC_MUST_USE bool kernel_check(const struct conversion *conversion, struct bc_error *err);

/* What to do so that a recording tells, by whether it is text. */
const char *kernel_remedy(const struct conversion *conversion, size_t number);

/* The binary is a kernel of which nothing was counted. */
bool kernel_is_empty(const struct conversion *conversion);

#endif
