/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Outputs that would replace an input, or each other. */
#ifndef CLI_CLASH_H
#define CLI_CLASH_H

#include <stddef.h>

#include "src/base/error.h"

struct named_output {
	const char *option; /* "-o" */
	const char *path;   /* "-" is stdout; NULL: there is none */
};

/* No regular file among the inputs ("-" is stdin) may be an output, by whatever name,
 * and no two outputs may be one file or pipe.  Devices are none of its concern:
 * /dev/null takes everything.  BC_MISMATCH, which names both. */
BC_MUST_USE bool outputs_are_apart(const struct named_output *outputs, size_t count,
				   struct bc_error *err);
BC_MUST_USE bool input_is_apart(const char *input, const struct named_output *outputs, size_t count,
				struct bc_error *err);

#endif
