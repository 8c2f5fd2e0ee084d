/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A profile that a command compares with: fdata, BOLT's YAML, or samples, which are converted first. */
#ifndef CLI_PROFILE_INPUT_H
#define CLI_PROFILE_INPUT_H

#include "src/quality/flat.h"

/* What is neither fdata nor YAML is taken for samples of a binary, if there is one (else NULL).  Of a recording that was cut short, what is
 * there is used, and *partial is set.
 *
 * BC_MISMATCH  samples of another build
 * BC_IO, BC_FORMAT, BC_UNSUPPORTED, BC_NOTFOUND, BC_NOMEM */
BC_MUST_USE bool profile_input_read(const char *path, const char *binary, struct flat_profile *out, bool *partial,
				    struct bc_error *err);

#endif
