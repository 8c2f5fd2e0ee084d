/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BASE_PERCENT_H
#define BASE_PERCENT_H

#include <stdint.h>

/* A part of a whole in percent; 0 if the whole is 0. */
static inline double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

#endif
