/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In the page: what `batconv verify` finds in the optimised binary. */
#ifndef FIGURES_VERIFIED_H
#define FIGURES_VERIFIED_H

#include "src/verify/verify.h"
#include "src/base/json.h"

/* Writes an object: how many errors, warnings and notes there are; the kinds of which there are some, the worst first, each with its remedy;
 * and of each kind the findings that were kept, as far as they fit into `room` bytes.  false: out of memory */
BC_MUST_USE bool verified_write(struct json *json, const char *key, const struct verify_report *report, size_t room);

#endif
