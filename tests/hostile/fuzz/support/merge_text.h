/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One or two profiles in memory, merged. */
#ifndef TESTS_HOSTILE_FUZZ_SUPPORT_MERGE_TEXT_H
#define TESTS_HOSTILE_FUZZ_SUPPORT_MERGE_TEXT_H

#include "src/profile/merge.h"

/* What becomes of it, for free(); NULL: it is refused, and what is said of it was looked at. twice:
 * of two such inputs.  memory: bytes that are sorted at a time. */
char *merge_text(struct text text, bool twice, size_t memory, size_t *size);

/* What holds for every input: it is refused with one line that names it; or what comes out is
 * merged to itself, and, with itself, has the same keys. */
void merge_text_check(struct text text);

#endif
