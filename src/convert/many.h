/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several binaries from one pass over the samples. */
#ifndef CONVERT_MANY_H
#define CONVERT_MANY_H

#include "src/convert/conversion.h"

struct conversion_one {
	struct conversion_options options; /* the binary; samples and format are all the same */
	struct conversion conversion;      /* see conversion_run() */
	bool failed;
	struct bc_error err; /* why */
};

/* Convert for each.  Those that fail do so alone, but for an error of the samples,
 * which all have then.  Pre-aggregated records are of one binary: BC_UNSUPPORTED.
 * Finish each with conversion_free(). */
void conversion_run_many(struct conversion_one *ones, size_t count);

#endif
