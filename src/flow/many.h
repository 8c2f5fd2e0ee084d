/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Several binaries from one pass over the samples. */
#ifndef FLOW_MANY_H
#define FLOW_MANY_H

#include "src/flow/conversion.h"

struct conversion_one {
	struct conversion conversion; /* of .options the binary differs, samples and format are the same for all */
	bool failed;
	bool unread; /* ... as the samples could not be read: all of these have one error */
	struct bc_error err; /* why */
};

/* Converts for each binary.  One that fails does not stop the others, but an error of the samples
 * is an error for all.  Pre-aggregated records belong to one binary: BC_UNSUPPORTED.  Finish each
 * with conversion_free().  Returns 1 + the number of the samples' path that is in error, or 0. */
size_t conversion_run_many(struct conversion_one *ones, size_t count);

#endif
