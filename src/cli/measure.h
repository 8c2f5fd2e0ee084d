/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Figures of samples, with progress on a terminal while they are read. */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H

#include "src/quality/quality.h"

/* Measures samples of another build, too: whether the build fits is one of the figures.
 * Zeroed conversion and sources (but for what is asked of them) are to be freed either way.  The text of an
 * error says which operand is of the wrong kind, if one is.
 *
 * BC_MISMATCH  none of the samples is of the binary
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOTFOUND, BC_NOMEM */
BC_MUST_USE bool measure_samples(struct conversion *conversion, struct quality_sources *sources, struct quality *out, struct bc_error *err);

#endif
