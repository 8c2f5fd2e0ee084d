/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A line that should be in a file, written part by part. */
#ifndef TESTS_COUNT_RECOUNT_WRITING_H
#define TESTS_COUNT_RECOUNT_WRITING_H

#include <stdio.h>

struct writing {
	FILE *to;
	char *text;
	size_t size;
};

void writing_begin(struct writing *writing);

/* What was written, to be freed. */
char *writing_end(struct writing *writing);

#endif
