/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What batconv got wrong, a line each: "WHAT: is IS, should be SHOULD". */
#ifndef TESTS_COUNT_RECOUNT_MISTAKES_H
#define TESTS_COUNT_RECOUNT_MISTAKES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/attr.h"

/* The first ones are printed, all are counted. */
BC_PRINTF(1, 2) void mistake(const char *fmt, ...);
size_t mistake_count(void);

/* A mistake if both differ. */
void must_equal(const char *what, uint64_t is, uint64_t should);

/* This is a test: what it can do without memory is to say so, and exit. */
void must_have_memory(bool ok);
void *must_allocate(size_t size);

#endif
