/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Files of other profilers and tools, which nothing here reads: what each is, and what to do. */
#ifndef FIGURES_FOREIGN_H
#define FIGURES_FOREIGN_H

#include "src/base/text.h"

struct foreign {
	const char *noun;    /* "a profile of callgrind (valgrind)" */
	const char *instead; /* what to do */
};

/* By how a file begins, decompressed; NULL: none of these. */
const struct foreign *foreign_of(struct text start);

/* The same of a directory. */
const struct foreign *foreign_folder(const char *path);

#endif
