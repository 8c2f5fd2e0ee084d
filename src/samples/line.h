/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One line of a text input, which knows where it comes from. */
#ifndef SAMPLES_LINE_H
#define SAMPLES_LINE_H

#include <stdint.h>

#include "src/base/error.h"
#include "src/base/text.h"

struct line {
	struct text text;
	const char *file; /* for messages */
	uint64_t number;  /* from 1 */
};

/* Fails with "FILE: line L, column C: WHY" and what stands there.
 *
 * at    a byte of the line, or its end
 * code  BC_FORMAT or BC_UNSUPPORTED */
bool line_fail(struct bc_error *err, enum bc_code code, const struct line *line,
	       const char *at, const char *why);

/* Is it of raw call stacks, TIME MAP ADDRESS ..., which `batconv stacks` reads and which could be taken for text of perf script
 * with a comm of two words?  Only its first three words are looked at. */
bool line_is_raw_stack(struct text line);

#endif
