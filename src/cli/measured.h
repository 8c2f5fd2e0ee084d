/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What quality, report and overlap measure: samples of a binary, and profiles. */
#ifndef CLI_MEASURED_H
#define CLI_MEASURED_H

#include "src/figures/flat.h"
#include "src/figures/quality.h"

/* Measures samples of another build, too: whether the build fits is one of the figures.
 * Zeroed conversion and sources (but for what is asked of them) are to be freed either way.  The text of an
 * error says which operand is of the wrong kind, if one is.
 *
 * BC_MISMATCH  none of the samples is of the binary
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOTFOUND, BC_NOMEM */
BC_MUST_USE bool measure_samples(struct conversion *conversion, struct quality_sources *sources, struct quality *out, struct bc_error *err);

/* A profile that a command compares with: fdata, BOLT's YAML, or samples, which are converted first.
 *
 * What is neither fdata nor YAML is taken for samples of a binary, if there is one (else NULL).  Of a recording that was cut short, what is
 * there is used, and *partial is set.
 *
 * BC_MISMATCH  samples of another build
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOTFOUND, BC_NOMEM */
BC_MUST_USE bool profile_input_read(const char *path, const char *binary, struct flat_profile *out, bool *partial,
				    struct bc_error *err);

#endif
